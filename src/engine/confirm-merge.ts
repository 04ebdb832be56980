import { confirmStateOf, earnedProof } from '../core/loop/confirming.ts';
import type { Loop } from '../core/loop/loop.ts';
import { matchesAny } from '../core/text/glob.ts';
import { confirm } from './confirm.ts';
import type { Engine } from './engine.ts';

/** A loop and the head of its own work. */
type Part = { readonly loop: Loop; readonly head: string };

export function isConfirmable(loop: Loop): boolean {
  return confirmStateOf(loop).kind !== 'off';
}

/**
 * Whether the checks of a loop pass on a stack of loops, in clean checkouts and with the judge of the commit that the stack is put
 * upon. Changes to the judge that were accepted for one of its loops stay accepted while they are the same.
 */
export async function isStackConfirmed(
  engine: Engine,
  loop: Loop,
  parts: readonly Part[],
  { from, to }: { readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<boolean> {
  const accepted = new Map<string, string | null>();
  for (const part of parts) {
    for (const [path, content] of await acceptedOf(engine, part, signal)) {
      accepted.set(path, content);
    }
  }
  const state = loop.baseline?.state ?? 'green';
  const wish = { base: from, commit: to, baseline: { state, report: null }, accepted };
  const confirmation = await confirm(engine, loop, { ...wish, name: 'merge' }, signal);
  signal.throwIfAborted();
  return confirmation?.verdict === 'confirmed';
}

/** Files of the judge that a loop may bring in as they are: somebody said so, or its completion says so openly. */
async function acceptedOf(
  { project }: Engine,
  { loop, head }: Part,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string | null>> {
  const { confirmation, liftedBy } = earnedProof(loop);
  const { base } = loop.workspace;
  const { allow } = loop.settings.verify;
  const lifted = liftedBy === null ? [] : (confirmation?.changes ?? []);
  if (base === null || (lifted.length === 0 && allow.length === 0)) return new Map();
  const paths = new Set(lifted.map(({ path }) => path));
  const differing = await project.differing(base, head, signal);
  const isAccepted = (path: string) => paths.has(path) || matchesAny(path, allow);
  return new Map(
    differing.filter(({ path }) => isAccepted(path)).map(({ path, after }) => [path, after]),
  );
}
