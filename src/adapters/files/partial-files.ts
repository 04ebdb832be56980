import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { refuse } from '../../core/config/layers.ts';
import { Name } from '../../core/config/value.ts';
import { LoopwrightError } from '../../core/error.ts';
import { builtInPartials } from '../../core/loop-type/templates.ts';
import type { Partials } from '../../core/prompt/partials.ts';
import { splitFrontMatter } from '../template/prompt-file.ts';
import { configHome, type HomeInput } from './config-home.ts';
import { readBounded } from './config-yaml.ts';

export type PartialInput = HomeInput & {
  /** The user's checkout, never a worktree; null outside any project. */
  readonly projectRoot: string | null;
};

const maxFiles = 500;
const extension = /\.(?:md|hbs|txt)$/;

/**
 * The partials that templates may use: built-in ones, those of the user's folder, those of the project's, weakest first. One per
 * file of `prompts`, named after it; front matter belongs to the file and not to the prompt.
 */
export async function loadPartials(input: PartialInput): Promise<Partials> {
  const { projectRoot } = input;
  const user = await readFolder(path.join(configHome(input), 'prompts'), null);
  const project =
    projectRoot === null
      ? {}
      : await readFolder(path.join(projectRoot, 'loopwright', 'prompts'), projectRoot);
  return { ...builtInPartials, ...user, ...project };
}

async function readFolder(folder: string, project: string | null): Promise<Partials> {
  const show = (file: string) => (project === null ? file : path.relative(project, file));
  const files = (await namesIn(folder, show)).filter((name) => extension.test(name)).toSorted();
  if (files.length > maxFiles) refuse([`${show(folder)}: more than ${maxFiles} prompt files`]);
  const partials: Record<string, string> = {};
  for (const each of files) {
    const file = path.join(folder, each);
    const name = each.replace(extension, '');
    if (!Name().safeParse(name).success)
      refuse([`${show(file)}: \`${name}\` is not a name for a partial`]);
    if (Object.hasOwn(partials, name))
      refuse([`${show(file)}: partial \`${name}\` is written twice`]);
    const read = await readBounded(file, show(file), project);
    if (read !== null) partials[name] = bodyOf(read.text, show(file));
  }
  return partials;
}

function bodyOf(text: string, shown: string): string {
  const parts = splitFrontMatter(text);
  if (parts !== null) return parts.body;
  throw new LoopwrightError(
    'prompt.file',
    `Prompt file ${shown}: the front matter has no closing line of three dashes`,
    { hint: 'Close it with a line of three dashes.' },
  );
}

async function namesIn(folder: string, show: (file: string) => string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') return [];
    throw new LoopwrightError('config.unreadable', `cannot read ${show(folder)}: ${String(code)}`, {
      hint: 'It must be a readable folder of prompt files.',
      cause: error,
    });
  }
}
