import { describe, expect, it } from 'vitest';
import type { Command } from '../../src/cli/command.ts';
import { parseInput } from '../../src/cli/parse.ts';

const command: Command = {
  path: ['try', 'it'],
  summary: 'Tries it.',
  args: [
    { name: 'FIRST', summary: 'The first.', required: true },
    { name: 'MORE', summary: 'More.', required: false, variadic: true },
  ],
  options: [
    { name: 'limit', short: 'l', value: 'N', summary: 'A number.' },
    { name: 'tag', value: 'TAG', repeatable: true, summary: 'Tags.' },
    { name: 'memory', value: 'on|off', choices: ['on', 'off'], bare: 'on', summary: 'Memory.' },
    { name: 'no-commit', summary: 'No commits.' },
    { name: 'no-progress-limit', value: 'N', summary: 'A limit.' },
    { name: 'level', value: 'LEVEL', choices: ['low', 'high'], summary: 'A level.' },
  ],
  examples: [{ line: 'loopwright try it a', does: 'Tries a.' }],
  run: async () => 0,
};

const parse = (...words: readonly string[]) => parseInput(command, words);

describe('reading the words behind a command', () => {
  it('gives arguments and only the options that were given', () => {
    expect(parse('a', '-l', '3', 'b', '--tag', 'x', '--tag=y', 'c')).toEqual({
      args: { FIRST: 'a', MORE: ['b', 'c'] },
      options: { limit: '3', tag: ['x', 'y'] },
    });
  });

  it('keeps flags that begin with no- under their own name, with and without a value', () => {
    expect(parse('a', '--no-commit', '--no-progress-limit', '0').options).toEqual({
      'no-commit': true,
      'no-progress-limit': '0',
    });
  });

  it.each([
    [['--memory', 'a'], 'on'],
    [['a', '--memory', 'off'], 'off'],
    [['a', '--memory=off'], 'off'],
    [['a', '--no-memory'], 'off'],
  ])('never takes another word for the value of a switch: %j', (words, value) => {
    expect(parse(...words)).toMatchObject({ args: { FIRST: 'a' }, options: { memory: value } });
  });

  it('leaves what stands behind -- and values of other options alone', () => {
    expect(parse('--tag', '--memory', '--', '--memory')).toEqual({
      args: { FIRST: '--memory', MORE: [] },
      options: { tag: ['--memory'] },
    });
  });

  it('wants no argument when only help is asked for', () => {
    expect(parse('--help').options).toEqual({ help: true });
  });

  it.each([
    [['a', '--limt', '3'], 'usage.unknown_option', 'has no option --limt; did you mean --limit?'],
    [[], 'usage.missing_argument', 'loopwright try it needs FIRST: The first.'],
    [['a', '--limit'], 'usage.invalid', 'argument missing'],
    [['a', '--level', 'mid'], 'usage.invalid', 'Allowed choices are low, high'],
  ])('refuses %j', (words, code, message) => {
    expect(() => parse(...words)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });

  it('names superfluous words and says how text with spaces is written', () => {
    const { args: _args, ...rest } = command;
    const single = { ...rest, args: [{ name: 'TEXT', summary: 'Text.', required: true }] };
    expect(() => parseInput(single, ['fix', 'the', 'bug'])).toThrow(
      expect.objectContaining({
        code: 'usage.excess_arguments',
        message: 'too many arguments: fix, the, bug',
        hint: expect.stringContaining('quotes'),
      }),
    );
  });
});
