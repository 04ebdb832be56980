import { countChars, headChars } from '../text/code-points.ts';
import { fence } from '../text/fence.ts';
import { plainText } from '../text/terminal.ts';
import { singleLine } from '../prompt/inline.ts';

/**
 * Foreign text as part of a line that starts with our own words: on one line, and unable to open a heading, a fence
 * or a tag. Inline code stays readable. At most `max` characters and an ellipsis.
 */
export function inertLine(text: string, max: number): string {
  const line = singleLine(plainText(text.slice(0, max * 8)), max);
  return withoutTags(line.replaceAll(/`{3,}/g, "'''").replaceAll(/~{3,}/g, '~~'));
}

/** The same for a line of its own: what would make it a heading, a quote, a rule or an item is escaped. */
export function inertParagraph(text: string, max: number): string {
  const line = inertLine(text, max);
  return /^(?:[#>=~+*_|-]|\d+[.)])/.test(line) ? `\\${line}` : line;
}

/** A word between brackets or parentheses: nothing in it closes them. */
export function inertWord(text: string, max: number): string {
  return inertLine(text.slice(0, max * 8).replaceAll(/[[\]()*`\\<>]/g, ''), max);
}

/** Foreign lines in a fence that they cannot close, with every tag broken. */
export function inertBlock(text: string, max: number): string {
  const whole = plainText(text.slice(0, max * 4));
  const cut = countChars(whole) <= max ? whole : `${headChars(whole, max)}…`;
  return fence(withoutTags(cut.trimEnd()));
}

/** `<` before what could be a tag's name; comparisons and arrows stay as they are. */
function withoutTags(text: string): string {
  return text.replaceAll(/<(?=[A-Za-z/!?])/g, '&lt;');
}
