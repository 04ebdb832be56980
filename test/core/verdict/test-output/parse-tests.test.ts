import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTests, type TestRun } from '../../../../src/core/verdict/test-output/parse-tests.ts';
import { type Expected, expected, incomplete } from './expected.ts';
import { recorded, recordedNames } from './recorded.ts';
import { shows } from '../../../support/shows.ts';

const isGreen = (name: string): boolean => expected[name]?.[4] === true;

function summaryOf({ framework, passed, failed, skipped, green }: TestRun): Expected {
  return [framework ?? '', passed, failed, skipped, green];
}

function expectSum(first: string, second: string): void {
  const run = parseTests(`${recorded(first)}\n${recorded(second)}`);
  const [, passed = 0, failed = 0, skipped = 0] = expected[first] ?? [];
  const [, morePassed = 0, moreFailed = 0, moreSkipped = 0] = expected[second] ?? [];
  expect([run.passed, run.failed, run.skipped], `${first} + ${second}`).toEqual([
    passed + morePassed,
    failed + moreFailed,
    skipped + moreSkipped,
  ]);
}

function plain(name: string): string[] {
  return recorded(name).trimEnd().split('\n');
}

/** Processor time in microseconds. */
function cost(text: string): number {
  const before = process.cpuUsage();
  parseTests(text);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

describe('recorded output', () => {
  it('is listed here without exception', () => {
    expect(recordedNames().toSorted()).toEqual(Object.keys(expected).toSorted());
  });

  it.each(Object.keys(expected))('%s gives the numbers of its runner', (name) => {
    shows(
      '004.tests-counts',
      '004.parses-cargo',
      '004.parses-jest',
      '004.parses-pytest',
      '004.tests-all-passed',
    );
    const run = parseTests(recorded(name));
    expect(summaryOf(run)).toEqual(expected[name]);
    expect(run.total).toBe(run.passed + run.failed + run.skipped);
    expect(run.unknown).toBe(run.total === 0);
    expect(run.incomplete).toBe(incomplete.has(name));
  });

  it.each(Object.keys(expected))(
    '%s reads alike with CRLF and without a last line break',
    (name) => {
      const text = recorded(name);
      const run = parseTests(text);
      expect(parseTests(text.replaceAll(/\r?\n/g, '\r\n'))).toEqual(run);
      expect(summaryOf(parseTests(text.trimEnd()))).toEqual(summaryOf(run));
    },
  );

  it.each(['node-test', 'vitest', 'jest', 'mocha', 'pytest', 'go'])(
    'of %s names every failing test',
    (folder) => {
      const names = Object.keys(expected).filter((name) => name.startsWith(`${folder}/`));
      for (const name of names) {
        const { failures, failed, tests } = parseTests(recorded(name));
        // A parent test that failed only through its subtests is counted by node:test, but has no report of its own.
        const parents = /node-test\/(spec|tap)-mixed|node-test\/terminal/.test(name) ? 1 : 0;
        // Of a run that breaks off, the marks of failing tests may be all there is.
        if (!incomplete.has(name))
          expect(failures.length, name).toBeGreaterThanOrEqual(failed - parents);
        const failing = tests.filter((test) => test.status === 'failed' || test.status === 'error');
        expect(new Set(failing.map((test) => test.name)), name).toEqual(
          new Set(failures.map((failure) => failure.name)),
        );
      }
    },
  );

  it.each(
    Object.keys(expected).filter(
      (name) => expected[name]?.[2] === 0 && expected[name]?.[4] === false,
    ),
  )('%s is not green although its counts look clean', (name) => {
    expect(parseTests(recorded(name)).errors).not.toEqual([]);
  });
});

describe('details', () => {
  it('of node:test', () => {
    const { tests, failures } = parseTests(recorded('node-test/spec-mixed'));
    expect(tests.map(({ name, status }) => `${status} ${name}`)).toMatchInlineSnapshot(`
      [
        "passed passes",
        "failed compares values",
        "skipped is skipped",
        "skipped is skipped with a reason",
        "skipped is planned",
        "skipped is planned and fails",
        "passed suite > inner passes",
        "failed suite > inner throws",
        "skipped suite > inner skipped",
        "passed parent > subtest one",
        "failed parent > subtest two",
      ]
    `);
    expect(failures).toMatchInlineSnapshot(`
      [
        {
          "message": "AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:
      + actual - expected

        {
      +   a: 1
      -   a: 2
        }",
          "name": "compares values",
        },
        {
          "message": "TypeError: boom
      second line",
          "name": "suite > inner throws",
        },
        {
          "message": "AssertionError [ERR_ASSERTION]: subtest broke",
          "name": "parent > subtest two",
        },
      ]
    `);
  });

  it('of vitest', () => {
    const { tests, failures, errors } = parseTests(recorded('vitest/several'));
    expect(tests.map(({ name, status }) => `${status} ${name}`)).toMatchInlineSnapshot(`
      [
        "passed mixed.test.js > adds two numbers",
        "passed mixed.test.js > parser > reads an empty list",
        "failed mixed.test.js > parser > compares objects",
        "skipped mixed.test.js > parser > is skipped",
        "skipped mixed.test.js > parser > is planned",
        "passed mixed.test.js > parser > is expected to fail",
        "failed mixed.test.js > parser > deeper > throws",
      ]
    `);
    expect(failures).toMatchInlineSnapshot(`
      [
        {
          "message": "AssertionError: expected { a: 1 } to deeply equal { a: 2 }",
          "name": "mixed.test.js > parser > compares objects",
        },
        {
          "message": "TypeError: boom
      second line",
          "name": "mixed.test.js > parser > deeper > throws",
        },
      ]
    `);
    expect(errors).toMatchInlineSnapshot(`
      [
        "load.test.js: Error: Cannot find module './does-not-exist.js' imported from /repo/load.test.js",
      ]
    `);
  });

  it('of jest', () => {
    const { failures, errors } = parseTests(recorded('jest/several'));
    expect(failures).toMatchInlineSnapshot(`
      [
        {
          "message": "expect(received).toEqual(expected) // deep equality

      - Expected  - 1
      + Received  + 1

        Object {
      -   "a": 2,
      +   "a": 1,
        }",
          "name": "parser › compares objects",
        },
        {
          "message": "TypeError: boom
      second line",
          "name": "parser › deeper › throws",
        },
      ]
    `);
    expect(errors).toMatchInlineSnapshot(`
      [
        "./load.test.js: Cannot find module './does-not-exist.js' from 'load.test.js'",
      ]
    `);
  });

  it('of mocha', () => {
    const { tests, failures } = parseTests(recorded('mocha/mixed'));
    expect(tests.map(({ name, status }) => `${status} ${name}`)).toMatchInlineSnapshot(`
      [
        "passed adds two numbers",
        "passed parser > reads an empty list",
        "failed parser > compares objects",
        "skipped parser > is skipped",
        "skipped parser > is pending",
        "failed parser > deeper > throws",
        "passed parser > deeper > is slow",
      ]
    `);
    expect(failures.at(1)).toMatchInlineSnapshot(`
      {
        "message": "TypeError: boom
      second line",
        "name": "parser > deeper > throws",
      }
    `);
  });

  it('of pytest', () => {
    shows('004.tests-statuses');
    const { tests, failures } = parseTests(recorded('pytest/verbose'));
    expect(tests.map(({ name, status }) => `${status} ${name}`)).toMatchInlineSnapshot(`
      [
        "passed test_mixed.py::test_adds",
        "failed test_mixed.py::test_compares",
        "skipped test_mixed.py::test_skipped",
        "skipped test_mixed.py::test_expected_failure",
        "passed test_mixed.py::test_unexpected_pass",
        "failed test_mixed.py::test_strict_unexpected_pass",
        "error test_mixed.py::test_setup_error",
        "passed test_mixed.py::test_teardown_error",
        "error test_mixed.py::test_teardown_error",
        "passed test_mixed.py::test_param[1]",
        "failed test_mixed.py::test_param[2]",
        "passed test_mixed.py::test_param[a b[c]]",
        "failed test_mixed.py::TestGroup::test_inner",
      ]
    `);
    expect(failures).toMatchInlineSnapshot(`
      [
        {
          "message": "AssertionError: assert {'a': 1} == {'a': 2}
        
        Differing items:
        {'a': 1} != {'a': 2}
        
        Full diff:
          {
        -     'a': 2,...
        
        ...Full output truncated (4 lines hidden), use '-vv' to show",
          "name": "test_mixed.py::test_compares",
        },
        {
          "message": "[XPASS(strict)]",
          "name": "test_mixed.py::test_strict_unexpected_pass",
        },
        {
          "message": "assert 2 != 2",
          "name": "test_mixed.py::test_param[2]",
        },
        {
          "message": "TypeError: boom
      second line",
          "name": "test_mixed.py::TestGroup::test_inner",
        },
        {
          "message": "RuntimeError: setup broke",
          "name": "test_mixed.py::test_setup_error",
        },
        {
          "message": "RuntimeError: teardown broke",
          "name": "test_mixed.py::test_teardown_error",
        },
      ]
    `);
  });

  it('of cargo', () => {
    const { tests, failures } = parseTests(recorded('cargo/no-fail-fast'));
    expect(tests.map(({ name, status }) => `${status} ${name}`)).toMatchInlineSnapshot(`
      [
        "passed tests::adds",
        "skipped tests::is_ignored",
        "skipped tests::is_ignored_with_reason",
        "failed tests::compares",
        "passed tests::panics",
        "failed tests::prints",
        "passed works",
        "passed src/lib.rs - add (line 1)",
      ]
    `);
    expect(failures).toMatchInlineSnapshot(`
      [
        {
          "message": "assertion \`left == right\` failed: sum differs
        left: 2
       right: 3",
          "name": "tests::compares",
        },
        {
          "message": "boom
      second line",
          "name": "tests::prints",
        },
      ]
    `);
  });

  it.each([
    ['mocha/twins', 'parser > reads', 'Error: first'],
    ['mocha/twins-dot', 'parser > reads', 'Error: first'],
    ['jest/twins', 'parser › reads', 'first'],
  ])('of %s has a line for each test of the same name', (recording, name, first) => {
    const { failures, tests } = parseTests(recorded(recording));
    const messages = ['first', 'second', 'third', 'fourth'].map((word) =>
      first.replace('first', word),
    );
    expect(failures.map((failure) => failure.name)).toEqual(messages.map(() => name));
    expect(new Set(failures.map(({ message }) => message))).toEqual(new Set(messages));
    const failing = tests.filter(({ status }) => status === 'failed');
    expect(failing.map(({ error }) => error)).toEqual(failures.map(({ message }) => message));
  });

  it('of ava keeps the actual value', () => {
    expect(parseTests(recorded('ava/twins')).failures).toEqual([
      {
        name: 'twins-one › same',
        message: "Difference (- actual, + expected):\n- 'actual one'\n+ 'expected one'",
      },
      {
        name: 'twins-two › same',
        message: "Difference (- actual, + expected):\n- 'actual two'\n+ 'expected two'",
      },
    ]);
  });

  it('of plain go test says how many of its counts are packages', () => {
    expect(parseTests(recorded('go/plain-pass'))).toMatchObject({ total: 1, packages: 1 });
    expect(parseTests(recorded('go/main-plain'))).toMatchObject({ total: 2, packages: 2 });
    expect(parseTests(recorded('go/plain-all'))).toMatchObject({ total: 5, packages: 1 });
    expect(parseTests(recorded('go/v-all'))).not.toHaveProperty('packages');
  });

  it('of go test', () => {
    const { tests, failures, errors } = parseTests(recorded('go/v-all'));
    expect(tests.map(({ name, status }) => `${status} ${name}`)).toMatchInlineSnapshot(`
      [
        "passed TestAdds",
        "failed TestCompares",
        "skipped TestSkipped",
        "failed TestTable",
        "passed TestTable/one_case",
        "failed TestTable/two",
        "passed TestOne",
        "passed TestTwo",
        "failed TestPanics",
      ]
    `);
    expect(failures).toMatchInlineSnapshot(`
      [
        {
          "message": "a_test.go:4: got 1, want 2",
          "name": "TestCompares",
        },
        {
          "message": "",
          "name": "TestTable",
        },
        {
          "message": "a_test.go:8: subtest broke
      second line",
          "name": "TestTable/two",
        },
        {
          "message": "panic: assignment to entry in nil map [recovered]",
          "name": "TestPanics",
        },
      ]
    `);
    expect(errors).toMatchInlineSnapshot(`
      [
        "example.com/sample/d: build failed",
        "panic: assignment to entry in nil map [recovered]",
      ]
    `);
  });

  it('name the file that could not be loaded, and why', () => {
    const errors = [
      'node-test/spec-load',
      'node-test/tap-load',
      'vitest/load',
      'jest/load',
      'pytest/load',
    ].map((name) => parseTests(recorded(name)).errors);
    expect(errors).toMatchInlineSnapshot(`
      [
        [
          "load.test.js: Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/repo/does-not-exist.js' imported from /repo/load.test.js",
        ],
        [
          "load.test.js: Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/repo/does-not-exist.js' imported from /repo/load.test.js",
        ],
        [
          "load.test.js: Error: Cannot find module './does-not-exist.js' imported from /repo/load.test.js",
        ],
        [
          "./load.test.js: Cannot find module './does-not-exist.js' from 'load.test.js'",
        ],
        [
          "test_load.py: ModuleNotFoundError: No module named 'does_not_exist'",
        ],
      ]
    `);
  });
});

/** Outputs that begin with a whole green run: cut behind it they are green, and rightly so. */
const beginsGreen = new Set(['go/cover', 'go/json-mixed', 'gtest/several', 'minitest/several']);

/** Outputs that begin with what a test printed, which is exactly what a quiet run prints. */
const beginsLikeQuiet = new Set(['unittest/cut-prints-summary', 'unittest/prints-summary']);

/** Outputs of runners without a header in which a test prints a whole green run: cut behind it they look like that run. */
const printsWholeRun = new Set([
  'mocha/prints-jest-dot-red',
  'mocha/prints-pytest-dot-red',
  'mocha/prints-mocha-summary-spec-red',
  'mocha/prints-junit-spec-red',
]);

describe('output that is cut off', () => {
  const names = Object.keys(expected).filter(
    (name) =>
      !isGreen(name) &&
      !name.includes('noise') &&
      !beginsGreen.has(name) &&
      !printsWholeRun.has(name) &&
      !beginsLikeQuiet.has(name),
  );

  it.each(names)('%s is green after no line and no byte', (name) => {
    const text = recorded(name);
    const step = Math.max(1, Math.floor(text.length / 10));
    for (let end = 0; end < text.length; end += step) {
      expect(parseTests(text.slice(0, end)).green, `cut at ${end}`).not.toBe(true);
    }
    const lines = text.split('\n');
    const lineStep = Math.max(1, Math.floor(lines.length / 5));
    for (let end = 1; end < lines.length; end += lineStep) {
      expect(parseTests(lines.slice(0, end).join('\n')).green, `line ${end}`).not.toBe(true);
    }
  });

  it.each(names.filter((name) => recorded(name).length < 250))(
    '%s is green at none of its bytes',
    (name) => {
      const text = recorded(name);
      for (let end = 0; end < text.length; end++)
        expect(parseTests(text.slice(0, end)).green, `cut at ${end}`).not.toBe(true);
    },
  );

  it.each([
    'node-test/spec-pass',
    'node-test/tap-pass',
    'vitest/pass',
    'jest/pass',
    'pytest/pass',
    'cargo/pass',
    'go/v-pass',
  ])('%s is incomplete without its end', (name) => {
    const lines = recorded(name).trimEnd().split('\n');
    const kept =
      name === 'cargo/pass' ? lines.slice(0, 6) : lines.slice(0, name === 'jest/pass' ? -4 : -3);
    const run = parseTests(kept.join('\n'));
    expect(run).toMatchObject({ incomplete: true, green: null });
  });
});

describe('output reduced to its summary', () => {
  it.each([
    ['jest', 'Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total', true],
    [
      'jest',
      'PASS src/a.test.js\nTest Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\n',
      true,
    ],
    ['jest', 'Test Suites: 1 failed, 1 total\nTests:       3 passed, 3 total', false],
    ['vitest', ' Test Files  1 passed (1)\n      Tests  3 passed (3)\n', true],
    [
      'vitest',
      ' ✓ a.test.ts (3 tests) 3ms\n\n Test Files  1 passed (1)\n      Tests  3 passed (3)\n',
      true,
    ],
    ['vitest', ' Test Files  1 failed (1)\n      Tests  3 passed (3)\n   Duration  1s', false],
    ['pytest', '========= 3 passed, 1 warning in 0.12s =========', true],
    ['pytest', '3 passed in 62.10s (0:01:02)', true],
    ['pytest', '1 failed, 2 passed in 0.12s', false],
    ['pytest', '===== 3 passed in 0.12 seconds =====', true],
    [
      'pytest',
      'Test session starts (platform: linux)\n\nResults (0.12s):\n       3 passed\n       1 failed\n',
      false,
    ],
    [
      'cargo',
      'Starting 4 tests across 2 binaries\n  PASS [ 0.004s] a adds\nSummary [ 0.010s] 4 tests run: 4 passed, 1 skipped',
      true,
    ],
    [
      'deno',
      'running 1 test from file:///a.ts\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out (10ms)',
      true,
    ],
    ['cargo', 'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out', true],
    ['mocha', '  3 passing (4ms)\n\n', true],
    ['mocha', '  3 passing (4ms)', null],
    ['mocha', '  3 passing (4ms)\n  1 failing', false],
    ['tap', '1..3\nok 1\nok 2 - b\nok 3 # time=3ms', true],
    ['tap', 'TAP version 14\n1..3\nok\nok\nok', true],
    ['tap', 'TAP version 14\n1..3\nok 1\nBail out! no database', false],
    ['tap', '1..0 # SKIP no database\nTAP version 13\n1..0', null],
    ['tap', '1..2\nok - a\nok - b # SKIP', true],
    ['tap', '1..4\nok 1\nok 2\n1..2\nok 1\nok 2', null],
    ['tap', '1..1\n    not ok 1 - inner\n    1..1\nnot ok 1 - outer # TODO later', null],
    ['tap', '1..1\nok 1 - knows the # todos', true],
    ['mocha', '  3 passing (4ms)\n\n===== 9 failed in 0.01s =====\n\n  3 passing (4ms)\n\n', null],
    [
      'mocha',
      '\u001b[2J\u001b[1;3HTests: 1 failed\n  9 passing (3ms)\n\n\n  3 passing (4ms)\n\n',
      true,
    ],
    [
      'mocha',
      '\u001b[2J\u001b[1;3H  9 passing (3ms)\n\n\n  3 passing (4ms)\n  1 failing\n\n',
      false,
    ],
    [
      'mocha',
      'Test Suites: 1 passed, 1 total\nTests: 5 passed, 5 total\n\n  3 passing (4ms)\n  1 failing\n\n',
      false,
    ],
    [
      'go test',
      '=== RUN   TestA\nFAIL\tx/a\t0.1s\n=== RUN   TestB\n--- PASS: TestB (0.00s)\nok  \tx/b\t0.1s',
      false,
    ],
  ])('%s: %j', (framework, text, green) => {
    expect(parseTests(text)).toMatchObject({ framework, green });
  });
});

/** A bare summary before progress is taken for the text of a test: fewer tests are counted, never more. */
const isLikePrinted = (name: string): boolean => name === 'unittest/quiet';

describe('several runs in one output', () => {
  const whole = Object.keys(expected).filter(
    (name) =>
      expected[name]?.[0] !== '' && !incomplete.has(name) && !/noise|tap\/(?:mocha|raw)/.test(name),
  );
  const byRunner = Object.groupBy(whole, (name) => expected[name]?.[0] ?? '');

  it.each(Object.entries(byRunner))('are added when all come from %s', (_runner, names = []) => {
    for (const [index, first] of names.entries()) {
      for (const second of names.slice(index % 3).filter((_name, at) => at % 3 === 0)) {
        if (!isLikePrinted(first)) expectSum(first, second);
      }
    }
  });

  it('are added when they come from different runners', () => {
    const samples = Object.values(byRunner).flatMap(
      (names = []) => names.find((name) => /(?:pass|mixed)$/.test(name)) ?? [],
    );
    for (const first of samples) {
      for (const second of samples) {
        if (expected[first]?.[0] !== expected[second]?.[0]) expectSum(first, second);
      }
    }
    expect(parseTests(recorded('vitest/pass') + recorded('pytest/pass')).framework).toBe(
      'vitest+pytest',
    );
  });
});

describe('a log of CI', () => {
  const names = Object.keys(expected).filter(
    (name) => /(pass|mixed|several|load)$/.test(name) && !/junit|xml|pretty/.test(name),
  );
  const prefixes: Readonly<Record<string, (line: string, index: number) => string>> = {
    'GitHub Actions': (line, i) => `2024-05-06T07:08:09.${String(i).padStart(7, '0')}Z ${line}`,
    'gh run view': (line) => `build\tRun npm test\t2024-05-06T07:08:09.1234567Z ${line}`,
    GitLab: (line) => `2024-05-06T07:08:09.123456Z 01O ${line}`,
    Jenkins: (line) => `[2024-05-06T07:08:09.123Z] ${line}`,
    turbo: (line) => `@scope/app:test: ${line}`,
    pnpm: (line) => `packages/app test: ${line}`,
    compose: (line) => `app-1  | ${line}`,
    concurrently: (line) => `[0] ${line}`,
    'a Docker build': (line) => `#12 34.56 ${line}`,
  };

  it.each(Object.entries(prefixes))('of %s is read without its prefixes', (_tool, prefix) => {
    for (const name of names) {
      const run = parseTests(plain(name).map(prefix).join('\n'));
      const { framework, total, green } = parseTests(plain(name).join('\n'));
      expect([run.framework, run.total, run.green], name).toEqual([framework, total, green]);
    }
  });

  it('keeps packages apart that run at the same time', () => {
    const [one, two] = [plain('jest/several'), plain('vitest/pass')];
    const lines = Array.from({ length: Math.max(one.length, two.length) }, (_, i) => [
      ...(one[i] === undefined ? [] : [`a:test: ${one[i]}`]),
      ...(two[i] === undefined ? [] : [`b:test: ${two[i]}`]),
    ]).flat();
    expect(parseTests(lines.join('\n'))).toMatchObject({ passed: 9, failed: 2, skipped: 2 });
  });

  it('that says that a command failed is not green', () => {
    for (const line of [
      'npm ERR! Test failed.  See above for more details.',
      ' ELIFECYCLE  Test failed. See above for more details.',
      'error Command failed with exit code 1.',
      '##[error]Process completed with exit code 1.',
      'make: *** [Makefile:2: test] Error 1',
      'ERROR: Coverage for lines (50%) does not meet global threshold (80%)',
    ])
      expect(parseTests(`${recorded('jest/pass')}\n${line}\n`), line).toMatchObject({
        passed: 3,
        green: null,
      });
  });
});

describe('text that looks like a runner', () => {
  const fakes = {
    jest: 'Test Suites: 1 passed, 1 total\nTests:       5 passed, 5 total\nSnapshots:   0 total\nTime:        0.5 s',
    vitest:
      ' Test Files  1 passed (1)\n      Tests  9 passed (9)\n   Start at  20:49:11\n   Duration  200ms',
    mocha: '  9 passing (3ms)\n',
    pytest: '===== 9 passed in 0.01s =====',
    cargo:
      'test result: ok. 7 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s',
    tap: '1..1\nok 1 - fake\n# tests 1\n# pass 1',
    node: 'ℹ tests 2\nℹ suites 0\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 1.5',
    go: 'ok  \texample.com/fake\t0.001s',
  };
  const red = Object.keys(expected).filter(
    (name) => !isGreen(name) && expected[name]?.[4] === false,
  );

  it.each(Object.entries(fakes))('never turns a red run green: %s', (_runner, fake) => {
    for (const name of red) {
      const lines = recorded(name).split('\n');
      const step = Math.max(1, Math.floor(lines.length / 3));
      for (let at = 0; at <= lines.length; at += step) {
        const text = lines.toSpliced(at, 0, fake).join('\n');
        expect(parseTests(text).green, `${name} at ${at}`).not.toBe(true);
      }
    }
  });

  it.each([
    ['ava/v3-mixed', 'go/plain-pass', 1],
    ['catch2/mixed', 'unittest/pass', 4],
    ['catch2/colour', 'rspec/pass', 4],
    ['catch2/crash', 'unittest/pass', 4],
    ['deno/dot', 'unittest/pass', 4],
  ])('never turns %s green by the end of %s among its last lines', (name, other, count) => {
    const lines = recorded(name).split('\n');
    const fake = recorded(other).trimEnd().split('\n').slice(-count).join('\n');
    for (let at = lines.length - 8; at <= lines.length; at++) {
      const run = parseTests(lines.toSpliced(at, 0, fake).join('\n'));
      expect(run.green, `at ${at - lines.length}`).not.toBe(true);
    }
  });

  it.each([
    'node-test/spec-mixed',
    'vitest/verbose',
    'pytest/verbose',
    'jest/verbose',
    'mocha/mixed',
  ])('does not change the numbers of %s when a test prints it', (name) => {
    const lines = recorded(name).split('\n');
    const at = {
      'node-test/spec-mixed': 7,
      'vitest/verbose': 8,
      'pytest/verbose': 9,
      'jest/verbose': 0,
      'mocha/mixed': 4,
    }[name];
    for (const [runner, fake] of Object.entries(fakes)) {
      if (runner === 'go') continue;
      const run = parseTests(lines.toSpliced(at ?? 0, 0, fake).join('\n'));
      expect(summaryOf(run), runner).toEqual(expected[name]);
    }
  });

  it('is unknown when nothing in it is a runner', () => {
    const nothing = {
      framework: null,
      total: 0,
      green: null,
      unknown: true,
      incomplete: false,
      errors: [],
    };
    expect(parseTests('')).toMatchObject(nothing);
    expect(
      parseTests('ok\nall good\n✓ 34 modules transformed.\n✔ Compiled\n5 passed\nTests: fine'),
    ).toMatchObject(nothing);
    expect(
      parseTests('✖ 3 problems (0 errors, 3 warnings)\n  ✓ built in 1.2s\nok 1\nPASS'),
    ).not.toMatchObject({ green: true });
  });

  it('does not make other tools incomplete: a linter and a build before the tests', () => {
    const tools =
      '\n/repo/a.js\n  1:1  warning  Unused  no-unused\n\n✖ 1 problem (0 errors, 1 warning)\n\n  ✔ Compiled\n✓ built in 1.2s\n';
    for (const name of Object.keys(expected).filter(isGreen)) {
      expect(summaryOf(parseTests(`${tools}${recorded(name)}`)), name).toEqual(expected[name]);
    }
  });
});

describe('any text', () => {
  const pieces = recordedNames().flatMap((name) => recorded(name).split('\n'));

  it('is read without throwing, within bounds, and consistently', () => {
    const lines = fc.array(
      fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 40 })),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(lines, fc.constantFrom('\n', '\r\n', '\r', '\u001b[1A\n'), (all, separator) => {
        const run = parseTests(all.join(separator));
        expect(run.total).toBe(run.passed + run.failed + run.skipped);
        expect(run.unknown).toBe(run.total === 0);
        if (run.green === true)
          expect([run.failed, run.errors, run.incomplete, run.passed > 0]).toEqual([
            0,
            [],
            false,
            true,
          ]);
        if (run.framework === null) expect(run.total).toBe(0);
        expect(run.tests.length).toBeLessThanOrEqual(1000);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps at most 1000 details but counts everything', () => {
    const points = Array.from(
      { length: 5000 },
      (_, i) => `${i % 2 === 0 ? 'ok' : 'not ok'} ${i + 1} - test ${i + 1}`,
    );
    const run = parseTests(['TAP version 13', ...points, '1..5000'].join('\n'));
    expect(run).toMatchObject({ passed: 2500, failed: 2500, incomplete: false });
    expect(run.tests).toHaveLength(1000);
    expect(run.failures).toHaveLength(1000);
  });

  it('takes time in proportion to its length', () => {
    const log = recordedNames().map(recorded).join('\n');
    cost(log);
    const [once, often] = [cost(log), cost(log.repeat(4))];
    // Four times the text; twelve times the work would be a sign of squares.
    expect(often).toBeLessThan(12 * once + 500_000);
  });

  it.each([
    'ok 1 - ',
    'TAP version 13\n',
    '1..1\nok 1\n',
    ' RUN  v5.1.0 /x\n',
    '\u001b[200A\u001b[2Kx\n',
    '    ',
    '(1.5ms) ',
    '✔ a (1.5ms)\n',
    '  1) a\n',
    '=== RUN   TestA\n',
    '▶ a\n',
    'FAIL x.test.js\n',
    '  1 passing (1ms)\n',
    '____ a ____\nE   x\n',
  ])('is read in linear time when hostile: %j', (piece) => {
    const text = piece.repeat(Math.ceil(250_000 / piece.length));
    // This much takes a fraction of a second; squares would take minutes.
    expect(cost(text)).toBeLessThan(10_000_000);
  });
});
