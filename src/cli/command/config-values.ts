import { loadConfig, type LoadedConfig } from '../../adapters/files/config-files.ts';
import { openProject } from '../../adapters/git/open-project.ts';
import { originOf } from '../../core/config/layers.ts';
import type { Origin } from '../../core/config/place.ts';
import { writtenSettings } from '../../core/config/schema.ts';
import { formatPath, isTree, type Path, type Tree } from '../../core/config/tree.ts';
import { looksSecret } from '../../core/env/allow-list.ts';
import type { CliContext } from '../context.ts';

export type FoundConfig = {
  /** The repository's top, or the folder itself. */
  readonly root: string;
  readonly config: LoadedConfig;
};

const searchMs = 30_000;

/** The configuration as it counts in the current folder. Makes nothing: no state folder, no store. */
export async function findConfig(context: CliContext): Promise<FoundConfig> {
  const { cwd, env, home } = context;
  const { root } = await openProject(cwd, AbortSignal.timeout(searchMs), env);
  const config = await loadConfig({ projectRoot: root, env, home, flags: {} });
  for (const { message } of config.warnings) context.err.write(`warning: ${message}\n`);
  return { root, config };
}

export type Value = { readonly path: Path; readonly value: unknown };

/** Settings as they would be written in a file, without what nobody should read over a shoulder. */
export function shownSettings(config: LoadedConfig): Tree {
  const shown = withoutSecrets(writtenSettings(config.settings), []);
  return isTree(shown) ? shown : {};
}

/** Every value that has an origin of its own: scalars, lists and empty maps. */
export function leavesOf(tree: Tree): readonly Value[] {
  return nodesOf(tree, []).filter(({ value }) => !isTree(value) || Object.keys(value).length === 0);
}

/** Every value by its written path, maps included. */
export function valuesByKey(tree: Tree): ReadonlyMap<string, unknown> {
  return new Map(nodesOf(tree, []).map(({ path, value }) => [formatPath(path), value]));
}

function nodesOf(tree: Tree, above: Path): readonly Value[] {
  return Object.entries(tree).flatMap(([key, value]): readonly Value[] => {
    const path = [...above, key];
    return isTree(value) ? [{ path, value }, ...nodesOf(value, path)] : [{ path, value }];
  });
}

/** `default`, `loopwright.yml:3`, `LOOPWRIGHT_AGENT`. */
export function formatOrigin({ layer, file, line, name }: Origin): string {
  if (name !== undefined) return name;
  if (file !== undefined) return line === undefined ? file : `${file}:${line}`;
  return layer === 'defaults' ? 'default' : layer;
}

export function originAt(config: LoadedConfig, path: Path): Origin {
  return originOf(config.origins, path);
}

const hidden = '[hidden]';

/** Values of variables that look like keys, and passwords inside addresses. */
function withoutSecrets(value: unknown, path: Path): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, path));
  if (isTree(value)) {
    const entries = Object.entries(value).map(([key, child]): [string, unknown] => {
      const isVariable = typeof child === 'string' && path.includes('env');
      const isSecret = isVariable && looksSecret(key);
      return [key, isSecret ? hidden : withoutSecrets(child, [...path, key])];
    });
    return Object.fromEntries(entries);
  }
  if (typeof value !== 'string' || !value.includes('://')) return value;
  return value.replace(/(:\/\/[^/@:\s]{0,200}:)[^/@\s]{1,500}@/, `$1${hidden}@`);
}
