/** What may point to another one by its id. */
type Pointing = { readonly id: string; readonly supersededBy?: string | null | undefined };

/** In an order in which each comes after what it points to; of a circle one comes before. Otherwise as given. */
export function afterSuperseding<T extends Pointing>(items: readonly T[]): readonly T[] {
  const byId = new Map(items.map((item) => [item.id, item]));
  const placed = new Set<T>();
  for (const item of items) {
    const chain: T[] = [];
    const seen = new Set<T>();
    for (
      let next: T | undefined = item;
      next !== undefined;
      next = byId.get(next.supersededBy ?? '')
    ) {
      if (placed.has(next) || seen.has(next)) break;
      seen.add(next);
      chain.push(next);
    }
    for (const each of chain.toReversed()) placed.add(each);
  }
  return [...placed];
}
