import * as fc from 'fast-check';
import { descriptionOf } from '../../../src/core/task/import-plan.ts';
import type { Edge } from '../../../src/core/graph/cycle.ts';
import { priorities, type Task } from '../../../src/core/task/task.ts';
import { titleOf } from '../../../src/core/task/slug.ts';
import { storedTask } from './stored-task.ts';

/** Lines that could be mistaken for structure. */
const trap = fc.constantFrom(
  '- [ ] box',
  '  * [x] deep box',
  '\\- [ ] escaped',
  '\\\\1. [ ] twice',
  '```',
  '````md',
  '~~~',
  '\\```',
  '# heading',
  '---',
  '- item',
  '\ttabbed',
  '    code',
  '',
  '   ',
  '(after: x)',
);

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const description = fc
  .array(fc.oneof(trap, text), { maxLength: 6 })
  .map((lines) => descriptionOf(lines.join('\n')));

const title = fc
  .oneof(
    text,
    fc.constantFrom('Tests', 'Docs', 'tests!', '!!!', '???', '[ ] x', '- [x] y', 'a/b'),
    fc.constantFrom('A (after: b)', 'B \\(after: b)', 'C (priority: high)', 'D \\\\(AFTER:)'),
  )
  .map((words) => titleOf(words) || 'untitled');

export type Forest = { readonly tasks: readonly Task[]; readonly edges: readonly Edge[] };

/** Trees with dependencies on earlier tasks only, never within one line of descent. Ids are in creation order. */
export const forest: fc.Arbitrary<Forest> = fc
  .array(
    fc.record({
      title,
      description,
      parent: fc.option(fc.nat({ max: 9 }), { freq: 2 }),
      after: fc.array(fc.nat({ max: 9 }), { maxLength: 2 }),
      priority: fc.constantFrom(...priorities),
      done: fc.boolean(),
      validation: fc.option(fc.constant('npm test')),
      maxRetries: fc.nat({ max: 3 }),
      type: fc.option(fc.constant('plan')),
    }),
    { minLength: 1, maxLength: 10 },
  )
  .map((drafts) => {
    const tasks = drafts.map((draft, index) =>
      storedTask({
        id: idAt(index),
        title: draft.title,
        description: draft.description,
        parentId: draft.parent !== null && draft.parent < index ? idAt(draft.parent) : null,
        priority: draft.priority,
        status: draft.done ? 'done' : 'pending',
        validation: draft.validation,
        maxRetries: draft.maxRetries,
        type: draft.type,
      }),
    );
    const edges = drafts.flatMap((draft, index) =>
      [...new Set(draft.after)]
        .filter((target) => target < index && !related(tasks, idAt(index), idAt(target)))
        .map((target) => ({ taskId: idAt(index), dependsOn: idAt(target) })),
    );
    return { tasks, edges: acyclic(tasks, edges) };
  });

function idAt(index: number): string {
  return `t-${String(index).padStart(8, '0')}`;
}

function related(tasks: readonly Task[], a: string, b: string): boolean {
  return lineOf(tasks, a).includes(b) || lineOf(tasks, b).includes(a);
}

function lineOf(tasks: readonly Task[], id: string): readonly string[] {
  const parent = tasks.find((task) => task.id === id)?.parentId ?? null;
  return parent === null ? [] : [parent, ...lineOf(tasks, parent)];
}

/** Children of different parents could still make parents wait for each other; edges between roots' trees go one way. */
function acyclic(tasks: readonly Task[], edges: readonly Edge[]): readonly Edge[] {
  const root = (id: string): string => lineOf(tasks, id).at(-1) ?? id;
  return edges.filter(({ taskId, dependsOn }) => {
    const [from, to] = [root(taskId), root(dependsOn)];
    return from === to
      ? tasks.find(({ id }) => id === taskId)?.parentId ===
          tasks.find(({ id }) => id === dependsOn)?.parentId
      : from > to;
  });
}
