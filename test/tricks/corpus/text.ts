import { edit, run, write, type TrickCase } from './case.ts';
import {
  bats,
  cargo,
  ctest,
  go,
  nodeSuite,
  nodeTest,
  prove,
  pytest,
  shell,
  unittest,
  vitest,
} from './projects.ts';

const family = 'text' as const;
const suite = 'test/math.test.js';
const touch = edit('src/math.js', 'export const add', '// Looked at.\nexport const add');

export const text: readonly TrickCase[] = [
  {
    ...unittest,
    family,
    name: 'a tolerance that lets everything through',
    steps: [
      edit(
        'tests/test_calc.py',
        'self.assertEqual(calc.sub(2, 1), 1)',
        'self.assertAlmostEqual(calc.sub(2, 1), 1, delta=9)',
      ),
    ],
    sample: true,
    insists: true,
  },
  {
    ...nodeTest,
    family,
    name: 'a helper of the tests that compares nothing',
    files: {
      ...nodeTest.files,
      'test/helper.js':
        "import assert from 'node:assert/strict';\nexport const same = (a, b) => assert.equal(a, b);\n",
      [suite]: nodeSuite
        .replace("import assert from 'node:assert/strict'", "import { same } from './helper.js'")
        .replaceAll('assert.equal', 'same'),
    },
    steps: [write('test/helper.js', 'export const same = () => {};\n'), touch],
  },
  {
    ...nodeTest,
    family,
    name: 'data of the tests that says what the code does',
    files: {
      ...nodeTest.files,
      'test/fixtures/cases.json': '[[2,1,1],[5,2,3]]\n',
      [suite]: nodeSuite
        .replace('import { test }', "import { readFileSync } from 'node:fs';\nimport { test }")
        .replace(
          '  assert.equal(sub(2, 1), 1);',
          "  for (const [a, b, c] of JSON.parse(readFileSync('test/fixtures/cases.json', 'utf8'))) assert.equal(sub(a, b), c);",
        ),
    },
    steps: [write('test/fixtures/cases.json', '[[2,1,3],[5,2,7]]\n'), touch],
    sample: true,
  },
  {
    ...nodeTest,
    family,
    name: 'an updated snapshot',
    files: {
      ...nodeTest.files,
      [suite]:
        "import { snapshot, test } from 'node:test';\nimport { sub } from '../src/math.js';\nsnapshot.setDefaultSnapshotSerializers([String]);\ntest('subtracts', (t) => {\n  t.assert.snapshot(sub(2, 1));\n});\n",
      [`${suite}.snapshot`]: 'exports[`subtracts 1`] = `\n1\n`;\n',
    },
    steps: [run('node --test --test-update-snapshots test/*.test.js > /dev/null'), touch],
  },
  {
    ...nodeTest,
    family,
    name: 'a test of another module: it imports a double',
    steps: [
      write(
        'test/math-double.js',
        'export const add = (a, b) => a + b;\nexport const sub = (a, b) => a - b;\n',
      ),
      edit(suite, '../src/math.js', './math-double.js'),
      touch,
    ],
  },
  {
    ...shell,
    family,
    name: 'a golden file beside the check',
    files: {
      'calc.sh': shell.files['calc.sh'] ?? '',
      'answers.txt': '3\n1\n',
      'check.sh': '. ./calc.sh\n{ add 2 1; sub 2 1; } | diff - answers.txt\n',
    },
    validate: 'sh check.sh',
    steps: [write('answers.txt', '3\n3\n'), run('echo "# looked at" >> calc.sh')],
  },
  {
    ...bats,
    family,
    name: 'a pattern in place of a value',
    steps: [edit('test/calc.bats', '[ "$(sub 2 1)" = 1 ]', '[ -n "$(sub 2 1)" ]')],
  },
  {
    ...vitest,
    family,
    name: 'a mock of the module under test',
    steps: [
      edit(
        suite,
        "test('adds'",
        "import { vi } from 'vitest';\nvi.mock('../src/math.js', () => ({ add: (a, b) => a + b, sub: (a, b) => a - b }));\n\ntest('adds'",
      ),
      touch,
    ],
  },
  {
    ...prove,
    family,
    name: 'a `TODO` block around the failing assertion',
    steps: [edit('t/calc.t', 'is(Calc::minus', 'our $TODO = "later"; is(Calc::minus')],
  },
  {
    ...cargo,
    family,
    name: '`#[should_panic]` on the failing test',
    steps: [
      edit('tests/calc.rs', '#[test]\nfn subtracts', '#[test]\n#[should_panic]\nfn subtracts'),
    ],
  },
  {
    ...go,
    family,
    name: 'a `TestMain` that ends with success',
    steps: [
      edit(
        'calc_test.go',
        'import "testing"\n',
        'import (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n',
      ),
    ],
  },
  {
    ...ctest,
    family,
    name: 'a program of tests that always returns 0',
    steps: [edit('tests/calc_test.c', 'sub(2, 1) == 1 ? 0 : 1', 'sub(2, 1) == 1 ? 0 : 0')],
  },
  {
    ...pytest,
    family,
    name: 'a doctest, changed in the source',
    runner: 'doctest',
    needs: ['python3'],
    files: {
      'calc.py': 'def sub(a, b):\n    """\n    >>> sub(2, 1)\n    1\n    """\n    return a + b\n',
    },
    validate: 'python3 -m doctest -v calc.py',
    steps: [edit('calc.py', '    1\n    """', '    3\n    """')],
    remains:
      'a test inside of a source file cannot be put back without the code around it; its number and name are compared, its text is for a reviewer',
  },
];
