import { describe, expect, it } from 'vitest';
import { environmentLayer, variableName } from '../../../src/core/config/environment.ts';
import { reservedNames } from '../../../src/core/env/reserved.ts';
import { originOf, resolveSettings } from '../../../src/core/config/layers.ts';
import { scalars } from '../../../src/core/config/scalars.ts';
import { problemsOf } from './layer.ts';

function settingsOf(env: Record<string, string>) {
  return resolveSettings([environmentLayer(env).layer]).settings;
}

describe('the environment', () => {
  it('sets scalar keys of every kind', () => {
    const settings = settingsOf({
      LOOPWRIGHT_LIMITS_MAX_ITERATIONS: '7',
      LOOPWRIGHT_LIMITS_ITERATION_TIMEOUT: '90s',
      LOOPWRIGHT_BUDGET_MAX_DISK: '2gb',
      LOOPWRIGHT_BUDGET_MAX_COST_USD: '1.50',
      LOOPWRIGHT_MEMORY_ENABLED: 'false',
      LOOPWRIGHT_AGENT: 'claude',
      LOOPWRIGHT_STRATEGY: 'fixed',
      LOOPWRIGHT_STRATEGY_ITERATIONS: '4',
      LOOPWRIGHT_MODE: 'attended',
      LOOPWRIGHT_VALIDATION_COMMAND: 'npm test',
      LOOPWRIGHT_BUDGET_MAX_DURATION: '0',
    });
    expect(settings.limits['max-iterations']).toBe(7);
    expect(settings.limits['iteration-timeout']).toBe(90_000);
    expect(settings.budget).toMatchObject({
      'max-disk': 2 * 1024 ** 3,
      'max-cost-usd': 1.5,
      'max-duration': 0,
    });
    expect(settings.memory.enabled).toBe(false);
    expect(settings.agent).toBe('claude');
    expect(settings.strategy).toEqual({ name: 'fixed', iterations: 4 });
    expect(settings.mode.name).toBe('attended');
    expect(settings.validation.command).toBe('npm test');
  });

  it('is silent about reserved names and other programs', () => {
    const reserved = Object.fromEntries(reservedNames.map((name) => [name, 'x']));
    const { layer, warnings } = environmentLayer({ ...reserved, PATH: '/bin', LOOPWRIGHTX: '1' });
    expect(layer.tree).toEqual({});
    expect(warnings).toEqual([]);
  });

  it('warns about an unknown name with the nearest one', () => {
    const { warnings } = environmentLayer({ LOOPWRIGHT_LIMITS_MAX_ITERATION: '7' });
    expect(warnings).toEqual([
      {
        code: 'config.unknown_variable',
        message:
          'LOOPWRIGHT_LIMITS_MAX_ITERATION is not a setting; did you mean LOOPWRIGHT_LIMITS_MAX_ITERATIONS?',
      },
    ]);
  });

  it('says nothing by an empty variable', () => {
    expect(environmentLayer({ LOOPWRIGHT_AGENT: '' })).toMatchObject({
      layer: { tree: {} },
      warnings: [],
    });
  });

  it('names the variable when its value is wrong', () => {
    expect(problemsOf(() => settingsOf({ LOOPWRIGHT_MEMORY_ENABLED: 'no' }))).toBe(
      'LOOPWRIGHT_MEMORY_ENABLED: memory.enabled: expected true or false, got the text "no"',
    );
    expect(problemsOf(() => settingsOf({ LOOPWRIGHT_LIMITS_MAX_ITERATIONS: '1e3' }))).toContain(
      'expected a number, got the text "1e3"',
    );
  });

  it('names the variable as origin', () => {
    const { origins } = resolveSettings([environmentLayer({ LOOPWRIGHT_GIT_MERGE: 'pr' }).layer]);
    expect(originOf(origins, ['git', 'merge'])).toEqual({
      layer: 'env',
      name: 'LOOPWRIGHT_GIT_MERGE',
    });
  });

  it('has one name for each key, and none that is reserved', () => {
    const names = scalars().map(variableName);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => reservedNames.some((known) => known === name))).toEqual([]);
  });
});
