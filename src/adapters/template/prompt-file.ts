import { z } from 'zod';
import { lazy } from '../../core/lazy.ts';
import { LoopwrightError } from '../../core/error.ts';
import { suggestion } from './scan.ts';

const FrontMatter = lazy(() =>
  z.strictObject({
    name: z.string().min(1).optional(),
    version: z.union([z.string(), z.number()]).transform(String).optional(),
    /** Variables that must have a value. */
    required: z.array(z.string().min(1)).default([]),
    /** Values of variables that would be empty or absent. */
    defaults: z.record(z.string(), z.unknown()).default({}),
  }),
);

export type PromptFile = {
  readonly name: string | null;
  readonly version: string | null;
  readonly required: readonly string[];
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly template: string;
};

/** A prompt file: a template, with or without YAML front matter between two lines of three dashes. */
export async function parsePromptFile(text: string, source: string): Promise<PromptFile> {
  const parts = splitFrontMatter(text);
  if (parts === null) {
    throw broken(source, 'the front matter has no closing line of three dashes');
  }
  const { matter, body } = parts;
  const { name, version, required, defaults } = await parseFrontMatter(matter, source);
  return { name: name ?? null, version: version ?? null, required, defaults, template: body };
}

/**
 * What stands between the two lines of dashes at the top of a file, empty when there are none, and what follows. Null when
 * the second line is missing.
 */
export function splitFrontMatter(text: string): { matter: string; body: string } | null {
  const content = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  if (!content.startsWith('---\n')) return { matter: '', body: content };
  const end = closingLine(content);
  if (end === null) return null;
  return { matter: content.slice(4, end.start), body: content.slice(end.after) };
}

function closingLine(content: string): { start: number; after: number } | null {
  let start = 4;
  while (start < content.length) {
    const newline = content.indexOf('\n', start);
    const end = newline < 0 ? content.length : newline;
    if (content.slice(start, end).trimEnd() === '---') {
      return { start, after: Math.min(content.length, end + 1) };
    }
    start = end + 1;
  }
  return null;
}

async function parseFrontMatter(
  text: string,
  source: string,
): Promise<z.infer<ReturnType<typeof FrontMatter>>> {
  if (text === '') return { required: [], defaults: {} };
  const { parseYamlDocument } = await import('../files/parse-yaml.ts');
  const document = parseYamlDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw broken(source, error.message, error);
  const result = FrontMatter().safeParse(document.toJS() ?? {});
  if (result.success) return result.data;
  const unknown = result.error.issues.find((issue) => issue.code === 'unrecognized_keys')?.keys[0];
  if (unknown === undefined) throw broken(source, z.prettifyError(result.error), result.error);
  const keys = Object.keys(FrontMatter().shape);
  throw broken(
    source,
    `unknown key "${unknown}" in the front matter. ${suggestion(unknown, keys)}`,
  );
}

function broken(source: string, problem: string, cause?: unknown): LoopwrightError {
  return new LoopwrightError('prompt.file', `Prompt file ${source}: ${problem}`, {
    hint: 'Front matter takes name, version, required (a list of variables) and defaults.',
    ...(cause === undefined ? {} : { cause }),
  });
}
