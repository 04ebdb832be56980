import { describe, expect, it } from 'vitest';
import { defaultTools } from '../../../src/core/agent/native/tool.ts';
import type { LoopTypeDefinition } from '../../../src/core/loop-type/definition.ts';
import {
  inputValues,
  loopTypeNames,
  resolveLoopType,
} from '../../../src/core/loop-type/resolve.ts';
import type { LoopTypes, LoopTypeSource } from '../../../src/core/loop-type/resolve.ts';

function types(source: LoopTypeSource, definitions: Record<string, LoopTypeDefinition>): LoopTypes {
  return { source, types: definitions };
}

/** `t0`, and after it `length` types that each extend the one before. */
function chain(length: number): LoopTypes {
  const links = Array.from({ length }, (_, index) => [`t${index + 1}`, { extends: `t${index}` }]);
  return types('inline', Object.fromEntries([['t0', {}], ...links]));
}

describe('a loop type', () => {
  it('of a stronger source is laid over the weaker one, whatever the order given', () => {
    const project = types('project', { plan: { 'max-iterations': 7 } });
    const user = types('user', { plan: { 'max-iterations': 9, agent: 'codex' } });
    const type = resolveLoopType('plan', [project, user]);
    expect(type.values).toMatchObject({ 'max-iterations': 7, agent: 'codex' });
    expect(type.values['prompt-template']).toContain('{{pass-focus}}');
    expect(type.writtenBy).toMatchObject({
      'max-iterations': 'project',
      agent: 'user',
      'prompt-template': 'built-in',
    });
  });

  it('keeps a value that equals a default over the type it extends', () => {
    const inline = types('inline', {
      a: { 'max-iterations': 7, 'success-exit-code': 3, 'prompt-template': 'A' },
      b: { extends: 'a', 'max-iterations': 100, 'success-exit-code': 0, 'prompt-template': null },
    });
    const { values, lineage } = resolveLoopType('b', [inline]);
    expect(values).toEqual({
      'max-iterations': 100,
      'success-exit-code': 0,
      'prompt-template': null,
    });
    expect(lineage).toEqual(['a']);
  });

  it('replaces lists, and appends with a plus', () => {
    const inline = types('inline', {
      a: {
        tools: ['read', 'grep'],
        gates: [],
        outputs: ['x'],
        inputs: [{ name: 'p', default: '1' }],
      },
      b: { extends: 'a', tools: ['bash'] },
      c: { extends: 'b', '+tools': ['edit'], '+inputs': [{ name: 'p' }, { name: 'q' }] },
    });
    expect(resolveLoopType('c', [inline]).values).toMatchObject({
      tools: ['bash', 'edit'],
      outputs: ['x'],
      inputs: [{ name: 'p' }, { name: 'q' }],
    });
  });

  it('that appends tools to none appends them to all that are built', () => {
    const inline = types('inline', { a: { '+tools': ['query'] } });
    const { tools } = resolveLoopType('a', [inline]).values;
    expect(tools).toEqual([...defaultTools, 'query']);
  });

  it('is not overruled in its model strategy by an inherited model', () => {
    const inline = types('inline', {
      a: { model: 'opus' },
      b: {
        extends: 'a',
        'model-strategy': { name: 'escalate', 'allow-next-model': true, allowed: [] },
      },
    });
    expect(resolveLoopType('b', [inline]).values.model).toBeUndefined();
  });

  it('shows the cycle when types extend each other', () => {
    const inline = types('inline', {
      start: { extends: 'a' },
      a: { extends: 'b' },
      b: { extends: 'c' },
      c: { extends: 'a' },
      self: { extends: 'self' },
    });
    expect(() => resolveLoopType('start', [inline])).toThrow('a -> b -> c -> a');
    expect(() => resolveLoopType('self', [inline])).toThrow('self -> self');
  });

  it('extends at most ten types', () => {
    expect(resolveLoopType('t10', [chain(10)]).lineage).toHaveLength(10);
    expect(() => resolveLoopType('t11', [chain(11)])).toThrow('more than 10');
  });

  it('that is unknown is refused with the nearest name', () => {
    expect(() => resolveLoopType('phse', [])).toThrow(
      expect.objectContaining({ code: 'loop_type.unknown', hint: 'Did you mean `phase`?' }),
    );
    const inline = types('inline', { a: { extends: 'ralf' } });
    expect(() => resolveLoopType('a', [inline])).toThrow(
      'unknown loop type `ralf`, which `a` extends',
    );
    expect(() => resolveLoopType('__proto__', [])).toThrow('unknown loop type');
  });

  it('can be listed', () => {
    expect(loopTypeNames([types('user', { docs: {}, plan: {} })])).toEqual([
      'docs',
      'phase',
      'plan',
      'ralph',
      'spec',
    ]);
  });
});

describe('inputs', () => {
  const type = resolveLoopType('a', [
    types('inline', { a: { inputs: [{ name: 'given' }, { name: 'file', default: 'x.md' }] } }),
  ]);

  it('take what is given, else their default', () => {
    expect(inputValues(type, { given: 'g', other: 'o' })).toEqual({ given: 'g', file: 'x.md' });
  });

  it('without either are refused by name', () => {
    expect(() => inputValues(type, {})).toThrow('loop type `a` needs a value for given');
  });
});
