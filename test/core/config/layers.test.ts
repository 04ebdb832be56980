import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { originOf, resolveSettings } from '../../../src/core/config/layers.ts';
import { defaultSettings, writtenSettings } from '../../../src/core/config/schema.ts';
import { layer, problemsOf } from './layer.ts';
import { shows } from '../../support/shows.ts';

describe('precedence', () => {
  it('goes from defaults over user, project and environment to flags', () => {
    const { settings, origins } = resolveSettings([
      layer('user', { limits: { 'max-iterations': 1, 'iteration-delay': '1s' }, agent: 'pi' }),
      layer('project', { limits: { 'max-iterations': 2 }, agent: 'codex' }),
      layer('env', { limits: { 'max-iterations': 3 } }),
      layer('flags', { limits: { 'max-iterations': 4 } }),
    ]);
    expect(settings.limits['max-iterations']).toBe(4);
    expect(settings.limits['iteration-delay']).toBe(1000);
    expect(settings.agent).toBe('codex');
    expect(originOf(origins, ['limits', 'max-iterations']).layer).toBe('flags');
    expect(originOf(origins, ['limits', 'iteration-delay']).layer).toBe('user');
    expect(originOf(origins, ['agent']).layer).toBe('project');
    expect(originOf(origins, ['limits', 'idle-timeout']).layer).toBe('defaults');
  });

  it('keeps the origin of a value that equals its default', () => {
    const { origins } = resolveSettings([layer('project', { limits: { 'max-iterations': 100 } })]);
    expect(originOf(origins, ['limits', 'max-iterations']).layer).toBe('project');
  });

  it('lets the stronger layer of any two win, key by key', () => {
    const some = fc.record(
      {
        'max-iterations': fc.nat(1000),
        'api-retries': fc.nat(20),
        'no-progress-limit': fc.nat(50),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(some, some, (weak, strong) => {
        const { settings } = resolveSettings([
          layer('user', { limits: weak }),
          layer('project', { limits: strong }),
        ]);
        expect(settings.limits).toEqual({ ...defaultSettings().limits, ...weak, ...strong });
      }),
    );
  });
});

describe('lists', () => {
  it('are replaced by a stronger layer', () => {
    const { settings } = resolveSettings([
      layer('user', { workspace: { link: ['a'] } }),
      layer('project', { workspace: { link: ['b'] } }),
    ]);
    expect(settings.workspace.link).toEqual(['b']);
  });

  it('are appended to by a key with a plus, defaults included', () => {
    const { settings, origins } = resolveSettings([
      layer('user', { workspace: { link: ['a'] } }),
      layer('project', { workspace: { '+link': ['b'] }, verify: { '+protected': ['ci/**'] } }),
      layer('flags', { workspace: { '+link': ['c'] } }),
    ]);
    expect(settings.workspace.link).toEqual(['a', 'b', 'c']);
    expect(settings.verify.protected).toEqual([...defaultSettings().verify.protected, 'ci/**']);
    expect(originOf(origins, ['workspace', 'link', 0]).layer).toBe('flags');
  });

  it('of a loop type wait for the type it extends', () => {
    const { settings } = resolveSettings([
      layer('user', { types: { docs: { '+tools': ['read'] } } }),
      layer('project', { types: { docs: { '+tools': ['grep'] } } }),
    ]);
    expect(settings.types['docs']).toEqual({ '+tools': ['read', 'grep'] });
  });

  it('are the only thing that can be appended to', () => {
    expect(
      problemsOf(() => resolveSettings([layer('project', { limits: { '+max-iterations': [1] } })])),
    ).toBe('limits.max-iterations: is not a list; `+` appends to lists');
    expect(
      problemsOf(() => resolveSettings([layer('project', { workspace: { '+link': 'a' } })])),
    ).toBe('workspace.link: `+link` appends to a list, so it must be a list');
  });
});

describe('maps', () => {
  it('merge entry by entry over layers', () => {
    const { settings } = resolveSettings([
      layer('user', { agents: { mine: { command: './a' } } }),
      layer('project', { agents: { mine: { model: 'x' }, other: { kind: 'pi' } } }),
    ]);
    expect(settings.agents).toEqual({
      mine: { command: './a', model: 'x' },
      other: { kind: 'pi' },
    });
  });

  it('still miss what no layer gives', () => {
    const message = problemsOf(() => resolveSettings([layer('project', { agents: { mine: {} } })]));
    expect(message).toContain('agents.mine.command');
  });

  it('are left alone by a section without content', () => {
    const { settings } = resolveSettings([layer('project', { limits: null, hooks: null })]);
    expect(settings).toEqual(defaultSettings());
  });

  it('of another strategy keep nothing of the weaker one', () => {
    const { settings } = resolveSettings([
      layer('user', { strategy: { name: 'hybrid', base: 7 } }),
      layer('flags', { strategy: 'fixed' }),
    ]);
    expect(settings.strategy).toEqual({ name: 'fixed', iterations: 3 });
  });

  it('of the same strategy merge', () => {
    const { settings } = resolveSettings([
      layer('user', { strategy: 'hybrid' }),
      layer('flags', { strategy: { base: 7 } }),
    ]);
    expect(settings.strategy).toMatchObject({ name: 'hybrid', base: 7, bonus: 2 });
  });
});

describe('old names', () => {
  it('of progress keys work and warn', () => {
    shows('000.config-keys');
    const { settings, warnings, origins } = resolveSettings([
      layer('project', {
        validation: { command: 'x', 'progress-max-chars': 900, 'progress-strategy': 'structured' },
      }),
    ]);
    expect(settings.progress).toEqual({
      strategy: 'structured',
      'max-entries': 5,
      'max-chars': 900,
    });
    expect(warnings.map(({ message }) => message)).toEqual([
      '`validation.progress-strategy` is now `progress.strategy`',
      '`validation.progress-max-chars` is now `progress.max-chars`',
    ]);
    expect(originOf(origins, ['progress', 'max-chars']).layer).toBe('project');
  });

  it('give way to the new name in the same layer', () => {
    const { settings } = resolveSettings([
      layer('project', { validation: { 'progress-max-chars': 900 }, progress: { 'max-chars': 7 } }),
    ]);
    expect(settings.progress['max-chars']).toBe(7);
  });
});

it('takes the default for an unknown progress strategy, and says so', () => {
  shows('000.unknown-name');
  const { settings, warnings } = resolveSettings([
    layer('project', { progress: { strategy: 'magic' } }),
  ]);
  expect(settings.progress.strategy).toBe('system-captured');
  expect(warnings.map(({ code }) => code)).toEqual(['config.unknown_progress_strategy']);
});

describe('problems', () => {
  it('name the nearest valid key', () => {
    expect(
      problemsOf(() => resolveSettings([layer('project', { limits: { 'max-iteration': 5 } })])),
    ).toBe('unknown key `max-iteration` in limits; did you mean `max-iterations`?');
    expect(problemsOf(() => resolveSettings([layer('project', { limit: {} })]))).toBe(
      'unknown key `limit`; did you mean `limits`?',
    );
  });

  it('name the section a key belongs to', () => {
    expect(problemsOf(() => resolveSettings([layer('project', { 'max-iterations': 5 })]))).toBe(
      'unknown key `max-iterations`; did you mean `limits.max-iterations`?',
    );
  });

  it('are all told at once, up to ten', () => {
    const wrong = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`zzz${index}`, 1]));
    const lines = problemsOf(() =>
      resolveSettings([layer('project', { git: { merge: 'sometimes' }, limits: wrong })]),
    ).split('\n');
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('(and 5 more)');
  });

  it('are told for a weaker layer even when a stronger one hides the value', () => {
    expect(
      problemsOf(() =>
        resolveSettings([
          layer('user', { limits: { 'max-iterations': 'many' } }),
          layer('project', { limits: { 'max-iterations': 3 } }),
        ]),
      ),
    ).toContain('expected a number, got the text "many"');
  });

  it('name the variable or flag', () => {
    const flags = {
      ...layer('flags', { git: { merge: 'x' } }),
      places: new Map([['git.merge', { name: '--merge' }]]),
    };
    expect(problemsOf(() => resolveSettings([flags]))).toBe(
      '--merge: git.merge: expected one of none, local, pr, got the text "x"',
    );
  });

  it('refuse keys that would reach a prototype', () => {
    const tree = JSON.parse(
      '{"env": {"set": {"__proto__": {"x": 1}}}, "__proto__": {"agent": "x"}}',
    );
    expect(problemsOf(() => resolveSettings([layer('project', tree)]))).toContain('is not a key');
  });

  it('refuse endless nesting without running out of stack', () => {
    let deep: unknown = { on: 'all-tests-pass' };
    for (let level = 0; level < 2000; level += 1) deep = { not: deep };
    expect(problemsOf(() => resolveSettings([layer('project', { stop: [deep] })]))).toContain(
      'nested too deeply',
    );
  });

  it('refuse lists and maps that nobody writes by hand', () => {
    const stop = Array.from({ length: 20_000 }, () => ({ on: 'x' }));
    expect(problemsOf(() => resolveSettings([layer('project', { '+stop': stop })]))).toBe(
      'stop: has more than 5000 values',
    );
    const set = Object.fromEntries(stop.map((_, index) => [`V${index}`, 'x']));
    expect(problemsOf(() => resolveSettings([layer('project', { env: { set } })]))).toBe(
      'env.set: has more than 5000 keys',
    );
  });

  it('come as messages, whatever is written', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...Object.keys(defaultSettings())), fc.jsonValue()),
        (tree) => {
          try {
            resolveSettings([layer('project', tree)]);
          } catch (error) {
            expect(error).toMatchObject({ code: 'config.invalid' });
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

it('resolves written settings to themselves', () => {
  const tree = fc.record(
    {
      agent: fc.constantFrom(null, 'claude', 'command:./x'),
      strategy: fc.constantFrom('until-pass', 'fixed', { name: 'ralph', window: 4 }),
      limits: fc.record({ 'iteration-timeout': fc.constantFrom('90s', '1h30m', null) }),
      budget: fc.record({ 'max-disk': fc.constantFrom('3gb', 0, null) }),
      workspace: fc.record({ link: fc.array(fc.constantFrom('a', 'b/c')) }),
      env: fc.record({
        set: fc.dictionary(fc.stringMatching(/^[A-Z_]{1,8}$/), fc.constantFrom('', 'x y')),
      }),
      stop: fc.array(fc.constantFrom({ on: 'budget' }, { not: { on: 'file-created', path: 'x' } })),
      hooks: fc.record({ error: fc.array(fc.constantFrom('x', { module: 'y' })) }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(tree, (written) => {
      const { settings } = resolveSettings([layer('project', written)]);
      const again = resolveSettings([layer('project', writtenSettings(settings))]);
      expect(again.settings).toEqual(settings);
      expect(JSON.parse(JSON.stringify(settings))).toEqual(settings);
    }),
    { numRuns: 100 },
  );
});

const problems = (session: Record<string, number>) =>
  problemsOf(() => resolveSettings([layer('project', { session })])).split('\n');

describe('percents of a session', () => {
  it('refuses a warning that would come after the reboot, at the key that was written', () => {
    expect(problems({ 'warn-percent': 90 })).toEqual([
      expect.stringContaining(
        'session.warn-percent: must not be above `reboot-percent` (85); lower it or raise that',
      ),
    ]);
    expect(problems({ 'reboot-percent': 60 })).toEqual([
      expect.stringContaining(
        'session.reboot-percent: must not be below `warn-percent` (70); raise it or lower that',
      ),
    ]);
    expect(problems({ 'warn-percent': 60, 'reboot-percent': 50 })).toHaveLength(2);
  });

  it('takes equal ones', () => {
    const session = { 'warn-percent': 50, 'reboot-percent': 50 };
    const { settings } = resolveSettings([layer('project', { session })]);
    expect(settings.session).toMatchObject(session);
  });
});
