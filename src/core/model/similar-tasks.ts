import { foldCase } from '../text/fold-case.ts';
import type { SimilarTask } from './select-model.ts';

export type ComparedTask = SimilarTask & {
  readonly title: string;
  readonly parentId: string | null;
};

const leastAlike = 0.34;
const maxSimilar = 3;
const fillers = new Set(
  'a an the and or of to in for with on at by from into is are be it'.split(' '),
);

/** Finished tasks whose titles share enough words with this one, the most alike first; at most three. */
export function similarTasks(
  task: { readonly id: string; readonly title: string; readonly parentId: string | null },
  finished: readonly ComparedTask[],
): readonly SimilarTask[] {
  const own = words(task.title);
  return finished
    .filter(({ id }) => id !== task.id)
    .map((other) => ({ other, likeness: likeness(own, words(other.title)) }))
    .filter(({ likeness: value }) => value >= leastAlike)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, maxSimilar)
    .map(({ other: { id, isDone, difficulty, model } }) => ({ id, isDone, difficulty, model }));
}

function words(title: string): ReadonlySet<string> {
  const all = foldCase(title.slice(0, 500)).split(/[^\p{L}\p{M}\p{N}]+/u);
  return new Set(all.filter((word) => word.length > 1 && !fillers.has(word)));
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}
