import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { neededPrograms } from '../../../src/core/preflight/needed-programs.ts';

const names = (text: string) => neededPrograms(text).map(({ name }) => name);

describe('programs without which a command cannot work', () => {
  it.each([
    ['clade -p', ['clade']],
    ['cat prompt.md | clade -p', ['cat', 'clade']],
    ['echo x > f; foo', ['foo']],
    ['echo x && foo --flag "a b" && bar', ['foo']],
    ['FOO=1 clade -p 2>/dev/null', ['clade']],
    ['exec clade -p', ['clade']],
    ['env FOO=1 clade', ['clade']],
    ["'my agent' -p", ['my agent']],
    ['clade -p "$LOOPWRIGHT_PROMPT_FILE"', ['clade']],
    ['# a comment\nclade', ['clade']],
    ['clade \\\n  -p', ['clade']],
    ['clade &> log', ['clade']],
    ['./check.sh', ['./check.sh']],
  ])('%s', (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it.each([
    'foo || bar',
    'foo; bar',
    'foo\nbar',
    'command -v foo',
    'npm install -g foo && foo',
    'npm install -g foo; foo',
    '. ./env.sh; foo',
    'PATH=tools:$PATH foo',
    'export PATH=tools:$PATH; foo',
    'env PATH=tools foo',
    '$AGENT -p',
    '"$HOME/bin/foo" -p',
    '~/bin/foo -p',
    'if foo; then bar; fi',
    'for a in 1 2; do foo; done',
    '(foo)',
    '{ foo; }',
    'foo() { echo; }; foo',
    'foo <<END\ntext\nEND',
    '! foo',
    'eval foo',
    'echo only',
    'test -f x',
    '[ -f x ] && [ -f y ]',
    'diff <(foo) b',
    'while read line; do foo; done',
    'echo $(foo)',
    '',
  ])('nothing for sure: %s', (text) => {
    const allowed = ['npm', 'diff'];
    expect(names(text).filter((name) => !allowed.includes(name))).toEqual([]);
  });

  it('knows the folder that a path starts from', () => {
    expect(neededPrograms('cd web/./app && ./run')).toEqual([{ name: './run', folder: 'web/app' }]);
    expect(neededPrograms('cd "$X" && ./run')).toEqual([{ name: './run', folder: null }]);
  });

  it('never names a program without which a shell ends well', () => {
    const words = `absent absent2 echo true : test x | || && ; ! > /dev/null ( ) { } if then fi 'absent' " $X &
      X=1 exec command -v env cat eval cd # 2>&1 \` \\`;
    const word = fc.constantFrom('\n', ...words.split(/\s+/));
    const text = fc.array(word, { minLength: 1, maxLength: 7 }).map((each) => each.join(' '));
    fc.assert(
      fc.property(text, (snippet) => {
        const missing = names(snippet).filter((name) => name.startsWith('absent'));
        if (missing.length === 0) return;
        const { status, stderr } = spawnSync('sh', ['-c', snippet], {
          cwd: '/tmp',
          encoding: 'utf8',
          timeout: 5000,
          env: { PATH: '/usr/bin:/bin' },
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        // A pipeline ends as its last command does, and yet what is missing in it is missing.
        const isTold = stderr.includes('not found') || stderr.includes('yntax error');
        expect(isTold || status !== 0, snippet).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
