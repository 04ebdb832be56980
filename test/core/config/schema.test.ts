import { describe, expect, it } from 'vitest';
import { resolveSettings } from '../../../src/core/config/layers.ts';
import { defaultSettings, writtenSettings } from '../../../src/core/config/schema.ts';
import type { Settings } from '../../../src/core/config/schema.ts';
import type { Tree } from '../../../src/core/config/tree.ts';
import { layer, problemsOf } from './layer.ts';
import { shows } from '../../support/shows.ts';

function settingsOf(tree: Tree): Settings {
  return resolveSettings([layer('project', tree)]).settings;
}

function problems(tree: Tree): string {
  return problemsOf(() => settingsOf(tree));
}

describe('defaults', () => {
  it('are the numbers of the contract', () => {
    shows(
      '000.config-defaults',
      '004.tracks-by-default',
      '004.parses-by-default',
      '002.config-max-iterations',
      '002.config-max-turns',
      '002.config-exit-code',
    );
    const { limits, budget, progress, validation, verify, memory, scheduler } = defaultSettings();
    expect(limits).toMatchObject({
      'max-iterations': 100,
      'max-turns-per-iteration': 50,
      'iteration-timeout': null,
      'idle-timeout': 600_000,
      'iteration-delay': 0,
    });
    expect(budget).toEqual({
      'max-cost-usd': null,
      'max-tokens': null,
      'max-duration': null,
      'max-disk': null,
      run: { 'max-cost-usd': null, 'max-tokens': null, 'max-duration': null },
      day: { 'max-cost-usd': null },
    });
    expect(progress).toEqual({ strategy: 'system-captured', 'max-entries': 5, 'max-chars': 500 });
    expect(validation).toEqual({
      command: null,
      commands: {},
      setup: null,
      timeout: 300_000,
      'success-exit-code': 0,
    });
    expect(verify).toMatchObject({
      'clean-room': false,
      integrity: 'strict',
      allow: [],
      baseline: 'run',
      'require-claim': 'auto',
      'require-diff': true,
      'retries-on-fail': 0,
      'track-file-changes': true,
      'parse-tests': true,
    });
    expect(memory).toMatchObject({
      enabled: true,
      'budget-chars': 5000,
      'attempts-chars': 3000,
      'learnings-chars': 1500,
      'status-chars': 500,
      'max-learnings': 5,
      'stuck-after': 3,
      holdout: 0.1,
    });
    expect(scheduler).toMatchObject({ 'max-loops': 50, 'max-agents': 4, 'max-api-calls': 10 });
  });

  it('are plain JSON', () => {
    expect(JSON.parse(JSON.stringify(defaultSettings()))).toEqual(defaultSettings());
  });

  it('hold when only a validation command is set', () => {
    const settings = settingsOf({ validation: { command: 'npm test' } });
    const defaults = defaultSettings();
    expect(settings).toEqual({
      ...defaults,
      validation: { ...defaults.validation, command: 'npm test' },
    });
  });

  it('can be written as text and read back', () => {
    expect(writtenSettings(defaultSettings())).toMatchObject({
      validation: { timeout: '5m' },
      scheduler: { 'min-disk': '256mb' },
    });
    expect(settingsOf(writtenSettings(defaultSettings()))).toEqual(defaultSettings());
  });
});

