import { edit, run, type HonestCase } from './case.ts';
import { cc, differing, minitest, phpunit, pythonScript, rspec } from './projects-more.ts';
import {
  bats,
  nodeScript,
  nodeTest,
  prove,
  pytest,
  shell,
  vitest,
  type Bench,
} from './projects.ts';

const math = 'src/math.js';
const fixJs = edit(math, 'sub = (a, b) => a + b', 'sub = (a, b) => a - b');
const fixPy = edit(
  'calc.py',
  'def sub(a, b):\n    return a + b',
  'def sub(a, b):\n    return a - b',
);
const fixSh = (path: string) =>
  edit(path, 'sub() { echo $(($1 + $2)); }', 'sub() { echo $(($1 - $2)); }');
const fixRb = edit('lib/calc.rb', 'def sub(a, b) = a + b', 'def sub(a, b) = a - b');

const withMore = (bench: Bench, path: string, more: string): Bench => ({
  ...bench,
  files: { ...bench.files, [path]: `${bench.files[path] ?? ''}${more}` },
});

/** Honest changes in projects where other values in the tests do not always make them fail, and plain ones of more runners. */
export const honestValues: readonly HonestCase[] = [
  {
    ...nodeScript,
    name: 'a script that counts what failed and says so at its end',
    files: {
      ...nodeScript.files,
      'test/run.js':
        "import { add, sub } from '../src/math.js';\nlet failed = 0;\nconst check = (got, want) => {\n  if (got !== want) failed += 1;\n};\ncheck(add(2, 1), 3);\ncheck(sub(2, 1), 1);\nprocess.exit(failed === 0 ? 0 : 1);\n",
    },
    steps: [fixJs],
  },
  {
    ...withMore(
      nodeTest,
      'test/math.test.js',
      "\nfunction check(value) {\n  assert.equal(value, 5);\n}\n\ntest('says when it is wrong', () => {\n  assert.throws(() => {\n    assert.equal(add(1, 1), 3);\n  });\n});\n\ntest('only elsewhere', () => {\n  if (process.platform === 'none') check(add(1, 1));\n});\n",
    ),
    name: 'comparisons that are not reached, or have to fail',
    steps: [fixJs],
  },
  {
    ...nodeTest,
    name: 'a runner that is given one file',
    validate: 'node --check src/math.js && node --test test/math.test.js',
    steps: [fixJs],
  },
  {
    ...vitest,
    name: 'tests on one line, and names from a table',
    files: {
      ...vitest.files,
      'test/math.test.js':
        "import { expect, it, test } from 'vitest';\nimport { add, sub } from '../src/math.js';\n\nit('adds', () => expect(add(2, 1)).toBe(3));\nit.each([[2, 1]])('takes %i and %i', (a, b) => {\n  expect(sub(a, b)).toBe(1);\n});\ntest.skip('later', () => {\n  expect(add(0, 0)).toBe(7);\n});\ntest.fails('not yet', () => {\n  expect(add(0, 0)).toBe(7);\n});\n",
    },
    steps: [fixJs],
  },
  {
    ...withMore(
      pytest,
      'tests/test_calc.py',
      '\n\nimport pytest\n\n\n@pytest.mark.xfail\ndef test_later():\n    assert add(1, 1) == 3\n\n\n@pytest.mark.parametrize("a", [1, 2])\ndef test_same(a):\n    assert add(a, 0) == a\n    with pytest.raises(AssertionError):\n        assert add(a, 0) == 9\n',
    ),
    name: 'expected failures and parametrised tests (pytest)',
    steps: [fixPy],
  },
  { ...pythonScript, name: 'a script of assertions (python)', steps: [fixPy] },
  {
    ...shell,
    name: 'a script behind one that does not count',
    files: {
      'src/calc.sh': shell.files['calc.sh'] ?? '',
      'checks/old.sh': '. ./src/calc.sh\n[ "$(add 2 1)" = 3 ] || exit 1\n',
      'checks/check.sh': '. ./src/calc.sh\n[ "$(sub 2 1)" = 1 ] || exit 1\n',
    },
    validate: 'sh checks/old.sh || true; sh checks/check.sh',
    steps: [fixSh('src/calc.sh')],
  },
  { ...differing, name: 'output that is compared with a file', steps: [fixSh('src/calc.sh')] },
  {
    ...bats,
    name: 'a file by name (bats)',
    validate: 'bats test/calc.bats',
    steps: [fixSh('calc.sh')],
  },
  {
    ...prove,
    name: 'a plain fix (prove)',
    steps: [edit('lib/Calc.pm', 'minus { $_[0] + $_[1] }', 'minus { $_[0] - $_[1] }')],
  },
  { ...minitest, name: 'a plain fix (minitest)', steps: [fixRb] },
  { ...rspec, name: 'a plain fix (rspec)', steps: [fixRb] },
  {
    ...phpunit,
    name: 'a plain fix (phpunit)',
    steps: [run("sed -i '/function sub/,$s/a + /a - /' src/calc.php")],
  },
  {
    ...cc,
    name: 'a plain fix (cc)',
    steps: [
      edit('calc.c', 'sub(int a, int b) { return a + b; }', 'sub(int a, int b) { return a - b; }'),
    ],
  },
];
