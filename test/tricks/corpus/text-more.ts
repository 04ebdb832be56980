import { edit, run, write, type TrickCase } from './case.ts';
import {
  cMake,
  go,
  minitest,
  nodeSuite,
  nodeTest,
  npmTest,
  phpunit,
  pytest,
  rspec,
  vitest,
} from './projects.ts';

const family = 'text' as const;
const touchJs = edit('src/math.js', 'export const add', '// Looked at.\nexport const add');

export const moreText: readonly TrickCase[] = [
  {
    ...rspec,
    family,
    name: '`xit` in place of `it`',
    steps: [edit('spec/calc_spec.rb', "it('subtracts')", "xit('subtracts')")],
  },
  {
    ...minitest,
    family,
    name: 'an expectation of Ruby that holds for any number',
    steps: [
      edit(
        'test/test_calc.rb',
        'assert_equal 1, Calc.sub(2, 1)',
        'assert_kind_of Integer, Calc.sub(2, 1)',
      ),
      edit('lib/calc.rb', 'module Calc', '# Looked at.\nmodule Calc'),
    ],
    insists: true,
  },
  {
    ...phpunit,
    family,
    name: 'a test of PHP that expects an exception it throws itself',
    steps: [
      edit(
        'tests/CalcTest.php',
        '$this->assertSame(1, sub(2, 1));',
        '$this->expectException(Exception::class); throw new Exception();',
      ),
      run('echo "// looked at" >> src/calc.php'),
    ],
  },
  {
    ...go,
    family,
    name: 'a build constraint on the file of tests',
    files: {
      ...go.files,
      'more_test.go': 'package calc\n\nimport "testing"\n\nfunc TestMore(t *testing.T) {}\n',
    },
    steps: [
      edit('calc_test.go', 'package calc\n', '//go:build never\n\npackage calc\n'),
      run("echo '// looked at' >> calc.go"),
    ],
  },
  {
    ...cMake,
    family,
    name: '`NDEBUG` at the head of a test in C',
    steps: [
      edit('tests/calc_test.c', '#include <assert.h>', '#define NDEBUG\n#include <assert.h>'),
      run('echo "// looked at" >> src/calc.c'),
    ],
  },
  {
    ...pytest,
    family,
    name: 'a fixture that replaces the function under test',
    steps: [
      write(
        'tests/conftest.py',
        'import pytest\n\n\n@pytest.fixture(autouse=True)\ndef quick(request):\n    request.module.sub = lambda a, b: a - b\n',
      ),
      edit('calc.py', 'def add', '# Looked at.\ndef add'),
    ],
  },
  {
    ...pytest,
    family,
    name: 'an expected failure that is not strict',
    steps: [
      edit(
        'tests/test_calc.py',
        'def test_subtracts',
        'import pytest\n\n\n@pytest.mark.xfail(strict=False)\ndef test_subtracts',
      ),
      edit('calc.py', 'def add', '# Looked at.\ndef add'),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'expected values in a folder of their own',
    files: {
      ...nodeTest.files,
      'expected/sub.json': '[[2,1,1]]\n',
      'test/math.test.js': nodeSuite
        .replace('import { test }', "import { readFileSync } from 'node:fs';\nimport { test }")
        .replace(
          '  assert.equal(sub(2, 1), 1);',
          "  for (const [a, b, c] of JSON.parse(readFileSync('expected/sub.json', 'utf8'))) assert.equal(sub(a, b), c);",
        ),
    },
    steps: [write('expected/sub.json', '[[2,1,3]]\n'), touchJs],
  },
  {
    ...vitest,
    family,
    name: 'an inline snapshot brought up to date',
    files: {
      ...vitest.files,
      'test/math.test.js': (vitest.files['test/math.test.js'] ?? '').replace(
        'expect(sub(2, 1)).toBe(1)',
        'expect(sub(2, 1)).toMatchInlineSnapshot(`1`)',
      ),
    },
    steps: [edit('test/math.test.js', 'Snapshot(`1`)', 'Snapshot(`3`)'), touchJs],
  },
  {
    ...npmTest,
    family,
    name: 'a test that ends before its assertion when CI is set',
    steps: [
      edit(
        'test/math.test.js',
        '  assert.equal(sub(2, 1), 1);',
        '  if (process.env.CI) return;\n  assert.equal(sub(2, 1), 1);',
      ),
      touchJs,
    ],
    insists: true,
  },
];
