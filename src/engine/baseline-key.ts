import { createHash } from 'node:crypto';
import type { Loop } from '../core/loop/loop.ts';

/** Names the verdict on a base: the same tree, judged by the same checks in the same surroundings. */
export function baselineKey(loop: Loop, tree: string): string {
  const { validation, env, verify, workspace, sandbox } = loop.settings;
  const { fixtures, contracts, 'parse-tests': parses, 'clean-room': cleanRoom } = verify;
  const judged = [
    tree,
    validation,
    env,
    parses,
    workspace,
    fixtures,
    contracts.required,
    cleanRoom,
    ...(sandbox.level === 'bubblewrap' ? [sandbox] : []),
  ];
  return createHash('sha256').update(JSON.stringify(judged)).digest('hex');
}
