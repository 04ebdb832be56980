/**
 * An agent cannot edit its own judge: what judges or executes is kept as it was when the loop started. All
 * other keys are read again at the iteration boundary. With `--in-place` the caller keeps everything.
 */
import { defaultSettings, isSettings, Settings } from './schema.ts';
import { isTree } from './tree.ts';

/** For every section, whether it stays with the loop. `git` is split: only its base stays. */
export const sectionLife = {
  agent: 'frozen',
  agents: 'frozen',
  types: 'frozen',
  prompt: 'live',
  validation: 'frozen',
  verify: 'frozen',
  gates: 'frozen',
  strategy: 'frozen',
  stop: 'frozen',
  'model-strategy': 'live',
  models: 'live',
  prices: 'live',
  limits: 'live',
  budget: 'live',
  progress: 'live',
  memory: 'live',
  scheduler: 'live',
  git: 'live',
  workspace: 'frozen',
  sandbox: 'frozen',
  env: 'frozen',
  hooks: 'frozen',
  notify: 'live',
  session: 'frozen',
  mode: 'live',
  store: 'live',
} as const satisfies Record<keyof Settings, 'frozen' | 'live'>;

type FrozenSection = {
  [K in keyof Settings]: (typeof sectionLife)[K] extends 'frozen' ? K : never;
}[keyof Settings];

/** The part of the settings that stays with a loop; plain JSON. */
export type FrozenSettings = Pick<Settings, FrozenSection> & {
  readonly git: Pick<Settings['git'], 'base'>;
};

export function freeze(settings: Settings): FrozenSettings {
  return {
    agent: settings.agent,
    agents: settings.agents,
    types: settings.types,
    validation: settings.validation,
    verify: settings.verify,
    gates: settings.gates,
    strategy: settings.strategy,
    stop: settings.stop,
    workspace: settings.workspace,
    sandbox: settings.sandbox,
    env: settings.env,
    hooks: settings.hooks,
    session: settings.session,
    git: { base: settings.git.base },
  };
}

/** Current settings under the frozen part of a loop. */
export function thaw(frozen: FrozenSettings, current: Settings): Settings {
  return { ...current, ...frozen, git: { ...current.git, ...frozen.git } };
}

/** The settings of a loop for its next iteration: only live keys come from `current`. */
export function mergeLive(loop: Settings, current: Settings): Settings {
  return thaw(freeze(loop), current);
}

/**
 * Settings read back from storage. Keys that a newer version added get their defaults; anything else that
 * does not fit the schema throws.
 */
export function restoreSettings(stored: unknown): Settings {
  const written = Settings().encode(complete(defaultSettings(), withoutRetired(stored)));
  const settings = Settings().parse(written);
  if (!isSettings(settings)) throw new Error('a section of the settings is missing');
  return settings;
}

/** Stored settings with the defaults of keys that were added since. Trusts what is there. */
export function withNewKeys(stored: Settings): Settings {
  const whole = complete(defaultSettings(), stored);
  return isSettings(whole) ? whole : stored;
}

/** Keys that older versions stored and that mean nothing any more. */
function withoutRetired(stored: unknown): unknown {
  if (!isTree(stored) || !isTree(stored['verify'])) return stored;
  const { flaky: _flaky, ...verify } = stored['verify'];
  return { ...stored, verify };
}

function complete(known: unknown, stored: unknown): unknown {
  if (!isTree(known) || !isTree(stored)) return stored === undefined ? known : stored;
  const keys = new Set([...Object.keys(known), ...Object.keys(stored)]);
  return Object.fromEntries([...keys].map((key) => [key, complete(known[key], stored[key])]));
}
