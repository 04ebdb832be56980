import type { Connected } from '../../daemon/connect.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, numberOption, usageError, wantsJson } from '../input.ts';
import { createLogRotation } from '../../adapters/files/rotate-log.ts';
import { OutageBoard } from '../render/outage-text.ts';
import { daemonLog, ensureDaemon } from '../start-daemon.ts';
import { createRedactor } from '../../core/redact/redact-values.ts';

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
  let ownLog: string | null = null;
  let logFile: string | null = null;
  const rotate = createLogRotation(() => clock.monotonic());
  const board = new OutageBoard();
  const print = (text: string) => {
    out.write(`${new Date(clock.now()).toISOString()} ${text}\n`);
  };
  // What is printed here is appended to the log by the one who started it.
  const keepSmall = () => {
    const warning = logFile === null ? null : rotate(logFile);
    if (warning !== null) print(warning);
  };
  await serveDaemon({
    async open(publish) {
      const opened = await context.open({ publish });
      ownLog = daemonLog(opened.engine.stateDir);
      return opened;
    },
    onSignal: (listener) => context.onSignal(listener),
    log(text) {
      keepSmall();
      print(text);
    },
    outageNews: (outage, isOver) => board.news(outage, isOver, clock.now()),
    redact: createRedactor(context.env),
    // From now on no other daemon writes to it.
    ready() {
      logFile = ownLog;
      keepSmall();
    },
    takesReady: !isGiven(input, 'idle'),
    port,
  });
  return exitCodes.ok;
}

async function detach(input: CommandInput, context: CliContext): Promise<number> {
  await using opened = await context.open();
  const port = numberOption(input, 'port');
  const { isNew, ...connected } = await ensureDaemon(context, opened, [
    ...(isGiven(input, 'idle') ? ['--idle'] : []),
    ...(port === null ? [] : ['--port', String(port)]),
  ]);
  return tell(input, context, connected, isNew);
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
