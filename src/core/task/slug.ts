import { headChars } from '../text/code-points.ts';

const maxSlugLength = 80;

/** The title as one word of letters, digits and hyphens: `Parse “A, B”!` is `parse-a-b`. May be empty. */
export function slugOf(title: string): string {
  const words = title
    .slice(0, 4 * maxSlugLength)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  return cutAtWord(words);
}

function cutAtWord(words: readonly string[]): string {
  let slug = '';
  for (const word of words) {
    const longer = slug === '' ? word : `${slug}-${word}`;
    if (longer.length > maxSlugLength) break;
    slug = longer;
  }
  return slug === '' ? headChars(words[0] ?? '', maxSlugLength) : slug;
}

/** Titles are one line. */
export function titleOf(text: string): string {
  return text
    .split(/\s+/u)
    .filter((word) => word !== '')
    .join(' ');
}
