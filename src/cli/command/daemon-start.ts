import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { startDetached } from '../../adapters/process/detached.ts';
import { LoopwrightError } from '../../core/error.ts';
import { connectDaemon, type Connected } from '../../daemon/connect.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, numberOption, usageError, wantsJson } from '../input.ts';
import { createRedactor } from '../../core/redact/redact-values.ts';

const startMs = 30_000;

export const daemonStart: Command = {
  path: ['daemon', 'start'],
  summary: 'Work in the background: go on with interrupted loops, run what is ready.',
  details:
    'One daemon works for a repository. It takes every task that is ready, as many at once as `scheduler.max-agents` says, ' +
    'and waits for more; with --idle it only goes on with loops that were begun. Every other command works with and without it.' +
    '\n\nIt answers on a unix socket and on a port of 127.0.0.1; address and token are in .loopwright/daemon.json.',
  options: [
    {
      name: 'foreground',
      summary: 'Stay in this terminal; the first Ctrl-C drains, the second cuts.',
    },
    { name: 'idle', summary: 'Take no task by itself, only loops that were begun.' },
    { name: 'port', value: 'N', summary: 'Port of the HTTP interface; any free one by default.' },
  ],
  examples: [
    { line: 'loopwright daemon start', does: 'Starts working on everything that is ready.' },
    { line: 'loopwright daemon start --foreground', does: 'The same in this terminal.' },
  ],

  async run(input, context) {
    const port = numberOption(input, 'port') ?? 0;
    if (port > 65_535) throw usageError('--port takes a number up to 65535');
    return isGiven(input, 'foreground') ? stay(input, context, port) : detach(input, context);
  },
};

async function stay(input: CommandInput, context: CliContext, port: number): Promise<number> {
  const { serveDaemon } = await import('../../daemon/serve.ts');
  const { out, clock } = context;
  await serveDaemon({
    open: (publish) => context.open({ publish }),
    onSignal: (listener) => context.onSignal(listener),
    log: (text) => out.write(`${new Date(clock.now()).toISOString()} ${text}\n`),
    redact: createRedactor(context.env),
    ready: () => {},
    takesReady: !isGiven(input, 'idle'),
    port,
  });
  return exitCodes.ok;
}

async function detach(input: CommandInput, context: CliContext): Promise<number> {
  await using opened = await context.open();
  const { stateDir, project } = opened.engine;
  const before = await connectDaemon(stateDir);
  if (before !== null) return tell(input, context, before, false);
  const logFile = path.join(stateDir, 'daemon.log');
  const port = numberOption(input, 'port');
  const flags = [
    ...(isGiven(input, 'idle') ? ['--idle'] : []),
    ...(port === null ? [] : ['--port', String(port)]),
  ];
  const argv = [...context.program, 'daemon', 'start', '--foreground', ...flags] as const;
  const [program, ...args] = argv;
  const child = startDetached([program ?? '', ...args], {
    cwd: project.root,
    env: context.env,
    logFile,
  });
  const started = await answering(context, stateDir, child.ended);
  if (started !== null) return tell(input, context, started, true);
  throw new LoopwrightError(
    'daemon.not_started',
    `the daemon did not start: ${await lastWords(logFile)}`,
    {
      hint: `see ${logFile}, or try \`loopwright daemon start --foreground\``,
    },
  );
}

/** The daemon once it answers; null when it ended before, or is silent for too long. */
async function answering(
  { clock }: CliContext,
  stateDir: string,
  ended: Promise<number | null>,
): Promise<Connected | null> {
  let isGone = false;
  void ended.then(() => {
    isGone = true;
  });
  const deadline = clock.monotonic() + startMs;
  for (;;) {
    const wasGone = isGone;
    const connected = await connectDaemon(stateDir);
    if (connected !== null) return connected;
    // One that was started at the same moment may have been quicker: it answers, or will soon.
    if (wasGone || clock.monotonic() > deadline) return null;
    await clock.sleep(50, AbortSignal.timeout(startMs));
  }
}

async function lastWords(logFile: string): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-3).join(' ').slice(0, 500) || 'it said nothing';
}

async function tell(
  input: CommandInput,
  context: CliContext,
  { client, registration }: Connected,
  isNew: boolean,
): Promise<number> {
  const { pid, url, version } = registration;
  if (wantsJson(input)) {
    const status = await client.call('daemon');
    context.out.write(`${JSON.stringify({ ...status, url, started: isNew, exitCode: 0 })}\n`);
    return exitCodes.ok;
  }
  const verb = isNew ? 'works in the background' : 'works already';
  context.out.write(`the daemon ${verb}: process ${pid}, ${url}\n`);
  if (version !== context.version) {
    context.err.write(
      `warning: it is Loopwright ${version}, this is ${context.version}; end it with \`loopwright daemon stop\` and start it anew\n`,
    );
  }
  context.err.write('see `loopwright status`; end it with `loopwright daemon stop`\n');
  return exitCodes.ok;
}
