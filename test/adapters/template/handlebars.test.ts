import { describe, expect, it } from 'vitest';
import { createTemplates } from '../../../src/adapters/template/handlebars.ts';
import { isLoopwrightError, type LoopwrightError } from '../../../src/core/error.ts';
import type { TemplateOptions } from '../../../src/core/prompt/templates.ts';

const templates = createTemplates();
const context = {
  'task-id': 't-12345678',
  'task-title': 'Add <b> & "quotes"',
  iteration: 2,
  progress: '',
  files: ['a.ts', 'b.ts'],
  people: [{ name: 'Ada' }, { name: 'Bo' }],
  owner: { name: 'Cy' },
};

function render(template: string, options?: TemplateOptions): string {
  return templates.render(template, context, options).text;
}

function errorOf(template: string, options?: TemplateOptions): LoopwrightError {
  try {
    render(template, options);
  } catch (error) {
    if (isLoopwrightError(error)) return error;
    throw error;
  }
  throw new Error('expected an error');
}

describe('rendering', () => {
  it.each([
    ['{{task-id}}', 't-12345678'],
    ['{{task-title}}', 'Add <b> & "quotes"'],
    ['{{{task-title}}}', 'Add <b> & "quotes"'],
    ['{{#if progress}}yes{{else}}no{{/if}}', 'no'],
    ['{{#unless progress}}none{{/unless}}', 'none'],
    ['{{#each files}}{{@index}}={{this}};{{/each}}', '0=a.ts;1=b.ts;'],
    ['{{#each files}}{{../task-id}} {{/each}}', 't-12345678 t-12345678 '],
    ['{{#each files}}{{@root.iteration}}{{/each}}', '22'],
    ['{{#each people as |one|}}{{one.name}} {{/each}}', 'Ada Bo '],
    ['{{#each people}}{{name}}{{#unless @last}}, {{/unless}}{{/each}}', 'Ada, Bo'],
    ['{{#with owner}}{{name}}{{/with}}', 'Cy'],
    ['{{owner.name}}', 'Cy'],
    ['{{#if (eq iteration 2)}}second{{/if}}', 'second'],
    ['{{#if (not progress)}}fresh{{/if}}', 'fresh'],
    ['{{default progress "nothing"}}', 'nothing'],
    ['{{join files}} {{join files " + "}}', 'a.ts, b.ts a.ts + b.ts'],
    ['{{upper (trim " x ")}}{{lower "Y"}}', 'Xy'],
    ['{{json owner}}', '{\n  "name": "Cy"\n}'],
    ['{{lookup files 1}}', 'b.ts'],
    ['{{! a comment }}x{{~ iteration ~}} y', 'x2y'],
    ['\\{{task-id}}', '{{task-id}}'],
  ])('%s', (template, expected) => {
    expect(render(template)).toBe(expected);
  });

  it('leaves no trace of a block whose condition is false', () => {
    expect(render('a\n{{#if progress}}\n\n## P\n{{progress}}\n{{/if}}\nb\n')).toBe('a\nb\n');
  });

  it('prints values as they are, without expanding what looks like a template in them', () => {
    const hostile = '{{task-id}} {{#each files}}{{/each}} {{> secret}} \\{{x}} <b>';
    const { text } = templates.render(
      '{{note}}',
      { note: hostile },
      { partials: { secret: 'no' } },
    );
    expect(text).toBe(hostile);
  });

  it('never calls a function among the values', () => {
    let called = false;
    const call = () => {
      called = true;
      return 'x';
    };
    expect(() => templates.render('{{call}}', { call })).toThrow('call');
    expect(() => templates.render('{{o.call}}', { o: { call } })).toThrow();
    expect(called).toBe(false);
  });
});

