import Handlebars from 'handlebars';
import { describe, expect, it } from 'vitest';
import { builtInTypes } from '../../../src/core/loop-type/built-in.ts';
import { LoopTypeDefinition } from '../../../src/core/loop-type/definition.ts';
import { inputValues, resolveLoopType } from '../../../src/core/loop-type/resolve.ts';
import { shows } from '../../support/shows.ts';

const variables = [
  'task-id',
  'task-title',
  'task-description',
  'acceptance-criteria',
  'parent-context',
  'completed-prerequisites',
  'pass',
  'pass-focus',
  'iteration',
  'max-iterations',
  'working-directory',
  'branch',
  'git-status',
  'git-diff',
  'git-log',
  'progress',
  'memory',
  'feedback',
  'guidance',
  'shared',
];

describe('built-in loop types', () => {
  it('have the caps and progress sizes of the contract', () => {
    const caps = ['plan', 'spec', 'phase', 'ralph'].map(
      (name) => resolveLoopType(name, []).values['max-iterations'],
    );
    expect(caps).toEqual([25, 50, 50, 100]);
    expect(resolveLoopType('phase', []).values).toMatchObject({
      'progress-max-entries': 10,
      'progress-max-chars': 1000,
    });
    expect(resolveLoopType('ralph', []).values['prompt-template']).toBeNull();
  });

  it('never bring a validation command of their own', () => {
    for (const type of Object.values(builtInTypes)) {
      expect(type['validation-command'] ?? null).toBeNull();
    }
  });

  it('could be written by a user', () => {
    for (const type of Object.values(builtInTypes))
      expect(LoopTypeDefinition().parse(type)).toEqual(type);
  });

  it.each(['plan', 'spec', 'phase'])(
    '%s renders from known variables alone, values literally',
    (name) => {
      shows('000.all-templates');
      const type = resolveLoopType(name, []);
      const render = Handlebars.compile(type.values['prompt-template'], {
        strict: true,
        noEscape: true,
      });
      const known = Object.fromEntries(
        variables.map((variable) => [variable, `<${variable}>{{x}}`]),
      );
      const text = render({ ...known, ...inputValues(type, {}) });
      for (const block of ['memory', 'progress', 'feedback', 'guidance', 'shared', 'task-title']) {
        expect(text).toContain(`<${block}>{{x}}`);
      }
      const empty = Object.fromEntries(variables.map((variable) => [variable, '']));
      expect(render({ ...empty, ...inputValues(type, {}) })).not.toMatch(
        /### Description|## Feedback/,
      );
    },
  );
});
