import { foldCase } from '../text/fold-case.ts';
import { countChars } from '../text/code-points.ts';
import type { Learning } from './learning.ts';

/** Learnings that say much the same, and the one that stands for them. */
export type Merge = {
  /** Ids of the originals, oldest first. */
  readonly originals: readonly string[];
  readonly merged: Pick<
    Learning,
    | 'category'
    | 'content'
    | 'tags'
    | 'paths'
    | 'scope'
    | 'signature'
    | 'helpful'
    | 'harmful'
    | 'lastUsedAt'
  >;
};

const leastShared = 0.5;
const maxCluster = 10;
const maxTags = 10;
const maxMergedChars = 600;

/**
 * Clusters learnings of one category that share half of their tags, and merges each cluster: the same input gives
 * the same merges, and no model is asked. Whatever does not fit into one learning stays out of the cluster.
 */
export function mergeLearnings(learnings: readonly Learning[]): readonly Merge[] {
  const ordered = learnings.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  const taken = new Set<string>();
  return ordered.flatMap((seed) => {
    if (taken.has(seed.id) || seed.tags.length === 0) return [];
    const cluster = clusterOf(seed, ordered, taken);
    if (cluster.length < 2) return [];
    for (const { id } of cluster) taken.add(id);
    return [mergeCluster(cluster)];
  });
}

function clusterOf(
  seed: Learning,
  ordered: readonly Learning[],
  taken: ReadonlySet<string>,
): readonly Learning[] {
  const cluster: Learning[] = [];
  const tags = tagSet(seed);
  for (const other of ordered) {
    if (taken.has(other.id) || other.category !== seed.category) continue;
    if (shareOf(tags, tagSet(other)) < leastShared) continue;
    if (countChars(contentOf([...cluster, other])) > maxMergedChars) continue;
    cluster.push(other);
    if (cluster.length === maxCluster) break;
  }
  return cluster;
}

function tagSet({ tags }: Learning): ReadonlySet<string> {
  return new Set(tags.map((tag) => foldCase(tag)));
}

/** Of the larger set. */
function shareOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const larger = Math.max(a.size, b.size);
  return larger === 0 ? 0 : [...a].filter((tag) => b.has(tag)).length / larger;
}

function mergeCluster(cluster: readonly Learning[]): Merge {
  const [first] = cluster;
  const used = cluster.flatMap(({ lastUsedAt }) => lastUsedAt ?? []);
  return {
    originals: cluster.map(({ id }) => id),
    merged: {
      category: first?.category ?? 'other',
      content: contentOf(cluster),
      tags: commonFirst(cluster.flatMap(({ tags }) => tags)).slice(0, maxTags),
      paths: [...new Set(cluster.flatMap(({ paths }) => paths))],
      scope: sameOrNull(cluster.map(({ scope }) => scope)),
      signature: sameOrNull(cluster.map(({ signature }) => signature)),
      helpful: cluster.reduce((sum, { helpful }) => sum + helpful, 0),
      harmful: cluster.reduce((sum, { harmful }) => sum + harmful, 0),
      lastUsedAt: used.length === 0 ? null : Math.max(...used),
    },
  };
}

/** The texts one after the other, the one that helped most first; one that is part of another is left out. */
function contentOf(cluster: readonly Learning[]): string {
  const ranked = cluster.toSorted(
    (a, b) => b.helpful - b.harmful - (a.helpful - a.harmful) || b.createdAt - a.createdAt,
  );
  const texts = [...new Set(ranked.map(({ content }) => content.trim()))];
  const distinct = texts.filter(
    (text) => !texts.some((other) => other !== text && other.includes(text)),
  );
  return distinct.join(' ');
}

/** Each tag once, the most frequent first, then in the order of first use. */
function commonFirst(tags: readonly string[]): readonly string[] {
  const counts = new Map<string, { readonly tag: string; count: number }>();
  for (const tag of tags) {
    const known = counts.get(foldCase(tag));
    if (known === undefined) counts.set(foldCase(tag), { tag, count: 1 });
    else known.count += 1;
  }
  return [...counts.values()].toSorted((a, b) => b.count - a.count).map(({ tag }) => tag);
}

function sameOrNull(values: readonly (string | null)[]): string | null {
  const [first = null] = values;
  return values.every((value) => value === first) ? first : null;
}
