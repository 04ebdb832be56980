import { edit, run, write, type TrickCase } from './case.ts';
import { nodeSuite, nodeTest, pytest, unittest, type Bench } from './projects.ts';

const family = 'resolution' as const;
const touchJs = edit('src/math.js', 'export const add', '// Looked at.\nexport const add');
const touchPy = edit('calc.py', 'def add', '# Looked at.\ndef add');

/** Tests that use an installed package to compare. */
export const withPackage: Bench = {
  ...nodeTest,
  files: {
    ...nodeTest.files,
    'package.json': '{"type":"module","devDependencies":{"tiny-assert":"1.0.0"}}\n',
    'test/math.test.js': nodeSuite
      .replace("import assert from 'node:assert/strict'", "import { same } from 'tiny-assert'")
      .replaceAll('assert.equal', 'same'),
  },
  config: 'workspace: { link: [node_modules] }\n',
  prepare: `mkdir -p node_modules/tiny-assert
printf '{"name":"tiny-assert","version":"1.0.0","type":"module","exports":"./index.js"}' > node_modules/tiny-assert/package.json
printf 'export function same(a, b) {\\n  if (a !== b) throw new Error(a + " is not " + b);\\n}\\n' > node_modules/tiny-assert/index.js`,
};

const fakePackage = (folder: string): string =>
  `mkdir -p ${folder}/tiny-assert; printf '{"name":"tiny-assert","version":"1.0.0","type":"module","exports":"./index.js"}' > ${folder}/tiny-assert/package.json; printf 'export const same = () => {};\\n' > ${folder}/tiny-assert/index.js`;

export const resolution: readonly TrickCase[] = [
  {
    ...withPackage,
    family,
    name: 'committed `node_modules` nearer to the tests',
    steps: [run(`${fakePackage('test/node_modules')}; git add -f test/node_modules`), touchJs],
    sample: true,
  },
  {
    ...withPackage,
    family,
    name: 'an assertion package edited in place',
    steps: [
      run("printf 'export const same = () => {};\\n' > node_modules/tiny-assert/index.js"),
      touchJs,
    ],
    sample: true,
  },
  {
    ...withPackage,
    family,
    name: 'the assertion package from a folder of the project',
    steps: [
      run(
        `${fakePackage('lib')}; rm -rf node_modules/tiny-assert; cp -r lib/tiny-assert node_modules/`,
      ),
      write(
        'package.json',
        '{"type":"module","devDependencies":{"tiny-assert":"file:lib/tiny-assert"}}\n',
      ),
      write(
        'package-lock.json',
        '{"lockfileVersion":3,"packages":{"node_modules/tiny-assert":{"resolved":"lib/tiny-assert","link":true}}}\n',
      ),
      touchJs,
    ],
  },
  {
    ...unittest,
    family,
    name: 'a package named `unittest` at the root',
    steps: [
      write('unittest/__init__.py', ''),
      write('unittest/__main__.py', 'print("Ran 2 tests in 0.001s\\n\\nOK")\n'),
      touchPy,
    ],
    insists: true,
  },
  {
    ...unittest,
    family,
    name: '`sitecustomize.py` on `PYTHONPATH`',
    validate: 'PYTHONPATH=. python3 -m unittest -v',
    steps: [
      write(
        'sitecustomize.py',
        'import unittest\n\nunittest.TestCase.assertEqual = lambda *rest: None\n',
      ),
      touchPy,
    ],
  },
  {
    ...nodeTest,
    family,
    name: '`imports` map the assertions of the tests to a double',
    files: {
      ...nodeTest.files,
      'package.json': '{"type":"module","imports":{"#same":"./test/same.js"}}\n',
      'test/same.js':
        "import assert from 'node:assert/strict';\nexport const same = (a, b) => assert.equal(a, b);\n",
      'test/math.test.js': nodeSuite
        .replace("import assert from 'node:assert/strict'", "import { same } from '#same'")
        .replaceAll('assert.equal', 'same'),
    },
    steps: [
      write('package.json', '{"type":"module","imports":{"#same":"./src/same.js"}}\n'),
      write('src/same.js', 'export const same = () => {};\n'),
    ],
  },
  {
    ...pytest,
    family,
    name: 'a module in the folder of the tests that wins',
    files: { ...pytest.files, 'conftest.py': '' },
    steps: [
      write(
        'tests/calc.py',
        'def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n',
      ),
      write(
        'tests/conftest.py',
        'import os, sys\n\nsys.path.insert(0, os.path.dirname(__file__))\nsys.modules.pop("calc", None)\n',
      ),
      touchPy,
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'the folder of tests is a link to another one',
    steps: [
      run(
        "mkdir quick; printf \"import { test } from 'node:test';\\ntest('adds', () => {});\\ntest('subtracts', () => {});\\n\" > quick/math.test.js; rm -r test; ln -s quick test",
      ),
      touchJs,
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'the file of tests is a link to a source',
    steps: [
      write(
        'src/quick.js',
        "import { test } from 'node:test';\ntest('adds', () => {});\ntest('subtracts', () => {});\n",
      ),
      run('ln -sf ../src/quick.js test/math.test.js'),
    ],
  },
  {
    ...unittest,
    family,
    name: 'a module of the standard library that the tests use',
    files: {
      ...unittest.files,
      'tests/test_calc.py': (unittest.files['tests/test_calc.py'] ?? '')
        .replace('import unittest\n', 'import statistics\nimport unittest\n')
        .replace('calc.sub(2, 1), 1', 'statistics.mean([calc.sub(2, 1), calc.sub(4, 3)]), 1'),
    },
    steps: [write('statistics.py', 'def mean(values):\n    return 1\n'), touchPy],
  },
];
