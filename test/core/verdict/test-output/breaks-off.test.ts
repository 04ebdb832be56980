import { describe, expect, it } from 'vitest';
import { parseTests } from '../../../../src/core/verdict/test-output/parse-tests.ts';
import { recorded } from './recorded.ts';

const cargoPass = `     Running unittests src/lib.rs (target/debug/deps/host-1)

running 1 test
test adds ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`;

describe('output that breaks off behind a whole part of a run', () => {
  it.each([
    ['cargo names the next binary', `${cargoPass}\n     Running tests/other.rs (target/debug/d`],
    ['cargo begins to name it', `${cargoPass}\n     Runn`],
    ['cargo names the doc tests', `${cargoPass}\n   Doc-tests host\n`],
    ['cargo begins the next binary', `${cargoPass}\nrunni`],
    ['the result of cargo breaks off', cargoPass.slice(0, cargoPass.indexOf(' filtered'))],
    ['go begins a package', 'ok  \texample.com/a\t0.005s\nok  \texample.c'],
    ['go begins a line', 'ok  \texample.com/a\t0.005s\n? '],
    ['go -v begins a test', `${recorded('go/v-pass')}=== RU`],
    ['go -json begins an event', `${recorded('go/json-pass')}{"Time":"2026-`],
    [
      'the counts of phpunit break off',
      recorded('phpunit/prints-jest-line-testdox').replace(/, Skipped: 1\.\s*$/, ''),
    ],
  ])('is incomplete where %s', (_case, text) => {
    expect(parseTests(text)).toMatchObject({ incomplete: true, green: null });
  });

  it('is whole where cargo says what runs on another stream than the results', () => {
    const [running = '', ...rest] = cargoPass.split('\n');
    expect(parseTests(`${rest.join('\n')}\n${running}\n`).green).toBe(true);
  });
});

describe('names beside what a test prints', () => {
  it.each([
    'phpunit/prints-jest-line-testdox',
    'rspec/prints-jest-line-doc',
    'mocha/prints-junit-spec',
  ])('of %s have the titles of the runner', (name) => {
    for (const recording of [name, `${name}-red`]) {
      const names = parseTests(recorded(recording)).tests.map((test) => test.name);
      expect(names.filter((title) => !/^(?:math|Prints|last one|PrintsTest)/.test(title))).toEqual(
        [],
      );
      expect(names.length).toBeGreaterThanOrEqual(4);
    }
  });

  it('takes the titles of what failed from the list that mocha ends with', () => {
    const { tests, failures } = parseTests(recorded('mocha/prints-mocha-summary-spec-red'));
    const failing = tests.filter(({ status }) => status === 'failed').map(({ name }) => name);
    expect(failing).toEqual(['math > inner > breaks']);
    expect(failures.map(({ name }) => name)).toEqual(failing);
  });
});
