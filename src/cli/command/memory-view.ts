import type { Learning } from '../../core/memory/learning.ts';
import { maxLearningChars } from '../../core/memory/notes.ts';
import { countChars, headChars } from '../../core/text/code-points.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Argument } from '../command.ts';
import { usageError } from '../input.ts';
import type { Style } from '../render/paint.ts';

/** Takes secrets out. */
type Clean = (text: string) => string;

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

const maxTags = 20;
const maxTagChars = 100;
const maxCategoryChars = 40;

/** What a person wants to be remembered: not empty, and short enough to be shown whole. */
export function checkedContent(text: string, clean: Clean): string {
  const content = clean(plainText(text)).trim();
  if (content === '') throw usageError('a learning needs a text');
  const chars = countChars(content);
  if (chars <= maxLearningChars) return content;
  throw usageError(
    `the text has ${chars} characters, a learning at most ${maxLearningChars}`,
    'agents are shown a learning whole or not at all: say it in one to three sentences, or teach several',
  );
}

/** Null when none were given. */
export function readTags(text: string | null, clean: Clean): readonly string[] | null {
  if (text === null) return null;
  const given = clean(text)
    .split(',')
    .map((tag) => plainText(tag).replaceAll('\n', ' ').trim())
    .filter((tag) => tag !== '');
  const tags = [...new Set(given)];
  if (tags.length > maxTags) throw usageError(`${tags.length} tags are more than ${maxTags}`);
  const long = tags.find((tag) => countChars(tag) > maxTagChars);
  if (long === undefined) return tags;
  throw usageError(`the tag “${headChars(long, 20)}…” is longer than ${maxTagChars} characters`);
}

/** Null when none was given. */
export function readCategory(text: string | null, clean: Clean): string | null {
  if (text === null) return null;
  const category = plainText(clean(text)).replaceAll('\n', ' ').trim();
  if (category === '') throw usageError('the category is empty', 'leave --category out to keep it');
  if (countChars(category) <= maxCategoryChars) return category;
  throw usageError(`the category is longer than ${maxCategoryChars} characters`);
}
