import { proofOf } from '../../core/loop/finishing.ts';
import { plainText } from '../../core/text/terminal.ts';
import { mergeLoop } from '../../engine/merge-loop.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { requiredArgument, wantsJson } from '../input.ts';
import { createPaint } from '../render/paint.ts';
import { resolveFolded, loopArgument } from '../resolve-loop.ts';
import { withSession } from '../session.ts';

export const merge: Command = {
  path: ['merge'],
  summary: 'Bring the branch of a complete loop into its base.',
  details:
    'If the base has moved, the branch is rebased onto it and verified again; then the base is fast-forwarded and the ' +
    'branch removed. On uncommitted changes, a conflict or red checks nothing is changed and the exit code is 2.',
  args: [loopArgument],
  examples: [
    { line: 'loopwright merge last', does: 'Merges the newest loop.' },
    { line: 'loopwright merge loop-1a2b', does: 'Merges that loop.' },
  ],

  async run(input, context) {
    await using opened = await context.open();
    const { engine } = opened;
    const { loop } = await resolveFolded(engine, requiredArgument(input, 'LOOP'));
    const base = loop.workspace.baseRef;
    if (!wantsJson(input) && base !== null) context.err.write(`merging ${loop.id} into ${base}\n`);
    const merged = await withSession(engine, (session) => mergeLoop(engine, session, loop.id));
    const into = merged.mergedInto ?? base ?? '';
    const commit = await engine.project.resolve(`refs/heads/${into}`, AbortSignal.timeout(30_000));
    if (wantsJson(input)) {
      const { id, taskId: task } = merged;
      const proof = proofOf(merged)?.kind ?? null;
      const result = { loop: id, task, into, commit, proof, exitCode: exitCodes.ok };
      context.out.write(`${JSON.stringify(result)}\n`);
      return exitCodes.ok;
    }
    const paint = createPaint(context.out.hasColour);
    const at = commit === null ? '' : ` at ${commit.slice(0, 8)}`;
    const proof = proofOf(merged);
    const shown = proof === null ? '' : ` (${proof.kind}: ${plainText(proof.why)})`;
    context.out.write(`${merged.id} is ${paint('green', 'merged')} into ${into}${at}${shown}\n`);
    return exitCodes.ok;
  },
};
