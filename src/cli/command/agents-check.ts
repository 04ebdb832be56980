import { resolveAgent } from '../../adapters/agents/registry.ts';
import { findInstalledAgents } from '../../adapters/agents/installed-agents.ts';
import { createSupervisor } from '../../adapters/process/supervisor.ts';
import { judgeProbe, type ProbeCheck } from '../../core/agent/probe.ts';
import type { Settings } from '../../core/config/schema.ts';
import { agentEnvironment } from '../../core/env/allow-list.ts';
import { LoopwrightError } from '../../core/error.ts';
import { probeAgent, probeLoopId } from '../../engine/probe-agent.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, isGiven, option, wantsJson } from '../input.ts';
import { openProbePlace } from '../probe-place.ts';
import { createPaint, type Style } from '../render/paint.ts';
import { renderLine } from '../render/story-line.ts';
import { activityLine } from '../render/story.ts';
import { wrap } from '../render/wrap.ts';
import { findConfig } from './config-values.ts';

export const agentsCheck: Command = {
  path: ['agents', 'check'],
  summary: 'Try an agent out: whether it starts, streams, edits, stops and leaves nothing.',
  details:
    'Runs the agent twice in a repository of its own below the temporary folder: once to write one file, once to be told to end. ' +
    'That costs what two short answers of its model cost, which is said before it begins.' +
    '\n\nExit code: 0 it can be used, 1 something is off, 2 it needs you to sign in, 3 there is no such agent.',
  args: [
    {
      name: 'AGENT',
      summary: 'A name, `acp:CMD`, `command:CMD` or `scripted:FILE`; left out: what loops get.',
      required: false,
    },
  ],
  options: [
    { name: 'model', value: 'MODEL', summary: 'The model to try it with.' },
    { name: 'verbose', short: 'v', summary: 'Show what the agent does meanwhile.' },
  ],
  examples: [
    { line: 'loopwright agents check claude', does: 'Tries Claude Code as loops would use it.' },
    {
      line: "loopwright agents check 'acp:gemini --acp' --json",
      does: 'Tries a server of the Agent Client Protocol; the result for programs.',
    },
  ],
  run: runAgentsCheck,
};

async function runAgentsCheck(input: CommandInput, context: CliContext): Promise<number> {
  const { root, config } = await findConfig(context);
  const { settings } = config;
  const name = argument(input, 'AGENT') ?? settings.agent ?? (await firstInstalled(context));
  await using supervisor = createSupervisor({ clock: context.clock });
  const runner = await resolveAgent(name, settings.agents, { supervisor, folder: root });
  const stop = new AbortController();
  using _signals = context.onSignal(() => stop.abort());
  const { pass, set } = settings.env;
  const env = agentEnvironment(context.env, {
    pass: [...runner.variables, ...pass],
    set,
    reserved: {},
  });
  await using place = await openProbePlace(env, context.env, stop.signal);
  context.err.write(`${costText(name, settings)}\n`);
  const findings = await probeAgent(
    {
      ...place,
      async left() {
        await supervisor.endStandby(probeLoopId);
        return place.left();
      },
      runner,
      clock: context.clock,
      model: option(input, 'model') ?? modelOf(name, settings),
      configured: settings.prices,
      show: isGiven(input, 'verbose') ? (activity) => show(activity, context) : () => {},
    },
    place.folder.slice(-12),
    stop.signal,
  );
  if (stop.signal.aborted) return exitCodes.interrupted;
  const checks = judgeProbe(findings);
  const { outcome } = findings.write;
  const exitCode = exitCodeOf(checks, outcome.kind === 'auth', findings.write.isStarted);
  if (wantsJson(input)) {
    const { kind, evidence, tokens, model } = outcome;
    const costUsd = findings.write.costUsd;
    const result = {
      agent: name,
      checks,
      outcome: kind,
      evidence,
      model,
      tokens,
      costUsd,
      exitCode,
    };
    context.out.write(`${JSON.stringify(result)}\n`);
  } else context.out.write(renderChecks(name, checks, context));
  return exitCode;
}

async function firstInstalled({ env }: CliContext): Promise<string> {
  const [first] = await findInstalledAgents(env);
  if (first !== undefined) return first.name;
  throw new LoopwrightError('agent.none', 'no agent is configured and none was found on PATH', {
    hint: 'name one: `loopwright agents check claude`; `loopwright agents list` shows them',
  });
}

function modelOf(name: string, settings: Settings): string | null {
  return settings.agents[name]?.model ?? settings['model-strategy'].model ?? null;
}

/** Said before anything is spent. */
function costText(name: string, { agents }: Settings): string {
  const isScripted = name.startsWith('scripted:') || agents[name]?.kind === 'scripted';
  if (isScripted) return `checking ${name}: it is a script and costs nothing`;
  return `checking ${name}: it is run twice with a short prompt, which costs what two short answers of its model cost (usually a few cents)`;
}

function exitCodeOf(
  checks: readonly ProbeCheck[],
  needsSignIn: boolean,
  isStarted: boolean,
): number {
  if (!isStarted) return exitCodes.refused;
  if (needsSignIn) return exitCodes.blocked;
  return checks.some(({ status }) => status === 'fail') ? exitCodes.failed : exitCodes.ok;
}

const marks: Readonly<Record<ProbeCheck['status'], readonly [mark: string, style: Style]>> = {
  ok: ['✓', 'green'],
  warn: ['!', 'yellow'],
  fail: ['✗', 'red'],
};

function renderChecks(name: string, checks: readonly ProbeCheck[], { out }: CliContext): string {
  const paint = createPaint(out.hasColour);
  const width = out.isTerminal ? out.columns : 100;
  const lines = checks.map(({ name: check, status, text }) => {
    const [mark, style] = marks[status];
    const start = `  ${mark} ${check.padEnd(9)}`;
    const body = wrap(text, width, start, ' '.repeat(start.length));
    return `  ${paint(style, mark)}${body.slice(3)}`;
  });
  return `${lines.join('\n')}\n\n${verdict(name, checks)}\n`;
}

function verdict(name: string, checks: readonly ProbeCheck[]): string {
  const count = (status: ProbeCheck['status']) =>
    checks.filter((check) => check.status === status).length;
  if (count('fail') > 0) return `${name} cannot be relied on: see the lines with ✗.`;
  if (count('warn') > 0) return `${name} can be used, with the limits marked by !.`;
  return `${name} can be used.`;
}

function show(activity: Parameters<typeof activityLine>[0], { err }: CliContext): void {
  const columns = err.isTerminal ? err.columns : null;
  err.write(`${renderLine(activityLine(activity), columns, createPaint(err.hasColour))}\n`);
}
