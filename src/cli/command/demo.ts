import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nodeProgram } from '../../adapters/process/own-process.ts';
import type { Loop } from '../../core/loop/loop.ts';
import { openProjectAt, type Opened } from '../../daemon/compose.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext, OpenOptions, Output } from '../context.ts';
import { renderPatch, renderStory } from '../demo/demo-story.ts';
import { taskDescription, taskTitle } from '../demo/sample-project.ts';
import { createSampleRepository, shellQuoted } from '../demo/sample-repository.ts';
import { option, wantsJson } from '../input.ts';
import { createPaint } from '../render/paint.ts';
import { wrap } from '../render/wrap.ts';
import { run } from './run.ts';

export const demo: Command = {
  path: ['demo'],
  summary: 'Watch one real loop in a sample repository; no key, no network.',
  details:
    'Makes a small JavaScript project with failing tests and runs a real loop on it: the same engine, git and checks as `loopwright run`. Only the agent is a script. The folder is kept, so that you can look around.',
  options: [
    {
      name: 'dir',
      value: 'DIR',
      summary: 'Make the sample repository here; a temporary folder when left out.',
    },
  ],
  examples: [
    { line: 'loopwright demo', does: 'Runs the demo in a temporary folder.' },
    { line: 'loopwright demo --dir ./roman', does: 'Keeps the sample repository at hand.' },
  ],
  run: runDemo,
};

const setupMs = 60_000;

async function runDemo(input: CommandInput, context: CliContext): Promise<number> {
  const asked = option(input, 'dir');
  const dir = asked === null ? null : path.resolve(context.cwd, asked);
  const sample = { dir, env: context.env, node: nodeProgram };
  const folder = await createSampleRepository(sample, AbortSignal.timeout(setupMs));
  const paint = createPaint(context.err.hasColour);
  context.err.write(
    introduction(
      folder,
      Math.min(context.err.columns, 100),
      paint('bold', 'A real loop, with a scripted agent'),
    ),
  );
  const inside = insideOf(folder, context);
  const printed = new Collected(context.out);
  const isJson = wantsJson(input);
  const exitCode = await run.run(
    { args: { TEXT: '-' }, options: isJson ? { json: true } : {} },
    {
      ...inside,
      readStdin: () => Promise.resolve(`${taskTitle}\n\n${taskDescription}`),
      out: isJson ? printed.output : context.out,
    },
  );
  if (isJson) context.out.write(`${JSON.stringify({ ...printed.object(), dir: folder })}\n`);
  await close(inside, folder, isJson ? context.err : context.out);
  return exitCode;
}

function introduction(folder: string, width: number, title: string): string {
  const text =
    'A sample project was made: a library for Roman numerals, 8 tests, most of them failing. The agent is a script; the engine, git and the checks are the real thing. Only executed checks can end this loop with success.';
  return `${title}\n${wrap(text, width, '')}\n${folder}\n\n`;
}

/** The context as if the command had been typed in the sample repository, without the user's own settings. */
function insideOf(folder: string, context: CliContext): CliContext {
  const foreign = Object.entries(context.env).filter(([name]) => !name.startsWith('LOOPWRIGHT_'));
  const env = {
    ...Object.fromEntries(foreign),
    LOOPWRIGHT_HOME: path.join(folder, '.loopwright', 'home'),
  };
  const { home, version } = context;
  const open = (options: OpenOptions = {}): Promise<Opened> =>
    openProjectAt({ cwd: folder, env, home, version, ...options });
  return { ...context, cwd: folder, env, open };
}

/** Tells what the stored facts show, and what to type next. */
async function close(inside: CliContext, folder: string, output: Output): Promise<void> {
  const paint = createPaint(output.hasColour);
  const width = Math.min(output.columns, 100);
  await using opened = await inside.open();
  const loop = await newestLoop(opened);
  if (loop === null) return;
  const patch = await readPatch(opened, loop);
  const commands = [
    [`cd ${shellQuoted(folder)}`, 'the sample repository'],
    ['loopwright loop explain last', 'why it went on, and why it stopped'],
    ['loopwright memory list', 'what later tasks will know'],
    ['loopwright run "something else" --agent command:"CMD"', 'let an agent of yours work in it'],
    ['loopwright init', 'in a repository of your own: set it up'],
  ] as const;
  const commandWidth = Math.max(...commands.map(([line]) => line.length));
  const lines = commands.map(
    ([line, does]) => `  ${line.padEnd(commandWidth)}  ${paint('dim', does)}`,
  );
  output.write(
    [
      '',
      renderStory(loop, width, paint),
      ...(patch === ''
        ? []
        : [
            '',
            `What changed on ${loop.workspace.branch ?? 'the branch'}`,
            renderPatch(patch, paint),
          ]),
      '',
      'Everything was kept; the commands above work there',
      ...lines,
      '',
    ].join('\n'),
  );
}

async function newestLoop({ engine }: Opened): Promise<Loop | null> {
  return engine.store.read(async (tx) => {
    const [row] = await tx.loops.list({ limit: 1 });
    return row === undefined ? null : tx.loops.get(row.id);
  });
}

async function readPatch({ project }: Opened, loop: Loop): Promise<string> {
  const { base } = loop.workspace;
  if (base === null || loop.head === null || base === loop.head) return '';
  const beside = await mkdtemp(path.join(tmpdir(), 'loopwright-demo-patch-'));
  try {
    const file = path.join(beside, 'patch');
    await project.writePatch(base, loop.head, file, AbortSignal.timeout(setupMs));
    return await readFile(file, 'utf8');
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

/** Keeps what a command prints for a program, to add to it. */
class Collected {
  readonly output: Output;
  #text = '';

  constructor(output: Output) {
    const { isTerminal, hasColour, columns } = output;
    this.output = { isTerminal, hasColour, columns, write: (text) => void (this.#text += text) };
  }

  object(): object {
    const value: unknown = JSON.parse(this.#text);
    return typeof value === 'object' && value !== null ? value : {};
  }
}
