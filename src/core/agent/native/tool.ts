/** The tools of the native agent, and what they mean for its turns. */
export const toolNames = [
  'read',
  'write',
  'edit',
  'list',
  'glob',
  'grep',
  'bash',
  'tree',
  'todo',
  'query',
  'share',
  'explore',
  'complete_task',
] as const;

export type ToolName = (typeof toolNames)[number];

/** What the explore sub-agent works with. */
export const readingTools = ['read', 'list', 'glob', 'grep', 'tree'] as const satisfies ToolName[];

export const defaultTools: readonly ToolName[] = [...toolNames];

/** Need an engine that answers. */
export const talkingTools: readonly ToolName[] = ['query', 'share'];

const exploring: readonly string[] = [...readingTools, 'explore'];
const editing: readonly string[] = ['write', 'edit'];

/** Looks at the worktree and changes nothing: may run beside others of its kind. */
export function isExploring(name: string): boolean {
  return exploring.includes(name);
}

export function isEditing(name: string): boolean {
  return editing.includes(name);
}

/** Calls of one turn in the order they run: those that only read together, every other alone. */
export function batchesOf<C extends { readonly name: string }>(
  calls: readonly C[],
  atOnce: number,
): readonly (readonly C[])[] {
  const batches: C[][] = [];
  let open: C[] | null = null;
  for (const call of calls) {
    const joins = isExploring(call.name) && open !== null && open.length < atOnce;
    if (joins && open !== null) {
      open.push(call);
      continue;
    }
    const batch = [call];
    batches.push(batch);
    open = isExploring(call.name) ? batch : null;
  }
  return batches;
}
