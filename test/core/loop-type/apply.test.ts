import { describe, expect, it } from 'vitest';
import { environmentLayer } from '../../../src/core/config/environment.ts';
import { flagsLayer } from '../../../src/core/config/flags.ts';
import { resolveSettings } from '../../../src/core/config/layers.ts';
import type { Layer } from '../../../src/core/config/merge.ts';
import { applyLoopType } from '../../../src/core/loop-type/apply.ts';
import { resolveLoopType } from '../../../src/core/loop-type/resolve.ts';
import { layer } from '../config/layer.ts';
import { shows } from '../../support/shows.ts';

function applied(name: string, layers: readonly Layer[]) {
  const { settings, origins } = resolveSettings(layers);
  const type = resolveLoopType(name, [{ source: 'inline', types: settings.types }]);
  return applyLoopType(settings, type, origins);
}

const own = layer('project', {
  limits: { 'max-iterations': 3, 'iteration-timeout': '1m' },
  validation: { command: 'npm test' },
  progress: { 'max-chars': 50 },
  hooks: { 'loop-start': ['a'], 'loop-end': ['b'] },
  types: {
    mine: {
      'max-iterations': 100,
      'iteration-timeout': null,
      'validation-command': 'make check',
      'progress-max-chars': 900,
      agent: 'codex',
      model: 'opus',
      strategy: 'fixed',
      gates: ['approval'],
      hooks: { 'loop-end': ['c'] },
    },
    quiet: { 'validation-command': null },
  },
});

describe('a loop type', () => {
  it('of the user wins over files, also where it says the default', () => {
    shows('002.config-type', '002.config-validation');
    const settings = applied('mine', [own]);
    expect(settings.limits).toMatchObject({ 'max-iterations': 100, 'iteration-timeout': null });
    expect(settings.validation.command).toBe('make check');
    expect(settings.progress['max-chars']).toBe(900);
    expect(settings.agent).toBe('codex');
    expect(settings['model-strategy']).toMatchObject({ name: 'fixed', model: 'opus' });
    expect(settings.strategy).toEqual({ name: 'fixed', iterations: 3 });
    expect(settings.gates).toMatchObject([{ type: 'approval' }]);
    expect(settings.hooks['loop-start']).toMatchObject([{ command: 'a' }]);
    expect(settings.hooks['loop-end']).toMatchObject([{ command: 'c' }]);
  });

  it('gives way to environment and flags', () => {
    const settings = applied('mine', [
      own,
      environmentLayer({ LOOPWRIGHT_LIMITS_MAX_ITERATIONS: '6', LOOPWRIGHT_STRATEGY: 'manual' })
        .layer,
      flagsLayer({ validate: 'true', model: 'haiku', agent: 'pi' }),
    ]);
    expect(settings.limits['max-iterations']).toBe(6);
    expect(settings.strategy.name).toBe('manual');
    expect(settings.validation.command).toBe('true');
    expect(settings['model-strategy']).toMatchObject({ name: 'fixed', model: 'haiku' });
    expect(settings.agent).toBe('pi');
  });

  it('that is built in only brings better defaults', () => {
    shows('000.type-override');
    expect(applied('phase', []).progress).toMatchObject({ 'max-entries': 10, 'max-chars': 1000 });
    expect(applied('plan', []).limits['max-iterations']).toBe(25);
    const settings = applied('phase', [own]);
    expect(settings.limits['max-iterations']).toBe(3);
    expect(settings.progress).toMatchObject({ 'max-entries': 10, 'max-chars': 50 });
  });

  it("with a null command keeps the project's own", () => {
    expect(applied('quiet', [own]).validation.command).toBe('npm test');
  });

  it('says which tools the native agent has, and no other agent', () => {
    shows('002.config-tools');
    const types = { look: { tools: ['read', 'grep'] } };
    const agents = {
      local: { kind: 'native', provider: 'openai', tools: ['bash'] },
      cli: { command: 'x' },
    };
    const agentsWith = (agent: string) =>
      applied('look', [layer('project', { agent, agents, types })]).agents;
    expect(agentsWith('native')).toMatchObject({
      native: { kind: 'native', tools: ['read', 'grep'] },
      local: { tools: ['bash'] },
    });
    expect(agentsWith('local')).toMatchObject({
      local: { kind: 'native', provider: 'openai', tools: ['read', 'grep'] },
    });
    expect(agentsWith('cli')['cli']).toEqual({ command: 'x' });
  });
});

const pass = (name: string, check = 'true') => ({ name, focus: 'Look.', check });
const withPasses = (passes: readonly object[], rest: object = {}) =>
  layer('project', {
    types: { mine: { inputs: [{ name: 'file', default: 'a b' }], passes } },
    ...rest,
  });

describe('review passes that cannot be carried out', () => {
  it('have two of one name', () => {
    expect(() => applied('mine', [withPasses([pass('x'), pass('x', 'false')])])).toThrow(
      'must not have two passes of one name',
    );
  });

  it.each([
    ['validation.commands', { validation: { commands: { 'pass-x': 'npm test' } } }],
    ['verify.hidden', { verify: { hidden: { 'pass-x': 'npm test' } } }],
  ])('have the name of a check of %s', (section, rest) => {
    expect(() => applied('mine', [withPasses([pass('x')], rest)])).toThrow(
      expect.objectContaining({
        code: 'loop_type.check_name',
        message: expect.stringContaining(`${section}.pass-x`),
      }),
    );
  });

  it.each(['{{nosuch}}', '{{ File }}', '{{plan_file}}'])('name an unknown input: %s', (input) => {
    expect(() => applied('mine', [withPasses([pass('x', `test -s ${input}`)])])).toThrow(
      expect.objectContaining({
        code: 'loop_type.unknown_input',
        hint: expect.stringContaining('file'),
      }),
    );
  });

  it('are not those with other braces, which reach the shell as they are', () => {
    const check = "docker ps --format '{{.Names}}' && test -s {{ file }}";
    const { commands } = applied('mine', [withPasses([pass('x', check)])]).validation;
    expect(commands['pass-x']?.command).toBe("docker ps --format '{{.Names}}' && test -s 'a b'");
  });
});
