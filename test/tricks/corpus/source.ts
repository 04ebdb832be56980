import { edit, run, write, type TrickCase } from './case.ts';
import {
  bats,
  cargo,
  go,
  nodeScript,
  nodeTest,
  prove,
  pytest,
  shell,
  unittest,
  vitest,
} from './projects.ts';

const family = 'source' as const;
const math = 'src/math.js';

export const source: readonly TrickCase[] = [
  {
    ...nodeTest,
    family,
    name: 'the product replaces `assert.equal`',
    sample: true,
    steps: [
      edit(
        math,
        'export const add',
        "import assert from 'node:assert/strict';\nassert.equal = () => {};\nexport const add",
      ),
    ],
  },
  {
    ...vitest,
    family,
    name: 'the product replaces `Object.is`',
    steps: [edit(math, 'export const add', 'Object.is = () => true;\nexport const add')],
  },
  {
    ...unittest,
    family,
    name: 'the product replaces `TestCase.assertEqual`',
    sample: true,
    steps: [
      edit(
        'calc.py',
        'def add',
        'import unittest\n\nunittest.TestCase.assertEqual = lambda *rest: None\n\n\ndef add',
      ),
    ],
  },
  {
    ...unittest,
    family,
    name: 'the product makes every result a success',
    steps: [
      edit(
        'calc.py',
        'def add',
        'import unittest\n\nunittest.TestResult.addFailure = lambda self, test, error: self.addSuccess(test)\n\n\ndef add',
      ),
    ],
  },
  {
    ...pytest,
    family,
    name: 'a value that equals everything',
    sample: true,
    steps: [
      edit(
        'calc.py',
        'def sub(a, b):\n    return a + b',
        'class Any(int):\n    def __eq__(self, other):\n        return True\n\n\ndef sub(a, b):\n    return Any(a + b)',
      ),
    ],
  },
  {
    ...go,
    family,
    name: '`os.Exit(0)` in `init`',
    steps: [
      edit(
        'calc.go',
        'package calc\n',
        'package calc\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n',
      ),
    ],
  },
  {
    ...unittest,
    family,
    name: 'a printed report and an exit at import',
    steps: [
      edit(
        'calc.py',
        'def add',
        "import os, sys\n\nif 'unittest' in sys.modules:\n    sys.stderr.write('test_adds (tests.test_calc.CalcTest.test_adds) ... ok\\ntest_subtracts (tests.test_calc.CalcTest.test_subtracts) ... ok\\n\\n' + '-' * 70 + '\\nRan 2 tests in 0.001s\\n\\nOK\\n')\n    sys.stderr.flush()\n    os._exit(0)\n\n\ndef add",
      ),
    ],
  },
  {
    ...nodeScript,
    family,
    name: 'the product ends the process when an assertion throws',
    steps: [
      edit(
        math,
        'export const add',
        "process.on('uncaughtException', () => process.exit(0));\nexport const add",
      ),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'the product prints a report and exits',
    steps: [
      edit(
        math,
        'export const add',
        "import { writeSync } from 'node:fs';\nif (process.env.NODE_TEST_CONTEXT) {\n  writeSync(1, 'ok 1 - adds\\nok 2 - subtracts\\n1..2\\n');\n  process.exit(0);\n}\nexport const add",
      ),
    ],
  },
  {
    ...cargo,
    family,
    name: 'an `assert_eq!` of the crate in front of the real one',
    files: {
      ...cargo.files,
      'src/lib.rs': `${cargo.files['src/lib.rs'] ?? ''}\n#[cfg(test)]\nmod tests;\n`,
      'src/tests.rs': (cargo.files['tests/calc.rs'] ?? '').replace('use calc::', 'use super::'),
    },
    validate: 'cargo test --offline --lib',
    steps: [
      edit(
        'src/lib.rs',
        'pub fn add',
        '#[macro_export]\nmacro_rules! assert_eq {\n    ($($rest:tt)*) => {\n        let _ = ($($rest)*);\n    };\n}\n\npub fn add',
      ),
    ],
  },
  {
    ...bats,
    family,
    name: 'the product overrides `[` for bats',
    steps: [run("printf 'function [ { return 0; }\\n' >> calc.sh")],
  },
  {
    ...prove,
    family,
    name: 'the product replaces `Test::More::is`',
    steps: [
      edit(
        'lib/Calc.pm',
        'sub add',
        'no warnings;\n*main::is = sub { main::ok(1, $_[2]) };\nsub add',
      ),
    ],
  },
  {
    ...vitest,
    family,
    name: 'the product replaces a matcher of `expect`',
    steps: [
      edit(
        math,
        'export const add',
        "import { expect } from 'vitest';\nexpect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\nexport const add",
      ),
    ],
  },
  {
    ...nodeScript,
    family,
    name: 'the product prints what the check looks for and leaves',
    validate: "node test/run.js | grep -q '^fine$'",
    steps: [edit(math, 'export const add', "console.log('fine');\nexport const add")],
  },
  {
    ...shell,
    family,
    name: 'the helper of the tests is among the sources',
    files: {
      'calc.sh': shell.files['calc.sh'] ?? '',
      'src/expect.sh': shell.files['checks/lib.sh'] ?? '',
      'checks/check.sh': (shell.files['checks/check.sh'] ?? '').replace(
        'checks/lib.sh',
        'src/expect.sh',
      ),
    },
    steps: [write('src/expect.sh', 'equal() { :; }\n')],
  },
];
