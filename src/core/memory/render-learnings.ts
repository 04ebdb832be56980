import { countChars } from '../text/code-points.ts';
import { inertLine, inertWord } from './inert-text.ts';
import { notesLabel } from './label.ts';
import type { InjectedLearning } from './learning.ts';

export type RenderedLearnings = { readonly text: string; readonly shown: readonly string[] };

/** Whole learnings in their order within `room` code points; one that does not fit leaves room for the next. */
export function renderLearnings(
  learnings: readonly InjectedLearning[],
  room: number,
): RenderedLearnings {
  const head = `### Learnings from Previous Iterations\n\n${notesLabel}\n`;
  let text = head;
  let left = room - countChars(head);
  const shown: string[] = [];
  for (const learning of learnings) {
    const item = `\n${renderLearning(learning)}`;
    const chars = countChars(item);
    if (chars > left) continue;
    text += item;
    left -= chars;
    shown.push(learning.id);
  }
  return shown.length === 0 ? { text: '', shown } : { text, shown };
}

function renderLearning({ category, content, status }: InjectedLearning): string {
  const mark = status === 'candidate' ? ' _(unconfirmed)_' : '';
  return `- **[${inertWord(category, 40).replaceAll(' ', '_') || 'other'}]** ${inertLine(content, content.length)}${mark}`;
}
