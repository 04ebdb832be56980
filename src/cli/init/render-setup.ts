import path from 'node:path';
import { plainText } from '../../core/text/terminal.ts';
import type { Output } from '../context.ts';
import { createPaint } from '../render/paint.ts';
import { wrap } from '../render/wrap.ts';
import type { Choice } from './choice.ts';
import type { Findings } from './findings.ts';
import { configFile } from './render-config.ts';
import { trialLines } from './render-trial.ts';
import type { AgentTrial } from './try-agent.ts';
import type { TrialReport } from './try-choice.ts';

export type Setup = {
  readonly root: string;
  /** Absolute path of what was written. */
  readonly file: string;
  readonly backup: string | null;
  readonly choice: Choice;
  readonly findings: Findings;
  readonly agentTrial: AgentTrial;
  readonly trial: TrialReport;
  readonly notes: readonly string[];
};

const labelWidth = 12;

/** What was decided and why, what is missing, and the next command. */
export function renderSetup(setup: Setup, output: Output): string {
  const paint = createPaint(output.hasColour);
  const width = Math.min(output.columns, 100);
  const rows = decisions(setup).map(([label, value, why]) => {
    const text = plainText(why === null ? value : `${value} (${why})`);
    const start = `  ${label}`.padEnd(labelWidth + 2);
    const body = wrap(text, width, start, ' '.repeat(labelWidth + 2));
    return `${paint('dim', body.slice(0, start.length))}${body.slice(start.length)}`;
  });
  const kept =
    setup.backup === null ? [] : [`The old file is kept as ${path.basename(setup.backup)}.`];
  const tried = trialLines(setup.trial);
  const all = [...agentNotes(setup), ...tried.notes, ...setup.notes];
  const notes = all.map((note) => wrap(note, width, '! ', '  '));
  const next = nextCommand(setup.choice);
  return [
    `${paint('green', '✓')} Wrote ${paint('bold', configFile)} in ${plainText(setup.root)}`,
    ...kept,
    '',
    ...rows,
    '',
    ...(notes.length === 0 ? [] : [...notes.map((note) => paint('yellow', note)), '']),
    `${paint('dim', 'next:')}  ${next}`,
    '',
  ].join('\n');
}

export type Row = readonly [label: string, value: string, why: string | null];

function agentNotes({ agentTrial: { fault }, choice }: Setup): readonly string[] {
  if (fault === null) return [];
  return [
    `The agent ${choice.agent?.spec ?? ''} does not start: ${plainText(fault)}. \`loopwright agents check\` tries it.`,
  ];
}

function decisions({ choice, findings, agentTrial, trial }: Setup): readonly Row[] {
  const { agent, validation, dir, setup, link, copy, sandbox, budget } = choice;
  const rows: Row[] = [];
  const installed = findings.agents.find(({ name }) => name === agent?.spec);
  if (agent !== null) {
    const how = agent.command === null ? null : `as the command \`${agent.command}\``;
    const { version } = agentTrial;
    const title = installed?.title ?? null;
    // Some say their name with their version.
    const isNamed = title !== null && version?.includes(title) === true;
    rows.push([
      'agent',
      agent.spec,
      [isNamed ? null : title, version, how].filter((part) => part !== null).join(', ') || null,
    ]);
  }
  if (validation !== null) {
    const why = findings.tests.find(({ command }) => command === validation)?.because ?? null;
    rows.push(['validation', validation, why === null ? null : `found by ${why}`]);
  }
  rows.push(...trialLines(trial).rows);
  if (dir !== null)
    rows.push(['worktrees', dir, dir === findings.place?.dir ? findings.place.because : null]);
  if (setup !== null) rows.push(['setup', setup, 'once in every new worktree']);
  if (link.length > 0) rows.push(['linked', link.join(', '), 'into every new worktree']);
  if (copy.length > 0) rows.push(['copied', copy.join(', '), 'into every new worktree']);
  if (sandbox !== 'off') rows.push(['sandbox', sandbox, null]);
  const amounts = [
    ...(budget.run === null ? [] : [`${budget.run} USD per run`]),
    ...(budget.loop === null ? [] : [`${budget.loop} USD per loop`]),
  ];
  if (amounts.length > 0) rows.push(['budget', amounts.join(', '), null]);
  if (rows.length === 0) rows.push(['', 'every setting has its default', null]);
  return rows;
}

function nextCommand({ agent, validation }: Choice): string {
  const flags = [
    ...(agent === null ? ['--agent command:"CMD"'] : []),
    ...(validation === null ? ['--validate "CMD"'] : []),
  ];
  return ['loopwright run "what should be true afterwards"', ...flags].join(' ');
}
