import { createHash } from 'node:crypto';
import { isLoopwrightError, LoopwrightError } from '../core/error.ts';
import { afterSuperseding } from '../core/memory/import-order.ts';
import type { ImportedLearning } from '../core/memory/import-learnings.ts';
import { maxLearningChars } from '../core/memory/notes.ts';
import { countChars } from '../core/text/code-points.ts';
import { cutAtSentence } from '../core/text/cut-sentence.ts';
import type { NewLearning } from '../ports/memory.ts';
import type { Store } from '../ports/store.ts';

export type ImportResult = {
  readonly added: number;
  readonly unchanged: number;
  /** How many of the file are too long and kept up to a sentence end. */
  readonly cut: number;
  /** False: it was interrupted, and the rest is not added. */
  readonly complete: boolean;
};

export type ImportOptions = {
  readonly now: number;
  /** A copy of this project's own memory: status, votes and origin are taken as they are. */
  readonly restore: boolean;
  /** Ends the import after the learnings under way. */
  readonly signal: AbortSignal;
  readonly redact: (text: string) => string;
  /** Told how many were looked at. */
  readonly progress: (count: number) => void;
};

/** Transactions stay short: other engines wait for them. */
const batch = 200;

/**
 * Adds learnings a person brings. A given id is kept, others follow from what is said; one that is already there is left as
 * it is. So an import can be repeated, also after it was cut short.
 */
export async function importMemory(
  store: Store,
  learnings: readonly ImportedLearning[],
  options: ImportOptions,
): Promise<ImportResult> {
  const all = afterSuperseding(toLearnings(learnings, options));
  const cut = learnings.filter(({ content }) => isTooLong(options.redact(content))).length;
  let added = 0;
  for (let done = 0; done < all.length; done += batch) {
    if (options.signal.aborted) return { added, unchanged: done - added, cut, complete: false };
    const fresh = all.slice(done, done + batch);
    try {
      added += await store.write((tx) => tx.learnings.addMissing(fresh));
    } catch (error) {
      throw partly(error, added, all.length);
    }
    options.progress(Math.min(done + batch, all.length));
    // Signals are heard between turns of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { added, unchanged: learnings.length - added, cut, complete: true };
}

/** What points to another one goes on pointing to it, also when that gets another id. */
function toLearnings(
  learnings: readonly ImportedLearning[],
  options: ImportOptions,
): readonly NewLearning[] {
  const fresh = learnings.map((each) => toLearning(each, options));
  const ids = new Map(learnings.map(({ id }, index) => [id, fresh[index]?.id]));
  return fresh.map((each) => {
    const { supersededBy } = each;
    return supersededBy == null
      ? each
      : { ...each, supersededBy: ids.get(supersededBy) ?? supersededBy };
  });
}

function toLearning(learning: ImportedLearning, options: ImportOptions): NewLearning {
  const { now, restore, redact } = options;
  const { id, createdAt } = learning;
  // What was replaced there comes without what replaced it, unless all of it comes back.
  const isReplaced = !restore && learning.past.supersededBy !== null;
  const past = isReplaced ? { ...learning.past, status: 'pruned' as const } : learning.past;
  const category = redact(learning.category);
  const content = redact(learning.content);
  // Another project's votes say nothing here, but what was taken out of use there stays out.
  const isOut = past.status === 'demoted' || past.status === 'pruned';
  const status = restore || isOut ? past.status : 'candidate';
  const prunedAt = status === 'pruned' ? (past.prunedAt ?? now) : null;
  return {
    ...(restore ? past : { origin: 'import', byHand: isOut && past.byHand }),
    status,
    prunedAt,
    id: id !== null && !holdsSecret(id, redact) ? id : idOf(category, content),
    category,
    content: cutAtSentence(content, maxLearningChars),
    tags: learning.tags.map(redact),
    paths: learning.paths.map(redact),
    createdAt: Math.min(createdAt ?? now, now),
  };
}

function isTooLong(content: string): boolean {
  return countChars(content) > maxLearningChars;
}

/** A secret begins at the start or after a mark. */
function holdsSecret(id: string, redact: ImportOptions['redact']): boolean {
  const ends = id.split(/(?<=[-.:])/).map((_, at, parts) => parts.slice(at).join(''));
  return ends.some((end) => redact(end) !== end);
}

/** The same words always get the same id, and different ones never: that is what makes a second import harmless. */
function idOf(category: string, content: string): string {
  const hash = createHash('sha256').update(JSON.stringify([category, content]));
  return `l-${hash.digest('hex').slice(0, 16)}`;
}

function partly(error: unknown, added: number, all: number): unknown {
  if (added === 0 || !isLoopwrightError(error)) return error;
  const { code, message } = error;
  return new LoopwrightError(code, `${message}; ${added} of ${all} learnings were added before`, {
    hint: 'run the same import again: what is there already is left as it is',
    cause: error,
  });
}
