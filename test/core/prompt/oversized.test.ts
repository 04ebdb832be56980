import { describe, expect, it } from 'vitest';
import { fitTexts } from '../../../src/core/prompt/oversized.ts';

const limits = { input: 20, guidance: 20, shared: 20 };
const none = { inputs: {}, guidance: [], shared: [] };

describe('fitTexts', () => {
  it('leaves texts within their limits as they are, and needs no file', () => {
    const texts = {
      inputs: { spec: 'x'.repeat(20) },
      guidance: [{ timeMs: 1, text: '漢'.repeat(20) }],
      shared: [
        { from: 'a', text: 'ten chars.' },
        { from: 'b', text: 'ten chars!' },
      ],
    };
    expect(fitTexts(texts, limits, 3)).toEqual({ ...texts, sharedElsewhere: '', files: [] });
  });

  it('names the file of a long text, its size and its first lines', () => {
    const text = `# Spec\n${'line\n'.repeat(10)}the end`;
    const { inputs, files } = fitTexts({ ...none, inputs: { spec: text } }, limits, 1);
    expect(files).toEqual([{ path: '.loopwright/inputs/input-spec.md', text: `${text}\n` }]);
    expect(inputs['spec']).toBe(
      [
        'This text (65 characters, 12 lines) stands in the file `.loopwright/inputs/input-spec.md` of your working folder. Read all of it; do not change or commit it. It begins:',
        '```',
        '# Spec',
        'line',
        'line',
        'line',
        'line',
        '```',
      ].join('\n'),
    );
  });

  it('keeps each guidance under a name of its own', () => {
    const guidance = ['short', 'a'.repeat(21), 'b'.repeat(21)].map((text) => ({ timeMs: 5, text }));
    const fitted = fitTexts({ ...none, guidance }, limits, 1);
    expect(fitted.files.map(({ path }) => path)).toEqual([
      '.loopwright/inputs/guidance-2.md',
      '.loopwright/inputs/guidance-3.md',
    ]);
    expect(fitted.guidance[0]?.text).toBe('short');
  });

  it('puts all that is shared beyond the limit into one file, nothing is lost', () => {
    const shared = [
      { from: 'one', text: 'fits well' },
      { from: 'two\u001b[2J', text: `${'long '.repeat(10)}tail` },
      { from: 'three', text: 'fits too' },
      { from: 'four', text: 'not any more' },
    ];
    const fitted = fitTexts({ ...none, shared }, limits, 7);
    expect(fitted.shared.map(({ from }) => from)).toEqual(['one', 'three']);
    const [file] = fitted.files;
    expect(file?.path).toBe('.loopwright/inputs/shared-7.md');
    expect(file?.text).toContain('long tail');
    expect(file?.text).toContain('not any more');
    expect(file?.text).not.toContain('\u001b');
    expect(fitted.sharedElsewhere).toContain('2 more of these (');
  });

  it('shows no more than 400 characters of a line without end', () => {
    const { inputs } = fitTexts({ ...none, inputs: { all: '<b>`'.repeat(9000) } }, limits, 1);
    expect(inputs['all']?.length).toBeLessThan(1200);
    expect(inputs['all']).not.toMatch(/<[a-z]/);
  });
});
