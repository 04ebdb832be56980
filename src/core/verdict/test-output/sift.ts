import type { Draft } from './draft.ts';

export type Sifted = { readonly runs: Draft[]; readonly isDoubtful: boolean };

/**
 * Leaves out runs printed inside another runner's run, and bare summaries beside a run that shows more. A failing one
 * that is left out may be the real one, unless it is bare and inside of another: then nothing is called green.
 */
export function realRuns(drafts: readonly Draft[]): Sifted {
  const shown = drafts.filter(isAnchored);
  const anchored = outermost(shown);
  const kept = new Set(anchored);
  const isRedInside = shown.some((draft) => !kept.has(draft) && isRed(draft));
  const bare = drafts.filter((draft) => !draft.anchored);
  if (anchored.length === 0) return framing(outermost(bare.slice(0, maxBare)));
  const outside = bare.slice(0, maxBare).filter((draft) => !isInsideOf(anchored, draft));
  const solid = outermost(outside.filter((draft) => draft.isSolid));
  return {
    runs: [...anchored, ...solid].toSorted((a, b) => a.first - b.first),
    isDoubtful:
      isRedInside ||
      bare.length > maxBare ||
      outside.some((draft) => !draft.isSolid && (isRed(draft) || isAbove(anchored, draft))),
  };
}

const maxBare = 10_000;

/** A run that broke off above another: that may be what one of its tests printed. */
function isAbove(anchored: readonly Draft[], { incomplete, first, isLoose }: Draft): boolean {
  return incomplete && isLoose !== true && first < (anchored.at(-1)?.first ?? 0);
}

/** Without a run that shows more, the runner that speaks last speaks for all: what stands above was printed by a test. */
function framing(bare: readonly Draft[]): Sifted {
  const closing = bare.reduce<Draft | null>(
    (last, draft) => (last !== null && last.last >= draft.last ? last : draft),
    null,
  );
  const isReal = ({ framework, isSolid }: Draft): boolean =>
    isSolid || framework === closing?.framework;
  return {
    runs: bare.filter(isReal),
    isDoubtful: bare.some((draft) => !isReal(draft) && isRed(draft)),
  };
}

function outermost(drafts: readonly Draft[]): Draft[] {
  /** How far down the runs seen so far reach, for each runner. */
  const reach = new Map<string, number>();
  return drafts
    .toSorted((a, b) => a.first - b.first || b.last - a.last)
    .filter((draft) => {
      const isInside = [...reach].some(
        ([name, last]) => name !== draft.framework && draft.last <= last,
      );
      reach.set(draft.framework, Math.max(reach.get(draft.framework) ?? 0, draft.last));
      return !isInside;
    });
}

export function isAnchored({ anchored }: Draft): boolean {
  return anchored;
}

export function isRed({ failed, errors }: Draft): boolean {
  return failed > 0 || errors.length > 0;
}

/** Both ends of the draft lie in runs, which come sorted by their start. */
function isInsideOf(runs: readonly Draft[], { first, last }: Draft): boolean {
  return isLineInside(runs, first) && isLineInside(runs, last);
}

function isLineInside(runs: readonly Draft[], line: number): boolean {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.first ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  // A run that outlasts many that start behind it is rare; some steps back are enough.
  return runs.slice(Math.max(0, low - 20), low).some((run) => run.last >= line);
}
