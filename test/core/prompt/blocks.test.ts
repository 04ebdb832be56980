import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendBlocks, fitBlocks } from '../../../src/core/prompt/blocks.ts';

const x = (length: number) => 'x'.repeat(length);

describe('fitBlocks', () => {
  it('keeps everything that fits', () => {
    const blocks = { memory: ['m', ''], progress: ['p', ''], feedback: 'f' };
    expect(fitBlocks(blocks)).toEqual({ memory: 'm', progress: 'p', feedback: 'f' });
  });

  it('takes empty lists for empty blocks', () => {
    expect(fitBlocks({ memory: [], progress: [], feedback: '' })).toEqual({
      memory: '',
      progress: '',
      feedback: '',
    });
  });

  it('shortens memory before progress', () => {
    const blocks = { memory: [x(50), x(30), x(10)], progress: [x(40), x(20), ''], feedback: x(30) };
    const lengths = (ceiling: number) => {
      const fitted = fitBlocks(blocks, ceiling);
      return [fitted.memory.length, fitted.progress.length, fitted.feedback.length];
    };
    expect(lengths(120)).toEqual([50, 40, 30]);
    expect(lengths(119)).toEqual([30, 40, 30]);
    expect(lengths(80)).toEqual([10, 40, 30]);
    expect(lengths(79)).toEqual([10, 20, 30]);
    expect(lengths(59)).toEqual([10, 0, 30]);
    expect(lengths(39)).toEqual([0, 0, 30]);
    expect(lengths(20)).toEqual([0, 0, 20]);
  });

  it('never exceeds the ceiling', () => {
    const variants = fc.array(fc.string({ unit: 'grapheme', maxLength: 80 }), { maxLength: 5 });
    fc.assert(
      fc.property(
        fc.record({ memory: variants, progress: variants, feedback: fc.string({ maxLength: 80 }) }),
        fc.nat({ max: 200 }),
        (blocks, ceiling) => {
          const { memory, progress, feedback } = fitBlocks(blocks, ceiling);
          expect(Array.from(memory + progress + feedback).length).toBeLessThanOrEqual(ceiling);
        },
      ),
    );
  });

  it('has a ceiling of 12 000 characters', () => {
    const fitted = fitBlocks({
      memory: [x(5000)],
      progress: [x(5000), x(3000)],
      feedback: x(4000),
    });
    expect(fitted.progress.length).toBe(3000);
  });
});

describe('appendBlocks', () => {
  it('appends shares that a template does not print, and says so only when there are some', () => {
    const printed = new Set(['memory', 'progress', 'feedback', 'guidance']);
    expect(appendBlocks('text', { shared: '' }, printed)).toEqual({ text: 'text', warning: null });
    expect(appendBlocks('text', { shared: 'a note' }, printed)).toEqual({
      text: 'text\n\n## Shared by Other Loops\n\na note\n',
      warning: 'The prompt template does not print {{shared}}; appended at the end.',
    });
  });

  const context = { memory: '### Loop Status', progress: 'p', feedback: 'f', guidance: '' };

  it('leaves a template alone that prints all of them', () => {
    const printed = new Set(['memory', 'progress', 'feedback', 'guidance']);
    expect(appendBlocks('text\n', context, printed)).toEqual({ text: 'text\n', warning: null });
  });

  it('appends what is not printed, under its heading, and warns', () => {
    const { text, warning } = appendBlocks('Do it.\n\n', context, new Set(['feedback']));
    expect(text).toBe('Do it.\n\n### Loop Status\n\n## Previous Iterations\n\np\n');
    expect(warning).toBe(
      'The prompt template does not print {{memory}}, {{progress}}, {{guidance}}; appended at the end.',
    );
  });

  it('warns, and changes nothing, while the blocks are empty', () => {
    const empty = { memory: '', progress: '', feedback: '', guidance: '' };
    const { text, warning } = appendBlocks('Do it.\n\n', empty, new Set());
    expect(text).toBe('Do it.\n\n');
    expect(warning).not.toBeNull();
  });
});
