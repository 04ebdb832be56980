import { describe, expect, it } from 'vitest';
import { flagsLayer, otherRunFlags, scalarFlags } from '../../../src/core/config/flags.ts';
import { originOf, resolveSettings } from '../../../src/core/config/layers.ts';
import { layer, problemsOf } from './layer.ts';

describe('flags', () => {
  it('never share a name, not even with the other flags of run', () => {
    const names = [...otherRunFlags, ...scalarFlags().map(({ flag }) => flag)];
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    expect(twice).toEqual([]);
  });

  it('are named by the last part of their key', () => {
    const paths = Object.fromEntries(scalarFlags().map(({ flag, path }) => [flag, path]));
    expect(paths).toMatchObject({
      'max-cost-usd': 'budget.max-cost-usd',
      'iteration-timeout': 'limits.iteration-timeout',
      'require-claim': 'verify.require-claim',
      merge: 'git.merge',
      base: 'git.base',
      validate: 'validation.command',
      'validation-timeout': 'validation.timeout',
      agent: 'agent',
      model: 'model-strategy.model',
      memory: 'memory.enabled',
      strategy: 'strategy.name',
      'strategy-max': 'strategy.max',
      'progress-strategy': 'progress.strategy',
      mode: 'mode.name',
      sandbox: 'sandbox.level',
    });
  });

  it('are kebab-case, described, and know their choices', () => {
    for (const { flag, description, type, choices } of scalarFlags()) {
      expect(flag).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
      expect(description.length).toBeGreaterThan(5);
      expect(choices.length > 0).toBe(type === 'choice');
    }
  });

  it('set their keys from text or values', () => {
    const { settings, origins } = resolveSettings([
      layer('project', { env: { pass: ['A'] }, limits: { 'max-iterations': 5 } }),
      flagsLayer({
        'max-iterations': '9',
        memory: 'off',
        'require-diff': false,
        'iteration-timeout': '10m',
        model: 'opus',
        'pass-env': ['AWS_*', 'B'],
      }),
    ]);
    expect(settings.limits).toMatchObject({ 'max-iterations': 9, 'iteration-timeout': 600_000 });
    expect(settings.memory.enabled).toBe(false);
    expect(settings.verify['require-diff']).toBe(false);
    expect(settings['model-strategy']).toMatchObject({ name: 'fixed', model: 'opus' });
    expect(settings.env.pass).toEqual(['A', 'AWS_*', 'B']);
    expect(originOf(origins, ['env', 'pass'])).toEqual({ layer: 'flags', name: '--pass-env' });
  });

  it('refuse a name that sets nothing', () => {
    expect(problemsOf(() => flagsLayer({ 'max-iteration': '5' }))).toBe(
      'unknown option --max-iteration; did you mean --max-iterations?',
    );
  });

  it('name themselves when their value is wrong', () => {
    expect(problemsOf(() => resolveSettings([flagsLayer({ 'max-cost-usd': 'a lot' })]))).toBe(
      '--max-cost-usd: budget.max-cost-usd: expected a number, got the text "a lot"',
    );
  });
});
