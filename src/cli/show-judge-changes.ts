import path from 'node:path';
import type { Loop } from '../core/loop/loop.ts';
import { changeText } from '../core/verdict/confirmation.ts';
import { plainText } from '../core/text/terminal.ts';
import { askedChanges } from '../engine/allow-judge.ts';
import type { Engine } from '../engine/engine.ts';
import type { CliContext } from './context.ts';

const shownBytes = 64 * 1024;
const shownLines = 200;

/** Before a person says yes to them: what a loop changed of its judge, with the diff. Nothing when that is not the question. */
export async function showJudgeChanges(
  { err }: CliContext,
  engine: Engine,
  loop: Loop,
): Promise<void> {
  const { project, artifacts } = engine;
  const asked = await askedChanges(engine, loop, AbortSignal.timeout(60_000));
  if (asked === null) return;
  const { base, commit, changes, why } = asked;
  err.write(`${plainText(why)}\n`);
  for (const change of changes) err.write(`  ${plainText(changeText(change))}\n`);
  const dir = await artifacts.namedDir(loop.id, 'judge');
  const file = path.join(dir, 'changes.patch');
  // What overpowers its judge is in the product: then all of it is shown.
  const paths = changes.length === 0 ? undefined : changes.map((change) => change.path);
  await project.writePatch(base, commit, file, AbortSignal.timeout(60_000), paths);
  const lines = plainText((await artifacts.readTail(file, shownBytes)) ?? '').split('\n');
  err.write(`${lines.slice(0, shownLines).join('\n')}\n`);
  if (lines.length > shownLines)
    err.write(`... ${lines.length - shownLines} more lines in ${file}\n`);
}
