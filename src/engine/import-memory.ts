import type { ImportedLearning } from '../core/memory/import-learnings.ts';
import type { Ids } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

export type ImportResult = { readonly added: number; readonly unchanged: number };

/** Transactions stay short: other engines wait for them. */
const batch = 200;

/**
 * Adds learnings a person brings. A given id is kept; one that is already there is left as it is, so that an import
 * can be repeated, also after it was cut short.
 */
export async function importMemory(
  store: Store,
  learnings: readonly ImportedLearning[],
  context: { readonly ids: Ids; readonly now: number; redact(text: string): string },
): Promise<ImportResult> {
  let added = 0;
  for (let i = 0; i < learnings.length; i += batch) {
    const part = learnings.slice(i, i + batch);
    const fresh = part.map(({ id, createdAt, category, content, tags, paths }) => ({
      id: id ?? context.ids.learning(),
      category: context.redact(category),
      content: context.redact(content),
      tags: tags.map((tag) => context.redact(tag)),
      paths: paths.map((each) => context.redact(each)),
      createdAt: createdAt ?? context.now,
      origin: 'import' as const,
    }));
    added += await store.write((tx) => tx.learnings.addMissing(fresh));
  }
  return { added, unchanged: learnings.length - added };
}
