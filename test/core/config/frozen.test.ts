import { describe, expect, it } from 'vitest';
import {
  freeze,
  mergeLive,
  restoreSettings,
  withNewKeys,
  sectionLife,
  thaw,
} from '../../../src/core/config/frozen.ts';
import { resolveSettings } from '../../../src/core/config/layers.ts';
import { defaultSettings } from '../../../src/core/config/schema.ts';
import { layer } from './layer.ts';

const changed = resolveSettings([
  layer('project', {
    agent: 'codex',
    agents: { mine: { command: './x' } },
    types: { docs: { 'max-iterations': 1 } },
    prompt: { 'spec-paths': ['a.md'] },
    validation: { command: 'true' },
    verify: { integrity: 'off' },
    gates: ['approval'],
    strategy: 'manual',
    stop: [{ on: 'user-signal' }],
    'model-strategy': 'escalate',
    models: { claude: { small: 'x' } },
    prices: { x: { input: 1, output: 2 } },
    limits: { 'max-iterations': 1 },
    budget: { 'max-tokens': 1 },
    progress: { 'max-entries': 1 },
    memory: { enabled: false },
    scheduler: { 'max-loops': 1 },
    git: { base: 'other', merge: 'pr' },
    workspace: { setup: 'evil' },
    sandbox: 'container',
    env: { pass: ['*'] },
    hooks: { 'loop-end': ['evil'] },
    notify: { desktop: true },
    session: 'reuse',
    mode: 'attended',
    store: 'elsewhere.db',
  }),
]).settings;

function isSection(key: string): key is keyof typeof sectionLife {
  return key in sectionLife;
}

describe('a running loop', () => {
  it('keeps what judges or executes and takes the rest anew', () => {
    const before = defaultSettings();
    const after = mergeLive(before, changed);
    for (const key of Object.keys(sectionLife).filter(isSection)) {
      if (key === 'git') continue;
      expect(changed[key], key).not.toEqual(before[key]);
      expect(after[key], key).toEqual(sectionLife[key] === 'frozen' ? before[key] : changed[key]);
    }
    expect(after.git).toEqual({ ...changed.git, base: before.git.base });
  });

  it('gets the same settings from its stored part', () => {
    const stored: ReturnType<typeof freeze> = JSON.parse(JSON.stringify(freeze(changed)));
    expect(thaw(stored, defaultSettings())).toEqual(mergeLive(changed, defaultSettings()));
  });
});

describe('stored settings', () => {
  it('are read back as they were', () => {
    expect(restoreSettings(JSON.parse(JSON.stringify(changed)))).toEqual(changed);
  });

  it('get defaults for keys that are newer than they are', () => {
    const { memory: _absent, ...older } = defaultSettings();
    expect(restoreSettings(older)).toEqual(defaultSettings());
  });

  it('are refused when they do not fit', () => {
    expect(() => restoreSettings({ limits: { 'max-iterations': 'x' } })).toThrow();
  });

  it('gives a loop of an older version the defaults of keys that were added since', () => {
    const settings = defaultSettings();
    const { 'watch-interval': _added, ...git } = settings.git;
    const older = { ...settings, git: { ...git, base: 'develop' } };
    // @ts-expect-error: what an older version stored lacks a key.
    expect(withNewKeys(older)).toEqual({ ...settings, git: { ...settings.git, base: 'develop' } });
    expect(withNewKeys(settings)).toEqual(settings);
  });
});
