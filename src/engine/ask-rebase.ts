import { LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';
import { sendMessage } from './send-message.ts';

/**
 * Asks a loop to put its commits on the base as it is now. Stored as a message: the loop does it before its next iteration, a
 * loop that rests when it is resumed.
 */
export async function askRebase(engine: Engine, loop: Loop): Promise<void> {
  const { id, status, workspace, options } = loop;
  if (status === 'complete') {
    throw new LoopwrightError('loop.complete', `${id} is complete: it has no further iteration`, {
      hint: `\`loopwright merge ${id}\` puts its commits on the base`,
    });
  }
  if (workspace.mode !== 'worktree' || workspace.baseRef === null || !options.commit) {
    throw new LoopwrightError('loop.no_worktree', `${id} has no branch of its own to rebase`, {
      hint: 'a loop with `--in-place`, with `--no-commit` or outside git works on the files as they are',
    });
  }
  await sendMessage(engine, { kind: 'rebase', sender: null, to: id, body: '' });
}
