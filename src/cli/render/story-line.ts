import { singleLine } from '../../core/prompt/inline.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Paint, Style } from './paint.ts';
import { cutToWidth } from './width.ts';
import { wrap } from './wrap.ts';

/** One line of what a loop does, for people. Its text is one line without control characters. */
export type StoryLine = {
  /** A short word in front; null: a heading. */
  readonly label: string | null;
  readonly text: string;
  readonly style: Style | null;
  /** Part of the line above. */
  readonly isDetail: boolean;
  /** Only for those who asked to see more. */
  readonly isVerbose: boolean;
  /** Cut to the width rather than wrapped. */
  readonly isCut: boolean;
  /** The label is a mark of one column. */
  readonly isMark?: boolean;
  /** Stays behind a text that is cut. */
  readonly tail?: string;
};

const maxChars = 400;

/** A labelled line. */
export function line(label: string, text: string, style: Style | null = null): StoryLine {
  return { label, text: oneLine(text), style, isDetail: false, isVerbose: false, isCut: false };
}

/** A heading with an empty line before it. */
export function heading(text: string): StoryLine {
  return { ...line('', text, 'bold'), label: null };
}

/** A line under the one before. */
export function detail(text: string, style: Style | null = 'dim'): StoryLine {
  return { ...line('', text, style), isDetail: true, isCut: true };
}

export function verbose(label: string, text: string): StoryLine {
  return { ...line(label, text, 'dim'), isVerbose: true };
}

/** Foreign text as one harmless line. */
export function oneLine(text: string, max: number = maxChars): string {
  return singleLine(plainText(text.slice(0, max * 4)), max);
}

const labelWidth = 11;

/** `columns` null: no terminal, so nothing is wrapped and only what may be long is cut. */
export function renderLine(story: StoryLine, columns: number | null, paint: Paint): string {
  const { label, text, style } = story;
  if (label === null) {
    const shown = columns === null ? text : cutToWidth(text, columns);
    return style === null ? shown : paint(style, shown);
  }
  const indent = story.isDetail ? ' '.repeat(labelWidth + 4) : '';
  const width = story.isMark === true ? 2 : labelWidth;
  const start = story.isDetail ? indent : `  ${label.padEnd(width)}`;
  const body = renderBody(story, columns, start.length);
  const painted =
    style === null
      ? body
      : body
          .split('\n')
          .map((each) => paint(style, each))
          .join('\n');
  const hanging = painted.replaceAll('\n', `\n${' '.repeat(start.length)}`);
  return story.isDetail ? `${start}${hanging}` : `${paint('dim', start)}${hanging}`;
}

function renderBody(story: StoryLine, columns: number | null, used: number): string {
  const { text, isCut, tail = '' } = story;
  const behind = tail === '' ? '' : ` · ${tail}`;
  if (columns === null) return isCut ? cutToWidth(text, 160) + behind : text + behind;
  const room = Math.max(20, columns - used);
  if (!isCut) return wrap(text + behind, room, '');
  const left = room - behind.length;
  return left < 20 ? cutToWidth(text, room) : cutToWidth(text, left) + behind;
}
