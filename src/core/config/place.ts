import { formatPath } from './tree.ts';
import type { Path } from './tree.ts';

export const layerNames = ['defaults', 'user', 'project', 'env', 'flags'] as const;
export type LayerName = (typeof layerNames)[number];

/** Where a value was written. `name` is the variable or flag. */
export type Place = {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly name?: string;
};

export type Origin = { readonly layer: LayerName } & Place;

/** Something the user should know that stops nothing. */
export type Warning = { readonly code: string; readonly message: string };

/** `loopwright.yml:3:5: `, `--max-iterations: `, or nothing when the place is not known. */
export function formatPlace({ file, line, column, name }: Place): string {
  if (name !== undefined) return `${name}: `;
  if (file === undefined) return '';
  return line === undefined ? `${file}: ` : `${file}:${line}:${column ?? 1}: `;
}

/** Something wrong with the value at a path. The message is a whole sentence without the place. */
export type Problem = { readonly path: Path; readonly message: string };

export function problemAt(path: Path, message: string): Problem {
  return { path, message: path.length === 0 ? message : `${formatPath(path)}: ${message}` };
}
