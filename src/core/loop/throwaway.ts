/** Worktrees that a loop has beside its own for one purpose, such as the checks on the base. */
export type ThrowawayName =
  | 'base'
  | 'clean'
  | 'red'
  | 'judge'
  | 'receipt'
  | 'receipt-base'
  | 'trial';

const names: Readonly<Record<ThrowawayName, true>> = {
  base: true,
  clean: true,
  red: true,
  judge: true,
  receipt: true,
  'receipt-base': true,
  trial: true,
};

/** Stands where a loop's id stands: in the names of folder, registration and branch. */
export function throwawayId(loopId: string, name: ThrowawayName): string {
  return `${loopId}-${name}`;
}

/** The same for the worktree in which a task is split. */
export function decomposeId(taskId: string): string {
  return `decompose-${taskId}`;
}

/** Whose a throwaway worktree is: a loop's, or nobody's that is stored. Null when the name is not of one. */
export function throwawayOwner(id: string): { readonly loopId: string | null } | null {
  if (/^decompose-t-[0-9a-f]{8}$/.test(id)) return { loopId: null };
  const match = /^(loop-[0-9a-z]+)-([a-z-]+)$/.exec(id);
  const [, loopId = '', name = ''] = match ?? [];
  return Object.hasOwn(names, name) ? { loopId } : null;
}

/** An id as every new loop gets one. */
export function isLoopId(text: string): boolean {
  return /^loop-[0-9a-f]{8}$/.test(text);
}
