import { judgeBaseMove } from '../core/loop/base-move.ts';
import type { BaseMoveRecord } from '../core/loop/event.ts';
import type { Iteration, Loop } from '../core/loop/loop.ts';
import { isOwnMove, logOf } from '../core/loop/surroundings.ts';
import type { Surroundings } from '../ports/workspace.ts';
import { agentCommands, isTraced } from './agent-git-trace.ts';
import type { Engine } from './engine.ts';
import { readOwnMoves } from './own-moves.ts';

export type BaseLook = { readonly iteration: Iteration; readonly before: Surroundings };

/** How often a branch is looked at that moves meanwhile. */
const tries = 5;

/**
 * Who moved the base branch of a loop since its agent started. Null: nobody did, or a merge of ours, or a person, as far as
 * records tell. Only looks.
 */
export async function lookAtBase(
  engine: Engine,
  loop: Loop,
  { iteration, before: { items } }: BaseLook,
  signal: AbortSignal,
): Promise<BaseMoveRecord | null> {
  const { baseRef: branch, branch: ownBranch, base, mode } = loop.workspace;
  const ref = `refs/heads/${branch ?? ''}`;
  const from = items.get(ref);
  if (branch === null || mode !== 'worktree' || from === undefined) return null;
  if (!isTraced(engine, loop)) return null;
  const { now, log } = await settledLog(engine, branch, signal);
  if (now === null || now === from) return null;
  const { moves: own } = await readOwnMoves(engine, iteration.startedAt);
  if (isOwnMove({ name: ref, before: from, after: now }, own)) return null;
  const verdict = judgeBaseMove({
    ref,
    before: from,
    after: now,
    log,
    wasLogged: items.has(logOf(ref)),
    commands: await agentCommands(engine, loop),
    worktree: loop.workspace.path,
    own,
  });
  const move = { branch, from, to: now };
  if (verdict.by === 'agent') {
    return { ...move, back: verdict.back, why: "the agent's own git did that" };
  }
  if (verdict.by === 'unknown') return { ...move, back: null, why: verdict.why };
  const than = [from, ...(base === null ? [] : [base])];
  const commits = { commit: now, than, branch: ownBranch ?? '' };
  const isOwnWork = await engine.project.bringsWorkOf(commits, signal);
  return isOwnWork ? { ...move, back: null, why: 'it has commits of this loop now' } : null;
}

/** A branch and its record, as they are at one moment. */
async function settledLog({ project }: Engine, branch: string, signal: AbortSignal) {
  const look = () => project.resolve(`refs/heads/${branch}`, signal);
  let now = await look();
  for (let attempt = 1; ; attempt++) {
    const log = await project.branchLog(branch, signal);
    const later = await look();
    if (later === now || attempt === tries) return { now: later, log };
    now = later;
  }
}
