import { describe, expect, it } from 'vitest';
import { parsePromptFile, type PromptFile } from '../../../src/adapters/template/prompt-file.ts';
import {
  withPromptDefaults,
  type PromptDefaults,
} from '../../../src/core/prompt/prompt-defaults.ts';
import { isLoopwrightError, type LoopwrightError } from '../../../src/core/error.ts';

async function errorOf(run: () => unknown): Promise<LoopwrightError> {
  try {
    await run();
  } catch (error) {
    if (isLoopwrightError(error)) return error;
    throw error;
  }
  throw new Error('expected an error');
}

const file = (overrides: Partial<PromptFile>): PromptFile => ({
  name: null,
  version: null,
  required: [],
  defaults: {},
  template: '',
  ...overrides,
});

const asked = (overrides: Partial<PromptDefaults>): PromptDefaults => ({
  required: [],
  defaults: {},
  source: 'review',
  ...overrides,
});

describe('parsePromptFile', () => {
  it('takes a file without front matter as it is', async () => {
    const text = 'Do {{task-title}}\n\n---\n\nmore\n';
    expect(await parsePromptFile(text, 'p.md')).toEqual(file({ template: text }));
  });

  it('reads name, version, required variables and defaults', async () => {
    const text = `---
name: review
version: 2
required: [phase-name]
defaults:
  tone: calm
  files: [a, b]
---
Review {{phase-name}}
`;
    expect(await parsePromptFile(text, 'p.md')).toEqual({
      name: 'review',
      version: '2',
      required: ['phase-name'],
      defaults: { tone: 'calm', files: ['a', 'b'] },
      template: 'Review {{phase-name}}\n',
    });
  });

  it('reads files of other systems: byte order mark and carriage returns', async () => {
    expect(await parsePromptFile('\uFEFF---\r\nname: a\r\n---\r\nx\r\ny', 'p.md')).toEqual(
      file({ name: 'a', template: 'x\ny' }),
    );
  });

  it('takes empty front matter', async () => {
    expect(await parsePromptFile('---\n---\nx', 'p.md')).toEqual(file({ template: 'x' }));
  });

  it.each([
    ['---\nname: a\n', 'the front matter has no closing line of three dashes'],
    ['---\nnmae: a\n---\n', 'unknown key "nmae" in the front matter. Did you mean "name"?'],
    ['---\nrequired: x\n---\n', 'required'],
    ['---\n- a\n---\n', 'expected object'],
    ['---\nname: [\n---\n', 'line 2'],
  ])('explains what is wrong with %o', async (text, problem) => {
    const error = await errorOf(() => parsePromptFile(text, 'prompts/p.md'));
    expect(error.code).toBe('prompt.file');
    expect(error.message).toContain('Prompt file prompts/p.md: ');
    expect(error.message).toContain(problem);
  });
});

describe('withPromptDefaults', () => {
  it('fills what is absent or empty and nothing else', () => {
    const prompt = asked({ defaults: { tone: 'calm', depth: 3, 'task-title': 'none' } });
    expect(withPromptDefaults(prompt, { tone: '', 'task-title': 'x', depth: 0 })).toEqual({
      tone: 'calm',
      'task-title': 'x',
      depth: 0,
    });
  });

  it('asks for a required variable that has no value', async () => {
    const prompt = asked({ required: ['task-title', 'phase-name'] });
    const error = await errorOf(() => withPromptDefaults(prompt, { 'task-title': 'x' }));
    expect(error.code).toBe('prompt.missing_variable');
    expect(error.message).toBe('The prompt of review requires a value for "phase-name".');
  });

  it('is content with a default for a required variable', () => {
    const prompt = asked({ required: ['tone'], defaults: { tone: 'calm' } });
    expect(withPromptDefaults(prompt, {})).toEqual({ tone: 'calm' });
  });
});
