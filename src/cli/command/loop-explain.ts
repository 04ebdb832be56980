import { standingWarnings } from '../../core/loop/stuck.ts';
import type { Decision } from '../../core/loop/judge.ts';
import type { Iteration, Loop } from '../../core/loop/loop.ts';
import { onlyTestsChanged, onlyTestsText } from '../../core/loop/judges.ts';
import { flakyOf } from '../../core/loop/loop-feedback.ts';
import { flakyText } from '../../core/verdict/flaky.ts';
import { violationsOf } from '../../core/verdict/integrity.ts';
import { allChecks } from '../../core/verdict/report.ts';
import type { Command } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, wantsJson } from '../input.ts';
import { plural } from '../render/format.ts';
import { createPaint, type Paint } from '../render/paint.ts';
import { nextCommands } from '../render/next-commands.ts';
import { statusStyle, statusText } from '../render/status-word.ts';
import { oneLine } from '../render/story-line.ts';
import { optionalLoopArgument, resolveRecorded } from '../resolve-loop.ts';

export const loopExplain: Command = {
  path: ['loop', 'explain'],
  summary: 'Explain why a loop went on or stopped after each iteration.',
  details: 'For every iteration: which rule decided, and everything it was decided from.',
  args: [optionalLoopArgument],
  examples: [{ line: 'loopwright loop explain last', does: 'Explains the newest loop.' }],

  async run(input, context) {
    await using opened = await context.open({ onlyReads: true });
    const loop = await resolveRecorded(opened.engine, argument(input, 'LOOP'), context);
    if (wantsJson(input)) {
      context.out.write(`${JSON.stringify(explanation(loop))}\n`);
      return exitCodes.ok;
    }
    context.out.write(renderExplanation(loop, context));
    return exitCodes.ok;
  },
};

function explanation(loop: Loop) {
  const { id, status, reason, text, baseline } = loop;
  return {
    loop: id,
    status,
    reason,
    text,
    baseline: baseline?.state ?? null,
    flaky: flakyOf(loop),
    accepted: loop.acceptances ?? [],
    onlyTestsChanged: onlyTestsChanged(loop),
    warnings: standingWarnings(loop),
    iterations: loop.iterations.map(
      ({ number, pass, outcome, why, decision, report, restored }) => {
        const violations = report === null ? [] : violationsOf(report);
        return { number, pass: pass ?? null, outcome, why, restored, violations, decision };
      },
    ),
  };
}

function renderExplanation(loop: Loop, { out }: CliContext): string {
  const paint = createPaint(out.hasColour);
  const status = paint(statusStyle(loop.status), statusText(loop.status, loop.reason));
  const text = loop.text === null ? '' : `: ${oneLine(loop.text)}`;
  const parts = [
    `${paint('bold', loop.id)} is ${status}${text}`,
    `baseline ${loop.baseline?.state ?? 'not verified yet'}`,
    ...weakenedSummary(loop, paint),
    ...acceptedSummary(loop, paint),
    ...onlyTestsSummary(loop, paint),
    ...flakyOf(loop).map((each) => paint('yellow', `flaky: ${flakyText(each)}`)),
    ...standingWarnings(loop).map((warning) => `${paint('yellow', 'warning')} ${oneLine(warning)}`),
    ...loop.iterations.map((iteration) => explainIteration(iteration, paint)),
  ];
  const [next] = nextCommands(loop, false).filter(({ line }) => !line.includes(' explain '));
  return `${parts.join('\n\n')}\n${next === undefined ? '' : `\nnext: ${next.line}\n`}`;
}

/** Above everything else: whether the agent tried to get round the checks. */
function weakenedSummary(loop: Loop, paint: Paint): readonly string[] {
  const tried = loop.iterations.filter(
    ({ report, restored }) =>
      restored.length > 0 || (report !== null && violationsOf(report).length > 0),
  );
  if (tried.length === 0) return [];
  const numbers = tried.map(({ number }) => number).join(', ');
  const word = tried.length === 1 ? 'iteration' : 'iterations';
  return [paint('red', `What judges the work was changed in ${word} ${numbers}; see there`)];
}

function acceptedSummary({ acceptances = [] }: Loop, paint: Paint): readonly string[] {
  return acceptances.map(({ by, reason, findings }) => {
    const why = reason === null ? 'no reason was given' : oneLine(reason);
    const text = `ACCEPTED: ${plural(findings, 'finding')} of integrity by ${oneLine(by, 100)}: ${why}`;
    return paint('yellow', text);
  });
}

function onlyTestsSummary(loop: Loop, paint: Paint): readonly string[] {
  const text = onlyTestsText(loop);
  return text === null ? [] : [`${paint('yellow', 'warning')} ${oneLine(text, 300)}`];
}

