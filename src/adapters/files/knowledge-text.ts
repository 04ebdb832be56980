import type { KnowledgeFile } from '../../core/memory/knowledge.ts';
import { countChars } from '../../core/text/code-points.ts';
import { escapedName } from '../../core/text/file-name.ts';
import { plainText } from '../../core/text/terminal.ts';
import { splitFrontMatter } from '../template/prompt-file.ts';

const maxMatterChars = 8000;
const maxTags = 50;
const maxTagChars = 100;
const maxTitleChars = 200;

export type ParsedKnowledge = {
  readonly file: KnowledgeFile;
  /** What is wrong with its front matter; the text is used without. */
  readonly fault: string | null;
};

/**
 * A knowledge file: Markdown, with or without front matter. Of that `title` and `tags` are read (a list, or words between
 * commas); other keys are other programs'.
 */
export async function parseKnowledge(path: string, content: string): Promise<ParsedKnowledge> {
  const parts = splitFrontMatter(content);
  if (parts === null) return without(path, content, 'has no closing line of three dashes');
  const { matter, body } = parts;
  if (matter.length > maxMatterChars) return without(path, body, 'is too long');
  const fields = await fieldsOf(matter);
  if (fields === null) return without(path, body, 'is not YAML');
  const file = {
    path,
    title: titleOf(fields) ?? headingOf(body),
    tags: tagsOf(fields),
    text: body,
  };
  return { file, fault: null };
}

function without(path: string, text: string, fault: string): ParsedKnowledge {
  const file = { path, title: headingOf(text), tags: [], text };
  const told = `the front matter of ${escapedName(path)} ${fault}: the file is used without its tags`;
  return { file, fault: told };
}

type Fields = Readonly<Record<string, unknown>>;

/** Null: it cannot be read. */
async function fieldsOf(matter: string): Promise<Fields | null> {
  if (matter.trim() === '') return {};
  const { parseYamlDocument } = await import('./parse-yaml.ts');
  const document = parseYamlDocument(matter);
  if (document.errors.length > 0) return null;
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return isFields(value) ? value : null;
  } catch {
    // Aliases that would grow without end.
    return null;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tagsOf({ tags }: Fields): readonly string[] {
  const given: readonly unknown[] =
    typeof tags === 'string' ? tags.split(',') : Array.isArray(tags) ? tags : [];
  const words = given
    .slice(0, maxTags)
    .filter((tag) => typeof tag === 'string' || typeof tag === 'number')
    .map((tag) => plainText(String(tag)).replaceAll('\n', ' ').trim());
  return [...new Set(words)].filter((tag) => tag !== '' && countChars(tag) <= maxTagChars);
}

function titleOf({ title }: Fields): string | null {
  return typeof title === 'string' ? title.slice(0, maxTitleChars).trim() || null : null;
}

/** The first heading, where it begins the text. */
function headingOf(text: string): string | null {
  const first = text.trimStart().slice(0, maxTitleChars).split('\n', 1)[0] ?? '';
  return first.startsWith('# ') ? first.slice(2).trim() || null : null;
}
