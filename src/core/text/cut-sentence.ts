import { countChars, headChars } from './code-points.ts';

/** Says that a text was cut, in the words of the prompt. */
export const truncatedMark = '_(truncated)_';

/** An end before this share of the room loses most of the text: behind the number of a list, before one endless word. */
const leastShare = 0.5;
/** Read behind the room to find where the sentence, word or letter at its end stops. */
const lookahead = 200;

/**
 * The text within `max` code points: whole, else up to its last sentence end, in any script, with a mark behind. Where that
 * would lose most of it, it is cut between words, and where that would too, between letters with their marks.
 */
export function cutAtSentence(text: string, max: number): string {
  if (countChars(text) <= max) return text;
  const room = max - countChars(truncatedMark) - 1;
  const seen = headChars(text, room + lookahead);
  const fits = headChars(seen, room).length;
  const sentences = lastEnd(seen, 'sentence', fits);
  const end = sentences >= fits * leastShare ? sentences : wordEnd(seen, fits);
  return `${seen.slice(0, end).trimEnd()} ${truncatedMark}`;
}

function wordEnd(text: string, fits: number): number {
  const words = lastEnd(text, 'word', fits);
  return words >= fits * leastShare ? words : lastEnd(text, 'grapheme', fits);
}

/** Where the last whole segment within `fits` code units ends. */
function lastEnd(
  text: string,
  granularity: 'sentence' | 'word' | 'grapheme',
  fits: number,
): number {
  let end = 0;
  for (const { index, segment } of new Intl.Segmenter('en', { granularity }).segment(text)) {
    if (index + segment.trimEnd().length > fits) break;
    end = Math.min(index + segment.length, fits);
  }
  return end;
}
