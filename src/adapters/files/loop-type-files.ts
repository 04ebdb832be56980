import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { refuse } from '../../core/config/layers.ts';
import { layerNode, placeOf } from '../../core/config/merge.ts';
import type { Layer } from '../../core/config/merge.ts';
import { formatPlace, problemAt } from '../../core/config/place.ts';
import type { Problem } from '../../core/config/place.ts';
import { describeIssues } from '../../core/config/problem.ts';
import type { Settings } from '../../core/config/schema.ts';
import { Name } from '../../core/config/value.ts';
import { LoopwrightError } from '../../core/error.ts';
import { LoopTypeDefinition } from '../../core/loop-type/definition.ts';
import type { LoopTypes } from '../../core/loop-type/resolve.ts';
import { configHome } from './config-home.ts';
import type { HomeInput } from './config-home.ts';
import { readBounded, readYamlFile } from './config-yaml.ts';
import type { YamlFile } from './config-yaml.ts';

export type LoopTypeInput = HomeInput & {
  /** The user's checkout, never a worktree; null outside any project. */
  readonly projectRoot: string | null;
  readonly settings: Pick<Settings, 'types'>;
};

const maxFiles = 500;

/**
 * The loop types of the user's folder, of the project's folder and of the settings, weakest first. Template
 * files they name are read, so that what is returned can be kept with a loop.
 */
export async function loadLoopTypes(input: LoopTypeInput): Promise<readonly LoopTypes[]> {
  const { projectRoot } = input;
  const user = await readFolder(path.join(configHome(input), 'types'), null);
  const project =
    projectRoot === null
      ? {}
      : await readFolder(path.join(projectRoot, 'loopwright', 'types'), projectRoot);
  const from = projectRoot ?? input.home;
  const inline = await withTemplates(input.settings.types, from, projectRoot);
  return [
    { source: 'user', types: user },
    { source: 'project', types: project },
    { source: 'inline', types: inline },
  ];
}

/** One type per `NAME.yml` or `NAME.yaml`. A folder that does not exist has none. */
async function readFolder(
  folder: string,
  project: string | null,
): Promise<Record<string, LoopTypeDefinition>> {
  const show = (file: string) => (project === null ? file : path.relative(project, file));
  const names = (await listFolder(folder, show)).filter((name) => /\.ya?ml$/.test(name)).toSorted();
  if (names.length > maxFiles) refuse([`${show(folder)}: more than ${maxFiles} loop types`]);
  const types: Record<string, LoopTypeDefinition> = {};
  for (const name of names) {
    const file = path.join(folder, name);
    const read = await readYamlFile(file, show(file));
    const type = name.replace(/\.ya?ml$/, '');
    if (read === null) continue;
    if (!Name().safeParse(type).success)
      refuse([`${show(file)}: \`${type}\` is not a name for a loop type`]);
    if (Object.hasOwn(types, type))
      refuse([`${show(file)}: loop type \`${type}\` is written twice`]);
    types[type] = parseDefinition(read, show(file));
  }
  return withTemplates(types, folder, project);
}

async function listFolder(
  folder: string,
  show: (file: string) => string,
): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') return [];
    throw new LoopwrightError('config.unreadable', `cannot read ${show(folder)}: ${String(code)}`, {
      hint: 'It must be a readable folder of loop types.',
      cause: error,
    });
  }
}

function parseDefinition({ tree, places }: YamlFile, shown: string): LoopTypeDefinition {
  const layer: Layer = { name: 'project', tree, places, source: { file: shown } };
  const told = ({ path: at, message }: Problem) => formatPlace(placeOf(layer, at)) + message;
  refuse(layerNode(layer).problems.map(told));
  const parsed = LoopTypeDefinition().safeParse(tree);
  if (parsed.success) return parsed.data;
  refuse(describeIssues(parsed.error.issues, tree, LoopTypeDefinition()).map(told));
  throw parsed.error;
}

/** The types with the text of template files in place of their names. */
async function withTemplates(
  types: Readonly<Record<string, LoopTypeDefinition>>,
  folder: string,
  project: string | null,
): Promise<Record<string, LoopTypeDefinition>> {
  const read: Record<string, LoopTypeDefinition> = {};
  for (const [name, type] of Object.entries(types)) {
    const template = type['prompt-template'];
    read[name] = isFileName(template)
      ? { ...type, 'prompt-template': await readTemplate(name, template, folder, project) }
      : type;
  }
  return read;
}

function isFileName(template: string | null | undefined): template is string {
  return typeof template === 'string' && /^[^\n{}]+\.(?:md|hbs|txt)$/.test(template);
}

async function readTemplate(
  type: string,
  template: string,
  folder: string,
  project: string | null,
): Promise<string> {
  const file = path.resolve(folder, template);
  // A path that itself leads out of the project is what the type's author has asked for.
  const isInside = project !== null && file.startsWith(`${project}${path.sep}`);
  const read = await readBounded(file, file, isInside ? project : null);
  if (read !== null) return read.text;
  const { message } = problemAt(['types', type, 'prompt-template'], `there is no file ${file}`);
  throw new LoopwrightError('config.invalid', message, {
    hint: 'Paths are relative to the file that names them.',
  });
}
