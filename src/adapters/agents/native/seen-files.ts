import type { BigIntStats } from 'node:fs';

type Seen = { readonly path: string; readonly stat: BigIntStats };

/** Which files the model has read or written, as they were then. */
export type SeenFiles = {
  saw(file: Seen): void;
  /** Whether the file is as it was; null when it was never seen. */
  isUnchanged(file: Seen): boolean | null;
};

export function createSeenFiles(): SeenFiles {
  const states = new Map<string, string>();
  return {
    saw: ({ path, stat }) => void states.set(path, stateOf(stat)),
    isUnchanged({ path, stat }) {
      const known = states.get(path);
      return known === undefined ? null : known === stateOf(stat);
    },
  };
}

function stateOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}`;
}