describe('values', () => {
  it('refuses the text "false" where true or false is meant', () => {
    expect(problems({ memory: { enabled: 'false' } })).toBe(
      'memory.enabled: expected true or false, got the text "false"',
    );
  });

  it('refuses a duration that is a number', () => {
    expect(problems({ validation: { timeout: 300_000 } })).toBe(
      'validation.timeout: expected a duration such as `90s`, `30m`, `4h` or `1h30m`, got the number 300000',
    );
  });

  it('refuses a duration with an unknown unit', () => {
    expect(problems({ limits: { 'idle-timeout': '5min' } })).toBe(
      'limits.idle-timeout: expected a duration such as `90s`, `30m`, `4h` or `1h30m`, got the text "5min"',
    );
  });

  it('takes 0 for a duration and a size', () => {
    const { budget } = settingsOf({ budget: { 'max-duration': 0, 'max-disk': 0 } });
    expect(budget).toMatchObject({ 'max-duration': 0, 'max-disk': 0 });
  });

  it('refuses a negative or fractional number of iterations', () => {
    expect(problems({ limits: { 'max-iterations': -1 } })).toContain('must be at least 0');
    expect(problems({ limits: { 'max-iterations': 1.5 } })).toContain('a whole number');
  });

  it('refuses paths that leave the repository', () => {
    expect(problems({ workspace: { copy: ['../secrets'] } })).toContain('workspace.copy[0]');
    expect(problems({ verify: { protected: ['/etc/passwd'] } })).toContain('inside the repository');
  });

  it('keeps the value of a variable out of the message', () => {
    const message = problems({ env: { set: { TOKEN: 123_456 } } });
    expect(message).toBe('env.set.TOKEN: expected text, got a number');
  });
});

describe('strategy', () => {
  it('fills in the numbers of a named strategy', () => {
    expect(settingsOf({ strategy: 'hybrid' }).strategy).toEqual({
      name: 'hybrid',
      base: 3,
      bonus: 2,
      threshold: 0.1,
    });
    expect(settingsOf({ strategy: { name: 'ralph', max: 20 } }).strategy).toEqual({
      name: 'ralph',
      min: 2,
      max: 20,
      window: 3,
      threshold: 0.95,
    });
    expect(settingsOf({ strategy: 'fixed' }).strategy).toEqual({ name: 'fixed', iterations: 3 });
  });

  it('lists the valid names when the name is unknown', () => {
    expect(problems({ strategy: 'hybird' })).toBe(
      'strategy.name: expected one of until-pass, fixed, hybrid, ralph, manual, custom, got the text "hybird"; did you mean `hybrid`?',
    );
  });

  it('refuses a number that belongs to another strategy', () => {
    expect(problems({ strategy: { name: 'fixed', max: 5 } })).toBe(
      'strategy.max: does not belong to strategy `fixed`; it takes iterations',
    );
  });

  it('needs a module when it is custom', () => {
    expect(problems({ strategy: 'custom' })).toBe('strategy.module: is needed by `custom`');
  });
});

describe('stop conditions', () => {
  it('get their kind and time from the condition', () => {
    const { stop } = settingsOf({
      stop: [
        { on: 'max-duration', value: '2h' },
        { on: 'file-contains', path: 'DONE.md', text: 'yes' },
        { on: 'test-failure-streak' },
      ],
    });
    expect(stop).toEqual([
      { on: 'max-duration', value: 7_200_000, kind: 'failure', timeout: 5000 },
      { on: 'file-contains', path: 'DONE.md', text: 'yes', kind: 'success', timeout: 5000 },
      { on: 'test-failure-streak', value: 3, kind: 'failure', timeout: 5000 },
    ]);
  });

  it('combine by all, any and not', () => {
    const { stop } = settingsOf({
      stop: [{ all: [{ on: 'all-tests-pass' }, { not: { on: 'on-error' } }], kind: 'normal' }],
    });
    expect(stop).toMatchObject([
      { kind: 'normal', all: [{ on: 'all-tests-pass' }, { not: { on: 'on-error' } }] },
    ]);
  });

  it('name the nearest condition when one is misspelt, however deep', () => {
    expect(problems({ stop: [{ on: 'max-duratio', value: '2h' }] })).toMatch(
      /^stop\[0\]\.on: expected one of .*; did you mean `max-duration`\?$/,
    );
    expect(problems({ stop: [{ any: [{ not: { on: 'al-tests-pass' } }] }] })).toMatch(
      /^stop\[0\]\.any\[0\]\.not\.on: .*did you mean `all-tests-pass`\?$/,
    );
  });

  it('name what is missing', () => {
    expect(problems({ stop: [{ on: 'file-contains', path: 'x' }] })).toBe(
      'stop[0].text: is missing',
    );
  });

  it('refuse a pattern that does not compile', () => {
    expect(problems({ stop: [{ on: 'output-pattern', pattern: '(' }] })).toBe(
      'stop[0].pattern: is not a valid regular expression',
    );
  });
});

