import { scalarTable } from './scalar-table.ts';

export const scalarTypes = ['text', 'number', 'boolean', 'duration', 'bytes', 'choice'] as const;
export type ScalarType = (typeof scalarTypes)[number];

/** A key whose value is one word or number, so that a variable or a flag can set it. */
export type Scalar = {
  readonly path: readonly string[];
  readonly type: ScalarType;
  /** The valid words of a `choice`; empty otherwise. */
  readonly choices: readonly string[];
  readonly description: string;
};

/** Every scalar of the schema, in its order. Keys that users invent, and lists, have none. */
export function scalars(): readonly Scalar[] {
  return scalarTable;
}

const words = new Map([
  ['true', true],
  ['on', true],
  ['false', false],
  ['off', false],
]);

/**
 * The value that a variable or flag means. What cannot be read stays text, and the schema then says what was
 * expected: the text "false" never becomes true.
 */
export function readScalar(type: ScalarType, text: string): string | number | boolean {
  if (type === 'boolean') return words.get(text) ?? text;
  if (type === 'number') return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : text;
  return (type === 'duration' || type === 'bytes') && text === '0' ? 0 : text;
}
