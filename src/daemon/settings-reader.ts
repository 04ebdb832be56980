import { findInstalledAgents } from '../adapters/agents/installed-agents.ts';
import { loadConfig, type LoadedConfig } from '../adapters/files/config-files.ts';
import { configFingerprint } from '../adapters/files/config-fingerprint.ts';
import type { HomeInput } from '../adapters/files/config-home.ts';
import { loadLoopTypes } from '../adapters/files/loop-type-files.ts';
import type { FlagValues } from '../core/config/flags.ts';
import type { Settings } from '../core/config/schema.ts';
import { applyLoopType } from '../core/loop-type/apply.ts';
import { resolveLoopType, type LoopTypes } from '../core/loop-type/resolve.ts';
import { defaultLoopType } from '../engine/plan-loop.ts';
import type { SteadyConfig } from './steady-config.ts';

/** The settings of a loop type. Where none names an agent, the first one installed is taken. */
export async function settingsOf(
  name: string | null,
  loaded: LoadedConfig,
  types: readonly LoopTypes[],
  env: HomeInput['env'],
): Promise<Settings> {
  const type = resolveLoopType(name ?? defaultLoopType, types);
  const settings = applyLoopType(loaded.settings, type, loaded.origins);
  if (settings.agent !== null) return settings;
  const [first] = await findInstalledAgents(env);
  return { ...settings, agent: first?.name ?? null };
}

/** The configuration as it was read under some flags, and its fingerprint then. */
type Reading = {
  readonly mark: string;
  readonly flags: FlagValues;
  readonly loaded: LoadedConfig;
  readonly types: readonly LoopTypes[];
};

/** Reads settings again only when a file changed since `first`: asked for at every iteration boundary. */
export function createSettingsReader(
  files: HomeInput & { readonly projectRoot: string },
  steady: SteadyConfig,
  first: Reading | null,
) {
  const known = new Map<string, { readonly mark: string; readonly settings: Settings }>();

  async function read(mark: string, flags: FlagValues): Promise<Pick<Reading, 'loaded' | 'types'>> {
    const isKnown = first?.mark === mark && JSON.stringify(first.flags) === JSON.stringify(flags);
    if (first !== null && isKnown) return first;
    const loaded = await loadConfig({ ...files, flags });
    steady.note(loaded);
    return { loaded, types: await loadLoopTypes({ ...files, settings: loaded.settings }) };
  }

  return async (loopType: string, flags: FlagValues): Promise<Settings> => {
    const key = JSON.stringify([loopType, flags]);
    const mark = await configFingerprint(files);
    const last = known.get(key);
    if (last?.mark === mark) return last.settings;
    const { loaded, types } = await read(mark, flags);
    const settings = await settingsOf(loopType, loaded, types, files.env);
    known.set(key, { mark, settings });
    return settings;
  };
}
