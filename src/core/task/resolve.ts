import { LoopwrightError } from '../error.ts';
import { nearest } from '../text/nearest.ts';
import { slugOf } from './slug.ts';

export type Candidate = { readonly id: string; readonly title: string; readonly slug: string };

/**
 * The task a person means: exact id, else the only id that starts so, else the only title with that slug. Throws
 * `task.ambiguous` with the candidates, or `task.not_found` with the nearest of `known`.
 */
export function resolveTask<T extends Candidate>(reference: string, known: readonly T[]): T {
  const matches = matchesOf(reference, known);
  const [match, another] = matches;
  if (match === undefined) throw notFound(reference, known);
  if (another !== undefined) throw ambiguous(reference, matches);
  return match;
}

/** All tasks on the best level on which any matches. */
export function matchesOf<T extends Candidate>(
  reference: string,
  known: readonly T[],
): readonly T[] {
  const wanted = reference.trim();
  if (wanted === '') return [];
  const exact = known.filter((task) => task.id === wanted);
  if (exact.length > 0) return exact;
  const prefixed = known.filter((task) => task.id.startsWith(wanted));
  if (prefixed.length > 0) return prefixed;
  const slug = slugOf(wanted);
  return slug === '' ? [] : known.filter((task) => task.slug === slug);
}

const maxCandidates = 10;

function ambiguous(reference: string, matches: readonly Candidate[]): LoopwrightError {
  const shown = matches.slice(0, maxCandidates).map((task) => `  ${task.id}  ${task.title}`);
  const more = matches.length - shown.length;
  if (more > 0) shown.push(`  and ${more} more`);
  return new LoopwrightError(
    'task.ambiguous',
    `“${reference}” may mean ${matches.length} tasks:\n${shown.join('\n')}`,
    {
      hint: 'Write more of the id.',
      details: { reference, candidates: matches.slice(0, 100).map((task) => task.id) },
    },
  );
}

export function notFound(reference: string, known: readonly Candidate[]): LoopwrightError {
  const close = closest(reference, known);
  return new LoopwrightError('task.not_found', `no task is called “${reference}”`, {
    hint:
      close === null
        ? 'List them with: loopwright task list'
        : `Did you mean ${close.id} “${close.title}”?`,
    details: { reference, nearest: close?.id ?? null },
  });
}

function closest(reference: string, known: readonly Candidate[]): Candidate | null {
  const wanted = reference.trim();
  const id = nearest(
    wanted,
    known.map((task) => task.id),
  );
  const slug = nearest(
    slugOf(wanted),
    known.map((task) => task.slug).filter((text) => text !== ''),
  );
  return known.find((task) => task.slug === slug) ?? known.find((task) => task.id === id) ?? null;
}
