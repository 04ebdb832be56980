import path from 'node:path';
import {
  isEverydayChange,
  isOfAgent,
  readGitTrace,
  traceVariable,
  type TracedCommand,
} from '../core/loop/git-trace.ts';
import type { Loop } from '../core/loop/loop.ts';
import { guardsSurroundings } from '../core/loop/surroundings.ts';
import type { SurroundingChange } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';

/** A trace that is larger is no evidence for anybody. */
const mostBytes = 64 * 1024 * 1024;

export type Attributed = {
  readonly own: readonly SurroundingChange[];
  /** Nothing says that they are the loop's: a person works in their checkout as well. */
  readonly others: readonly SurroundingChange[];
};

/**
 * Makes git tell which commands the agent ran, so that its changes of refs and of the user's checkout can be told from the
 * user's own. Where walls keep the agent out there is nothing to tell apart.
 */
export async function traceEnvironment(
  engine: Engine,
  loop: Loop,
): Promise<Readonly<Record<string, string>>> {
  if (!isTraced(engine, loop)) return {};
  return { [traceVariable]: await traceFile(engine, loop) };
}

export async function beginTrace(engine: Engine, loop: Loop): Promise<void> {
  if (isTraced(engine, loop)) await engine.artifacts.write(await traceFile(engine, loop), '');
}

/**
 * Splits what changed around a workspace by who did it. A trace that explains nothing is emptied; one that does stays until the
 * next iteration, without secrets, as the answer may be asked for again before it is recorded.
 */
export async function attributeChanges(
  engine: Engine,
  loop: Loop,
  changes: readonly SurroundingChange[],
  isBaseMoved: boolean,
): Promise<Attributed> {
  const everyday = changes.filter(isEverydayChange);
  const isSplit =
    everyday.length > 0 && !guardsSurroundings(loop) && !opensRepository(engine, loop);
  const isAgents = isSplit ? await agentsOwn(engine, loop) : () => true;
  if (!isSplit) await beginTrace(engine, loop);
  const base = `refs/heads/${loop.workspace.baseRef ?? ''}`;
  const isOthers = (name: string) => (name === base ? !isBaseMoved : !isAgents(name));
  const others = isSplit ? everyday.filter(({ name }) => isOthers(name)) : [];
  return { own: changes.filter((change) => !others.includes(change)), others };
}

async function agentsOwn(engine: Engine, loop: Loop): Promise<(name: string) => boolean> {
  // Behind walls the repository is read-only.
  if (!isTraced(engine, loop)) return () => false;
  const commands = await agentCommands(engine, loop);
  if (commands === null) return () => true;
  return (name) => isOfAgent(name, commands, engine.project.root);
}

/**
 * What the agent's git did in the last iteration, as far as it tells. Null when somebody has removed the trace, or made it
 * unreadable: that was not the user.
 */
export async function agentCommands(
  engine: Engine,
  loop: Loop,
): Promise<readonly TracedCommand[] | null> {
  const file = await traceFile(engine, loop);
  const text = await engine.artifacts.readTail(file, mostBytes);
  if (text === null || text.length >= mostBytes) return null;
  const cleaned = engine.clean(text);
  if (cleaned !== text) await engine.artifacts.write(file, cleaned);
  return readGitTrace(text);
}

/** Not where walls keep the agent out of the repository. */
export function isTraced(engine: Engine, loop: Loop): boolean {
  const isWalled = loop.settings.sandbox.level === 'bubblewrap' && !opensRepository(engine, loop);
  return !isWalled && engine.project.kind === 'git' && loop.workspace.mode === 'worktree';
}

/** The same file in every iteration: an environment that stays the same can be prepared. */
async function traceFile({ artifacts }: Engine, loop: Loop): Promise<string> {
  return path.join(await artifacts.namedDir(loop.id, 'surroundings'), 'git-trace.jsonl');
}

/** Whether the user has opened a door in the walls that leads to the repository. */
function opensRepository({ project }: Engine, { settings }: Loop): boolean {
  if (settings.sandbox.level !== 'bubblewrap') return false;
  const { root } = project;
  return settings.sandbox.writable.some((folder) => {
    const isInside = path.relative(root, folder).split(path.sep)[0] !== '..';
    const isAround = path.relative(folder, root).split(path.sep)[0] !== '..';
    return !folder.startsWith('~') && (isInside || isAround);
  });
}