function explainIteration(iteration: Iteration, paint: Paint): string {
  const { number, pass, outcome, status, decision, why } = iteration;
  const review = pass === undefined ? '' : `, review pass ${pass}`;
  const title = paint('bold', `iteration ${number}: ${outcome ?? status}${review}`);
  const facts = factRows(iteration, paint);
  if (decision === null) {
    const reason = why === null ? 'no decision yet' : oneLine(why);
    return [title, ...facts, `  no decision  ${reason}`].join('\n');
  }
  const verdict =
    decision.end === null ? 'went on' : statusText(decision.end.status, decision.end.reason);
  const rows = [
    ...facts,
    row('decision', `${verdict}: ${decision.reason}`),
    row('decided by', ruleText(decision.source)),
    ...inputRows(decision),
  ];
  return [title, ...rows].join('\n');
}

function factRows(iteration: Iteration, paint: Paint): readonly string[] {
  const { agent, report, restored, gates = [], approvals = [] } = iteration;
  const rows: string[] = [];
  if (agent !== null) {
    const claim = agent.claim === null ? 'no claim' : `claims ${agent.claim}`;
    rows.push(
      row('agent', `${agent.kind}, ${claim}${agent.evidence === '' ? '' : ` (${agent.evidence})`}`),
    );
  }
  if (restored.length > 0) {
    rows.push(paint('yellow', row('put back', `protected: ${restored.join(', ')}`)));
  }
  if (report === null) return rows;
  rows.push(...violationsOf(report).map(({ text }) => paint('red', row('judge', text))));
  // A look at the files that found nothing explains nothing.
  const telling = allChecks(report).filter(
    ({ check }) => check.command !== null || check.passed !== true,
  );
  const checks = telling.map(({ check }) => {
    const verdict = check.passed === null ? 'skipped' : check.passed ? 'passed' : 'failed';
    return `${check.name} ${verdict}${check.reason === null ? '' : ` (${check.reason})`}`;
  });
  rows.push(row('checks', checks.join('; ')));
  for (const { name, passed, reason } of gates) {
    rows.push(row('gate', `${name} ${passed ? 'passed' : 'failed'} (${reason})`));
  }
  for (const { by } of approvals) rows.push(row('approved by', by));
  return rows;
}

function inputRows({ inputs, notice }: Decision): readonly string[] {
  const { progress, strategy, stopConditions, counted, maxIterations } = inputs;
  const cap = maxIterations === 0 ? 'unlimited' : String(maxIterations);
  const stops = stopConditions.map(
    ({ text, met, kind, problem }) =>
      `${text}: ${met ? 'met' : 'not met'} (${kind})${problem === undefined ? '' : `; ${problem}`}`,
  );
  return [
    row('completion', inputs.completion),
    row(
      'strategy',
      `${strategy.name} says ${strategy.continue ? 'go on' : 'stop'}: ${strategy.reason}`,
    ),
    row('ladder', inputs.ladder),
    ...(progress === null ? [] : [row('progress', progressText(progress))]),
    ...(stops.length === 0 ? [] : [row('conditions', stops.join('; '))]),
    row('iterations', `${counted} counted of ${cap}`),
    ...(notice === null ? [] : [row('notice', notice)]),
  ];
}

function progressText(progress: NonNullable<Decision['inputs']['progress']>): string {
  const level = progress.level === null ? 'unknown' : progress.level.toFixed(2);
  const best = progress.bestLevel === null ? 'none' : progress.bestLevel.toFixed(2);
  const { signals = [] } = progress;
  const made = signals.length === 0 ? '' : ` (${signals.map(inWords).join(', ')})`;
  return `${progress.progress ? 'yes' : 'no'}; activity ${progress.activity.toFixed(2)}${made}, level ${level}, best before ${best}`;
}

/** `filesModified` → `files modified`. */
function inWords(signal: string): string {
  return signal.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function ruleText(source: Decision['source']): string {
  switch (source) {
    case 'integrity':
      return 'the sandbox, which beats everything';
    case 'budget':
      return 'the budget, which beats a pass';
    case 'completion':
      return 'the rules of done';
    case 'confirmation':
      return 'the run in a clean checkout';
    case 'gate':
      return 'a gate';
    case 'agent':
      return 'what happened to the agent';
    case 'stop-condition':
      return 'a stop condition';
    case 'errors':
      return 'the limit of errors in a row';
    case 'cap':
      return 'max-iterations';
    case 'ladder':
      return 'the ladder of progress';
    case 'strategy':
      return 'the strategy';
  }
}

function row(label: string, text: string): string {
  return `  ${label.padEnd(12)} ${oneLine(text)}`;
}
