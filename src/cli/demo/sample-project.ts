/** The sample project: a small library that writes and reads Roman numerals, with most of its tests failing. */

export const taskTitle = 'Roman numerals work in both directions';

export const taskDescription = `toRoman writes a number as a Roman numeral, fromRoman reads one.
Make every test in test/roman.test.js pass without changing the tests.

- [ ] four and nine are written by subtraction
- [ ] numerals can be read back
- [ ] what is no number or no numeral is refused
`;

const subtractiveLetters = `const letters = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];`;

const plainLetters = `const letters = [
  [1000, 'M'],
  [500, 'D'],
  [100, 'C'],
  [50, 'L'],
  [10, 'X'],
  [5, 'V'],
  [1, 'I'],
];`;

const writesBody = `  let rest = number;
  let text = '';`;

const unwrittenReader = `  throw new Error(\`reading \${text} is not written yet\`);`;

const reader = `  let rest = text;
  let number = 0;
  for (const [value, letter] of letters) {
    while (rest.startsWith(letter)) {
      number += value;
      rest = rest.slice(letter.length);
    }
  }
  return number;`;

const source = `// Roman numerals, written and read.

${plainLetters}

/** 1994 becomes 'MCMXCIV'. */
export function toRoman(number) {
${writesBody}
  for (const [value, letter] of letters) {
    while (rest >= value) {
      text += letter;
      rest -= value;
    }
  }
  return text;
}

/** 'MCMXCIV' becomes 1994. */
export function fromRoman(text) {
${unwrittenReader}
}
`;

const test = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromRoman, toRoman } from '../src/roman.js';

test('writes the seven letters', () => {
  const letters = [1, 5, 10, 50, 100, 500, 1000].map(toRoman);
  assert.deepEqual(letters, ['I', 'V', 'X', 'L', 'C', 'D', 'M']);
});

test('repeats letters', () => {
  assert.equal(toRoman(3), 'III');
  assert.equal(toRoman(27), 'XXVII');
});

test('writes four and nine by subtraction', () => {
  assert.equal(toRoman(4), 'IV');
  assert.equal(toRoman(49), 'XLIX');
});

test('writes long numerals', () => {
  assert.equal(toRoman(1994), 'MCMXCIV');
  assert.equal(toRoman(3888), 'MMMDCCCLXXXVIII');
});

test('refuses what cannot be written', () => {
  for (const number of [0, -1, 4000, 1.5]) assert.throws(() => toRoman(number), RangeError);
});

test('reads numerals', () => {
  assert.equal(fromRoman('XXVII'), 27);
  assert.equal(fromRoman('MCMXCIV'), 1994);
});

test('refuses text that is no numeral', () => {
  for (const text of ['ABC', 'IIII', 'VX']) assert.throws(() => fromRoman(text), SyntaxError);
});

test('reads back every number it writes', () => {
  for (let number = 1; number < 4000; number++) assert.equal(fromRoman(toRoman(number)), number);
});
`;

const manifest = `{
  "name": "roman",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`;

const readme = `# roman

Writes and reads Roman numerals. A sample project made by \`loopwright demo\`.

    node --test     runs the tests
`;

/** Files of the sample repository, by path. */
export const sampleFiles: Readonly<Record<string, string>> = {
  'README.md': readme,
  'package.json': manifest,
  'src/roman.js': source,
  'test/roman.test.js': test,
};

const file = 'src/roman.js';

/** Shows what the code does now, as agents do; a machine without a `node` on PATH loses only this line. */
function tryOut(call: string): { readonly run: string } {
  return { run: `node -e "import('./src/roman.js').then((r) => console.log(r.${call}))"` };
}

/**
 * What the scripted agent does: it claims to be done too early, then gets further but breaks what worked, then gets it
 * right. It is a script, so it does this whatever the checks say; the engine finds out by itself.
 */
export const sampleScript = {
  iterations: [
    {
      steps: [
        { say: 'Four comes out as IIII: pairs are missing.' },
        tryOut('toRoman(4)'),
        { edit: { path: file, find: plainLetters, replace: subtractiveLetters } },
        tryOut('toRoman(1994)'),
        { say: 'MCMXCIV, correct. That should be all.' },
      ],
      final:
        'I added the six subtractive pairs. The task is done.\n' +
        '<summary>toRoman knows the subtractive pairs</summary>\n<task-done>{{task-id}}</task-done>',
    },
    {
      steps: [
        { run: `grep '^- .*Why it failed' "$LOOPWRIGHT_PROMPT_FILE" || true` },
        { say: 'Attempt 1 failed its tests: fromRoman is not written, and 0 is accepted.' },
        { edit: { path: file, find: unwrittenReader, replace: reader } },
        tryOut("fromRoman('XXVII')"),
        {
          edit: {
            path: file,
            find: writesBody,
            replace: `  if (!Number.isInteger(number) || number <= 1 || number > 3999) {
    throw new RangeError(\`\${number} has no Roman numeral\`);
  }
${writesBody}`,
          },
        },
        { say: 'Numerals are read, 0 and 4000 are refused.' },
      ],
      final:
        'fromRoman reads numerals; toRoman refuses numbers outside its range.\n' +
        '<summary>fromRoman written, range check added to toRoman</summary>\n' +
        '<failure-report>\nwhat_tried: a range check on toRoman and a first fromRoman\n' +
        'why_failed: numerals such as IIII are still accepted\nerror_category: logic_error\n' +
        `relevant_files: ${file}\n</failure-report>\n` +
        '<retry-suggestion>Read the numeral, write it again and compare.</retry-suggestion>',
    },
    {
      steps: [
        { say: 'My range check refuses 1, which worked before.' },
        { edit: { path: file, find: 'number <= 1', replace: 'number < 1' } },
        tryOut('toRoman(1)'),
        { say: 'A numeral is what reads and writes back alike.' },
        {
          edit: {
            path: file,
            find: '  return number;',
            replace: `  if (rest !== '' || number === 0 || toRoman(number) !== text) {
    throw new SyntaxError(\`\${text} is no Roman numeral\`);
  }
  return number;`,
          },
        },
        tryOut("fromRoman('MMXXVI')"),
      ],
      final:
        'The range starts at 1 again, and fromRoman refuses what is no numeral.\n' +
        '<summary>range check corrected, fromRoman refuses bad text</summary>\n' +
        `<learning category="pitfall" tags="${file}, range checks">Try the ends of a range: 1 and 3999 are Roman numerals, 0 and 4000 are not.</learning>\n` +
        '<task-done>{{task-id}}</task-done>',
    },
  ],
  // oxlint-disable-next-line unicorn/no-thenable -- a word of the script, never a function
  then: 'stop',
};
