import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTemplates } from '../../../src/adapters/template/handlebars.ts';
import { createPlainTemplates, parsePlain } from '../../../src/adapters/template/plain.ts';
import { createTemplatesOnDemand } from '../../../src/adapters/template/templates-on-demand.ts';
import type { TemplateContext, Templates } from '../../../src/core/prompt/templates.ts';
import { defaultTemplate } from '../../../src/core/prompt/default-template.ts';

const handlebars = createTemplates();

function outcome(templates: Templates, template: string, context: TemplateContext): unknown {
  try {
    const { text } = templates.render(template, context, { source: 'a file' });
    return { text, printed: [...templates.printedVariables(template)] };
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

const names = ['task-id', 'memory', 'x1', 'a'];
const space = fc.constantFrom('', ' ', '\n', '\n\n', '\t\n', '  \n ', '\r\n', ' \r\n\t');
const word = fc.constantFrom(
  '',
  'Text.',
  '}',
  '{',
  'a {b} c',
  '\\',
  '## Head',
  'ü',
  '{}',
  '"`${1}',
);
const name = fc.constantFrom(...names, 'unknown', 'else', 'lookup', 'this');
const tag = fc.oneof(
  name.map((each) => `{{${each}}}`),
  name.map((each) => `{{#if ${each}}}`),
  fc.constantFrom('{{/if}}', '{{/if}}', '{{{a}}}', '{{else}}', '{{ a }}', '{{~a}}', '{{!a}}'),
);
const section = fc
  .tuple(name, space, word, space, tag, space)
  .map(([each, ...inner]) => `{{#if ${each}}}${inner.join('')}{{/if}}`);
const template = fc
  .array(fc.oneof({ weight: 3, arbitrary: space }, word, tag, section), { maxLength: 12 })
  .map((parts) => parts.join(''));
const value = fc.constantFrom('', 'text', 'two\nlines', '{{a}}', '<b>&', null, [], ['p', 'q']);
const context = fc.record(Object.fromEntries(names.map((each) => [each, value])));

describe('a plain template', () => {
  it('gives what Handlebars gives, errors included', () => {
    let plain = 0;
    fc.assert(
      fc.property(template, context, (text, values) => {
        const parts = parsePlain(text);
        if (parts === null) return;
        plain += 1;
        const own = outcome(createPlainTemplates(parts), text, values);
        expect(own).toEqual(outcome(handlebars, text, values));
      }),
      { numRuns: 2000 },
    );
    expect(plain).toBeGreaterThan(100);
  });

  it('prints numbers as they are', () => {
    const text = '{{a}}{{a}}{{#if a}} of {{x1}}{{/if}}';
    const parts = parsePlain(text) ?? [];
    const rendered = createPlainTemplates(parts).render(text, { a: 3, x1: 0 });
    expect(rendered).toEqual({ text: '33 of 0' });
  });

  it('is the default one', () => {
    expect(parsePlain(defaultTemplate)).not.toBeNull();
  });

  it.each([
    '{{#if a}}{{#if a}}{{/if}}{{/if}}',
    '{{/if}}',
    '{{#if a}}',
    '\\{{a}}',
    '{{{a}}}',
    '{{upper a}}',
    '{{> p}}',
  ])('is not %s', (text) => {
    expect(parsePlain(text)).toBeNull();
  });
});

it('finds the engine that a template needs', async () => {
  const templatesFor = createTemplatesOnDemand();
  const values = { a: 'x' };
  expect((await templatesFor('{{a}}!')).render('{{a}}!', values)).toEqual({ text: 'x!' });
  expect((await templatesFor('{{upper a}}')).render('{{upper a}}', values)).toEqual({ text: 'X' });
});
