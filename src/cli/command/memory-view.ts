import type { Learning } from '../../core/memory/learning.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Argument } from '../command.ts';
import { usageError } from '../input.ts';
import type { Style } from '../render/paint.ts';

export const learningArgument: Argument = {
  name: 'LEARNING',
  summary: 'The id of a learning, or its beginning.',
  required: true,
};

export function statusStyleOf({ status }: Pick<Learning, 'status'>): Style {
  switch (status) {
    case 'active':
      return 'green';
    case 'candidate':
      return 'yellow';
    case 'demoted':
      return 'red';
    case 'pruned':
      return 'dim';
  }
}

const maxContent = 4000;

/** What a person wants to be remembered: not empty, and short enough to be read. */
export function checkedContent(text: string, clean: (text: string) => string): string {
  const content = clean(plainText(text)).trim();
  if (content === '') throw usageError('a learning needs a text');
  if (content.length <= maxContent) return content;
  throw usageError(`the text has ${content.length} characters, more than ${maxContent}`);
}

export function readTags(text: string | null): readonly string[] | null {
  if (text === null) return null;
  const tags = text
    .split(',')
    .map((tag) => plainText(tag).trim())
    .filter((tag) => tag !== '');
  return [...new Set(tags)];
}
