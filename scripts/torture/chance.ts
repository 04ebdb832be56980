/** Numbers that look random and follow from a seed alone. */
export type Chance = {
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  pick<T>(from: readonly [T, ...(readonly T[])]): T;
  /** True with this probability. */
  is(probability: number): boolean;
  /** Another sequence that follows from this one and a name, whatever was drawn here before. */
  fork(name: string): Chance;
};

export function createChance(seed: string): Chance {
  let state = hash(seed);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    int: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (from) => from[Math.floor(next() * from.length)] ?? from[0],
    is: (probability) => next() < probability,
    fork: (name) => createChance(`${seed}/${name}`),
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return value;
}
