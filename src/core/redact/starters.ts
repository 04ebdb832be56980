/** Finds where a secret may begin: by its first three bytes, two bytes at a step. */
import type { Shape } from './shape.ts';
import { isWordStart, type Text } from './word-start.ts';

/** What begins with the same three bytes. */
export type Starter = {
  readonly forms: Uint8Array[];
  readonly shapes: Shape[];
  /** Something among them may begin in the middle of a word. */
  isAnywhere: boolean;
};

export type Starters = {
  /** The first place at or after `from` where something may begin, most shapes only with a word; -1 when there is none. */
  next(text: Text, from: number): number;
  /** What may begin there. */
  at(data: Uint8Array, index: number): Starter | undefined;
  /** The first place, among the last two bytes, where something may begin that is cut off; else the end. */
  firstUnfinished(data: Uint8Array): number;
};

export function createStarters(forms: readonly Uint8Array[], shapes: readonly Shape[]): Starters {
  const byStart = new Map<number, Starter>();
  const firsts = new Uint8Array(256);
  const firstPairs = new Uint8Array(65_536);
  /** Three bytes cover a whole pair at an even place, be it their first two or their last two. */
  const pairs = new Uint8Array(65_536);

  function starterOf(start: Uint8Array): Starter {
    const [first = 0, second = 0, third = 0] = start;
    firsts[first] = 1;
    firstPairs[(first << 8) | second] = 1;
    pairs[(first << 8) | second] = 1;
    pairs[(second << 8) | third] = 1;
    const key = (first << 16) | (second << 8) | third;
    const starter = byStart.get(key) ?? { forms: [], shapes: [], isAnywhere: false };
    byStart.set(key, starter);
    return starter;
  }

  for (const form of forms) {
    const starter = starterOf(form);
    starter.forms.push(form);
    starter.isAnywhere = true;
  }
  for (const shape of shapes) {
    const starter = starterOf(shape.prefix);
    starter.shapes.push(shape);
    starter.isAnywhere ||= shape.isAnywhere;
  }

  return {
    at: (data, index) =>
      byStart.get(
        ((data[index] ?? 0) << 16) | ((data[index + 1] ?? 0) << 8) | (data[index + 2] ?? 0),
      ),
    next(text, from) {
      const { data } = text;
      const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
      const isHopeful = (key: number, index: number): boolean => {
        const starter = byStart.get(key);
        if (starter === undefined) return false;
        return starter.isAnywhere || isWordStart(text, index);
      };
      const last = data.length - 3;
      for (let i = from + (from & 1); i <= last + 1; i += 2) {
        const pair = view.getUint16(i);
        if (pairs[pair] === 0) continue;
        if (i > from && isHopeful((view.getUint8(i - 1) << 16) | pair, i - 1)) return i - 1;
        if (i <= last && isHopeful((pair << 8) | view.getUint8(i + 2), i)) return i;
      }
      return -1;
    },
    firstUnfinished(data) {
      const end = data.length;
      const pair = ((data[end - 2] ?? 0) << 8) | (data[end - 1] ?? 0);
      if (end > 1 && firstPairs[pair] === 1) return end - 2;
      return end > 0 && firsts[data[end - 1] ?? 0] === 1 ? end - 1 : end;
    },
  };
}