describe('unknown names', () => {
  it('names an unknown variable, where it is and the nearest known one', () => {
    const error = errorOf('first\n{{tsk-id}}', { source: 'prompt.md' });
    expect(error.code).toBe('prompt.unknown_variable');
    expect(error.message).toBe(
      'Unknown variable "tsk-id" (prompt.md, line 2). Did you mean "task-id"?',
    );
    expect(error.details).toEqual({ name: 'tsk-id' });
  });

  it.each([
    '{{#if progress}}{{tsk-id}}{{/if}}',
    '{{#if tsk-id}}x{{/if}}',
    '{{#unless iteration}}{{tsk-id}}{{/unless}}',
    '{{#if iteration}}x{{else}}{{tsk-id}}{{/if}}',
    '{{#if (eq tsk-id 1)}}x{{/if}}',
    '{{upper (trim tsk-id)}}',
    '{{#each tsk-id}}x{{/each}}',
    '{{#each files}}{{../tsk-id}}{{/each}}',
    '{{#each files}}{{@root.tsk-id}}{{/each}}',
    '{{#tsk-id}}x{{/tsk-id}}',
    '{{^tsk-id}}x{{/tsk-id}}',
    '{{this.tsk-id}}',
    '{{"tsk-id"}}',
    '{{tsk-id.length}}',
    '{{> part x=tsk-id}}',
    '{{> uses-unknown}}',
  ])('finds it in %s', (template) => {
    const partials = { part: '{{x}}', 'uses-unknown': '{{tsk-id}}' };
    expect(errorOf(template, { partials })).toMatchObject({
      code: 'prompt.unknown_variable',
      details: { name: 'tsk-id' },
    });
  });

  it('finds a name that an item lacks when the item is rendered', () => {
    expect(errorOf('{{#each people}}{{task-id}}{{/each}}')).toMatchObject({
      code: 'prompt.unknown_variable',
      details: { name: 'task-id' },
      hint: expect.stringContaining('../name'),
    });
  });

  it.each(['{{constructor}}', '{{__proto__}}', '{{toString}}', '{{@process}}', '{{this}}'])(
    'takes %s for an unknown variable',
    (template) => {
      expect(errorOf(template).code).toBe('prompt.unknown_variable');
    },
  );

  it.each(['{{owner.constructor}}', '{{lookup owner "constructor"}}', '{{files.map}}'])(
    'gives no access to a prototype by %s',
    (template) => {
      let text: string;
      try {
        text = render(template);
      } catch (error) {
        if (!isLoopwrightError(error)) throw error;
        text = '';
      }
      expect(text).toBe('');
    },
  );

  it.each([
    ['{{shout task-id}}', 'prompt.unknown_helper'],
    ['{{#repeat 3}}x{{/repeat}}', 'prompt.unknown_helper'],
    ['{{#eq iteration 2}}x{{/eq}}', 'prompt.unknown_helper'],
    ['{{log task-id}}', 'prompt.unknown_helper'],
    ['{{eq iteration}}', 'prompt.helper_arguments'],
    ['{{> missing}}', 'prompt.unknown_partial'],
    ['{{> (lookup owner "name")}}', 'prompt.unsupported'],
    ['{{#> layout}}x{{/layout}}', 'prompt.unsupported'],
    ['{{#*inline "x"}}y{{/inline}}', 'prompt.unsupported'],
    ['{{#if progress}}', 'prompt.syntax'],
    ['{{task-id', 'prompt.syntax'],
  ])('refuses %s with %s', (template, code) => {
    expect(errorOf(template).code).toBe(code);
  });
});

/** Partials that each include the next. */
const chain = (depth: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: depth }, (_, index) => [
      `p${index + 1}`,
      index + 1 === depth ? 'end' : `{{> p${index + 2}}}`,
    ]),
  );

describe('partials', () => {
  it('sees the context of the caller and its own arguments', () => {
    const partials = { head: '{{task-id}}: {{label}}' };
    expect(render('{{> head label="x"}}', { partials })).toBe('t-12345678: x');
  });

  it('sees an item when it is used for one', () => {
    const partials = { person: '{{name}};' };
    expect(render('{{#each people}}{{> person}}{{/each}}{{> person owner}}', { partials })).toBe(
      'Ada;Bo;Cy;',
    );
  });

  it('does not indent the lines of a value', () => {
    const { text } = templates.render('  {{> p}}', { v: 'a\nb' }, { partials: { p: '{{v}}' } });
    expect(text).toBe('  a\nb');
  });

  it('nest five deep and no deeper', () => {
    expect(render('{{> p1}}', { partials: chain(5) })).toBe('end');
    expect(errorOf('{{> p1}}', { partials: chain(6) }).code).toBe('prompt.partial_depth');
  });

  it('may not include themselves, nor multiply without end', () => {
    expect(errorOf('{{> a}}', { partials: { a: '{{> a}}' } }).code).toBe('prompt.partial_cycle');
    const many = '{{> b}}'.repeat(50);
    const partials = { a: many, b: '{{> c}}'.repeat(50), c: '{{> d}}'.repeat(50), d: 'x' };
    expect(errorOf('{{> a}}', { partials }).code).toBe('prompt.partial_depth');
  });
});

describe('printedVariables', () => {
  it.each([
    ['{{progress}}', ['progress']],
    ['{{#if progress}}there is some{{/if}}', []],
    ['{{#if (eq progress "x")}}y{{/if}}', []],
    ['{{#if iteration}}{{progress}}{{/if}}', ['progress']],
    ['{{#with progress}}{{this}}{{/with}}', ['progress']],
    ['{{#progress}}{{this}}{{/progress}}', ['progress']],
    ['{{default progress "none"}}', ['progress']],
    ['{{> part}} {{> other text=memory}}', ['progress', 'memory']],
    ['{{! {{progress}} }} \\{{memory}}', []],
  ])('of %s', (template, expected) => {
    const partials = { part: '{{progress}}', other: '{{text}}' };
    expect([...templates.printedVariables(template, { partials })]).toEqual(expected);
  });
});
