import path from 'node:path';
import { isLoopwrightError } from '../../core/error.ts';
import { environmentLayer } from '../../core/config/environment.ts';
import { flagsLayer } from '../../core/config/flags.ts';
import type { FlagValues } from '../../core/config/flags.ts';
import { resolveSettings } from '../../core/config/layers.ts';
import type { Origins } from '../../core/config/layers.ts';
import type { Layer } from '../../core/config/merge.ts';
import type { LayerName, Warning } from '../../core/config/place.ts';
import type { Settings } from '../../core/config/schema.ts';
import { configHome } from './config-home.ts';
import type { HomeInput } from './config-home.ts';
import { readYamlFile } from './config-yaml.ts';
import type { YamlFile } from './config-yaml.ts';

export type ConfigInput = HomeInput & {
  /** The user's checkout, never a worktree; null outside any project. */
  readonly projectRoot: string | null;
  /** Values of the command line, by flag name without dashes. */
  readonly flags: FlagValues;
  /** Text that stands for the project's file, which is not read then. */
  readonly draft?: string;
};

export type ConfigFile = {
  readonly path: string;
  readonly mtimeMs: number;
  readonly size: number;
};

export type LoadedConfig = {
  readonly settings: Settings;
  readonly origins: Origins;
  readonly warnings: readonly Warning[];
  /** The files that were read, weakest first. */
  readonly files: readonly ConfigFile[];
};

/** Reads every layer and resolves the settings. Throws `config.*` with what to correct and where. */
export async function loadConfig(input: ConfigInput): Promise<LoadedConfig> {
  const user = await readLayer('user', configHome(input), 'config', (file) => file);
  const project =
    input.projectRoot === null
      ? none
      : input.draft === undefined
        ? await readLayer('project', input.projectRoot, 'loopwright', (file) => path.basename(file))
        : await draftLayer(input.draft);
  const environment = environmentLayer(input.env);

  const layers = [...user.layers, ...project.layers, environment.layer, flagsLayer(input.flags)];
  const { settings, origins, warnings } = resolveSettings(layers);
  return {
    settings,
    origins,
    warnings: [...user.warnings, ...project.warnings, ...environment.warnings, ...warnings],
    files: [...user.files, ...project.files],
  };
}

/**
 * The same for commands that start nothing: a mistake in the configuration is a warning, and only where the store lies is taken
 * from it. Whoever has to be stopped can be stopped, whatever the file says.
 */
export async function loadConfigAnyway(input: ConfigInput): Promise<LoadedConfig> {
  try {
    return await loadConfig(input);
  } catch (error) {
    if (!isLoopwrightError(error) || !error.code.startsWith('config.')) throw error;
    const tree = { store: await storeIn(input.projectRoot) };
    const layer: Layer = { name: 'project', tree, places: new Map(), source: {} };
    const { settings, origins } = resolveSettings(tree.store === null ? [] : [layer]);
    const message = `${error.message.split('\n')[0]}; this command goes on without it`;
    return { settings, origins, warnings: [{ code: error.code, message }], files: [] };
  }
}

/** Where a project file that is mistaken elsewhere puts the store. */
async function storeIn(projectRoot: string | null): Promise<string | null> {
  if (projectRoot === null) return null;
  const read = await readLayer('project', projectRoot, 'loopwright', (file) => file).catch(
    () => none,
  );
  const store = read.layers[0]?.tree['store'];
  return typeof store === 'string' ? store : null;
}

type ReadLayer = {
  readonly layers: readonly Layer[];
  readonly warnings: readonly Warning[];
  readonly files: readonly ConfigFile[];
};

const none: ReadLayer = { layers: [], warnings: [], files: [] };

async function draftLayer(text: string): Promise<ReadLayer> {
  const { parseYaml } = await import('./yaml-text.ts');
  const file = 'loopwright.yml';
  const { tree, places, warnings } = parseYaml(text, file);
  return { layers: [{ name: 'project', tree, places, source: { file } }], warnings, files: [] };
}

/** `stem.yml`, else `stem.yaml`; both at once is a mistake worth a warning. */
async function readLayer(
  name: LayerName,
  folder: string,
  stem: string,
  show: (file: string) => string,
): Promise<ReadLayer> {
  const candidates = [path.join(folder, `${stem}.yml`), path.join(folder, `${stem}.yaml`)];
  const found: YamlFile[] = [];
  for (const candidate of candidates) {
    const file = await readYamlFile(candidate, show(candidate));
    if (file !== null) found.push(file);
  }
  const [file, ignored] = found;
  if (file === undefined) return none;
  const { tree, places, path: read, mtimeMs, size } = file;
  const twice = ignored === undefined ? [] : [twoFiles(show(read), show(ignored.path))];
  return {
    layers: [{ name, tree, places, source: { file: show(read) } }],
    warnings: [...file.warnings, ...twice],
    files: [{ path: read, mtimeMs, size }],
  };
}

function twoFiles(read: string, ignored: string): Warning {
  return { code: 'config.two_files', message: `${ignored} is ignored, since ${read} exists` };
}