describe('short forms', () => {
  it('turn words and commands into maps', () => {
    const settings = settingsOf({
      mode: 'hybrid',
      sandbox: 'bubblewrap',
      'model-strategy': 'escalate',
      gates: ['red-first', { type: 'command', command: 'make lint' }],
      hooks: { 'loop-end': ['notify-send done', { module: './hook.js', timeout: '5s' }] },
      validation: { commands: { lint: 'npm run lint' } },
    });
    expect(settings.mode.name).toBe('hybrid');
    expect(settings.sandbox.level).toBe('bubblewrap');
    expect(settings['model-strategy'].name).toBe('escalate');
    expect(settings.gates).toEqual([
      { type: 'red-first', 'on-failure': 'iterate', when: 'always' },
      {
        type: 'command',
        command: 'make lint',
        timeout: 300_000,
        'on-failure': 'iterate',
        when: 'always',
      },
    ]);
    expect(settings.hooks['loop-end']).toEqual([
      { command: 'notify-send done', timeout: 30_000 },
      { module: './hook.js', timeout: 5000 },
    ]);
    expect(settings.validation.commands).toEqual({
      lint: { command: 'npm run lint', timeout: 300_000, 'success-exit-code': 0 },
    });
  });

  it('read a model alone as a fixed model', () => {
    expect(settingsOf({ 'model-strategy': { model: 'opus' } })['model-strategy']).toMatchObject({
      name: 'fixed',
      model: 'opus',
    });
  });

  it('name the tool that is meant', () => {
    const agents = { local: { kind: 'native', tools: ['read', 'grap'] } };
    expect(problems({ agents })).toMatch(/^agents\.local\.tools\[1\]: .*`grep`\?$/);
    expect(problems({ types: { t: { tools: ['raed'] } } })).toMatch(/^types\.t\.tools\[0\]: /);
  });

  it('name the valid gates', () => {
    expect(problems({ gates: ['aproval'] })).toMatch(/^gates\[0\]: .*`approval`\?$/);
  });
});

it('takes a configuration that uses every section', () => {
  const settings = settingsOf({
    agent: 'mine',
    agents: {
      mine: { kind: 'claude', args: ['--verbose'], model: 'opus', env: { A: 'b' } },
      local: { kind: 'native', provider: 'openai', 'base-url': 'http://localhost:8080/v1' },
      shell: { command: './agent.sh', format: 'text' },
    },
    types: { docs: { extends: 'ralph', '+tools': ['read'], 'max-iterations': 5 } },
    prompt: { 'spec-paths': ['specs/*.md'] },
    models: { claude: { small: 'haiku', medium: 'sonnet', large: 'opus' } },
    prices: { 'gpt-4.1': { input: 2, output: 8, 'cache-read': 0.5, 'as-of': '2026-01-31' } },
    budget: {
      'max-cost-usd': 5,
      'max-tokens': 1_000_000,
      'max-duration': '2h',
      'max-disk': '10gb',
    },
    git: { base: 'main', merge: 'local' },
    workspace: { dir: '../trees', setup: 'npm ci', copy: ['.env.test'], link: ['node_modules'] },
    env: { pass: ['AWS_*'], set: { CI: 'true' } },
    notify: {
      webhooks: [{ url: 'https://example.com/x', format: 'slack' }],
      'quiet-hours': ['22:00-07:00'],
    },
    scheduler: { hours: ['08:00-18:00'] },
    verify: { fixtures: [{ name: 'cli', command: './cli', expect: { exit_code: 0 } }] },
    store: 'postgres://db/loopwright',
  });
  expect(settings.types['docs']).toEqual({
    extends: 'ralph',
    '+tools': ['read'],
    'max-iterations': 5,
  });
  expect(settings.budget['max-disk']).toBe(10 * 1024 ** 3);
  expect(settingsOf(writtenSettings(settings))).toEqual(settings);
});
