import { LoopwrightError } from '../../core/error.ts';
import { createRedactor } from '../../core/redact/redact-values.ts';
import { headChars } from '../../core/text/code-points.ts';
import type { Opened } from '../../daemon/compose.ts';
import type { DoorAnswer } from '../../ports/door.ts';
import type { CliContext, Output } from '../context.ts';
import { registry } from '../registry.ts';
import { reportError } from '../report-error.ts';
import { runCli } from '../run-cli.ts';

export type InsideCall = {
  readonly opened: Opened;
  /** The loop whose agent calls. */
  readonly loopId: string;
  readonly argv: readonly string[];
  readonly stdin: string | null;
};

/** All an agent may do. Whatever decides about a loop is for people. */
const allowed: readonly string[] = ['share', 'query', 'alert'];
const insideRegistry = registry.filter(({ path: [word] }) => allowed.includes(word));
const maxOutputChars = 100_000;

/** Runs a command line of an agent's in the engine that drives its loop. Never throws. */
export async function runInside(call: InsideCall): Promise<DoorAnswer> {
  const { opened, argv } = call;
  const redact = createRedactor(opened.engine.env);
  const stdout = collected(redact);
  const stderr = collected(redact);
  const context = contextOf(call, stdout.output, stderr.output);
  const [word = ''] = argv;
  const isForPeople =
    !allowed.includes(word) && registry.some(({ path: [first] }) => first === word);
  const exitCode = isForPeople
    ? await reportError(forPeople(word), context, argv)
    : await runCli(argv, context, insideRegistry);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

function forPeople(word: string): LoopwrightError {
  return new LoopwrightError('inside.refused', `\`loopwright ${word}\` is not for agents`, {
    hint: `inside a loop there are ${allowed.join(', ')}; say in your final message what else is needed`,
  });
}

function contextOf({ opened, loopId, stdin }: InsideCall, out: Output, err: Output): CliContext {
  const { engine, project } = opened;
  return {
    cwd: project.root,
    env: {},
    home: project.root,
    version: engine.version,
    program: ['loopwright'],
    clock: engine.clock,
    out,
    err,
    insideLoop: loopId,
    readStdin: () => Promise.resolve(stdin ?? ''),
    stdinIsTerminal: false,
    onSignal: () => ({ [Symbol.dispose]() {} }),
    // The engine outlives the command.
    open: () => Promise.resolve({ ...opened, async [Symbol.asyncDispose]() {} }),
  };
}

function collected(redact: (text: string) => string) {
  let text = '';
  const output: Output = {
    write(more) {
      text = headChars(text + redact(more), maxOutputChars);
    },
    isTerminal: false,
    hasColour: false,
    columns: 80,
  };
  return { output, text: () => text };
}
