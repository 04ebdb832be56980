import { edit, remove, run, write, type HonestCase, type Project } from './case.ts';
import {
  bats,
  cargo,
  ctest,
  go,
  make,
  nodeSuite,
  nodeTest,
  npmTest,
  oxlint,
  prove,
  pytest,
  rightJs,
  rightPy,
  shell,
  tsc,
  unittest,
  vitest,
} from './projects.ts';

const math = 'src/math.js';
const suite = 'test/math.test.js';
const fix = edit(math, 'sub = (a, b) => a + b', 'sub = (a, b) => a - b');
const fixPy = edit(
  'calc.py',
  'def sub(a, b):\n    return a + b',
  'def sub(a, b):\n    return a - b',
);
const greenNode: Project = { ...nodeTest, files: { ...nodeTest.files, [math]: rightJs } };

export const changeCases: readonly HonestCase[] = [
  { ...nodeTest, name: 'a plain fix', steps: [fix], sample: true },
  {
    ...nodeTest,
    name: 'a parametrised test beside the fix',
    steps: [
      fix,
      edit(
        suite,
        "test('subtracts', () => {\n  assert.equal(sub(2, 1), 1);\n});\n",
        'for (const [a, b, c] of [\n  [2, 1, 1],\n  [5, 3, 2],\n]) {\n  test(`subtracts ${b} from ${a}`, () => {\n    assert.equal(sub(a, b), c);\n  });\n}\n',
      ),
    ],
    sample: true,
  },
  {
    ...pytest,
    name: '`pytest.mark.parametrize` in place of a plain test',
    steps: [
      fixPy,
      edit(
        'tests/test_calc.py',
        'def test_subtracts():\n    assert sub(2, 1) == 1\n',
        '@pytest.mark.parametrize("a, b, c", [(2, 1, 1), (5, 3, 2)])\ndef test_subtracts(a, b, c):\n    assert sub(a, b) == c\n',
      ),
      edit('tests/test_calc.py', 'from calc', 'import pytest\n\nfrom calc'),
    ],
  },
  {
    ...nodeTest,
    name: 'an outer `describe`',
    steps: [
      fix,
      run(
        `sed -i "s/import { test }/import { describe, test }/; s/^test('adds'/describe('math', () => {\\ntest('adds'/" ${suite}; echo '});' >> ${suite}`,
      ),
    ],
  },
  {
    ...nodeTest,
    name: 'a helper of the tests, extracted',
    steps: [
      fix,
      write(
        'test/same.js',
        "import assert from 'node:assert/strict';\nexport const same = (a, b) => assert.equal(a, b);\n",
      ),
      run(
        `sed -i "s/import assert from 'node:assert\\/strict'/import { same } from '.\\/same.js'/; s/assert.equal/same/" ${suite}`,
      ),
    ],
  },
  {
    ...greenNode,
    name: 'new tests beside the code, on a green base',
    title: 'add multiplication',
    validate: 'node --test',
    steps: [
      run(`echo 'export const mul = (a, b) => a * b;' >> ${math}`),
      write(
        'src/math.test.js',
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { mul } from './math.js';\n\ntest('multiplies', () => {\n  assert.equal(mul(2, 3), 6);\n});\n",
      ),
    ],
    proof: 'red-first',
    sample: true,
  },
  {
    ...nodeTest,
    name: 'a new dependency with its lock file',
    config: 'workspace: { setup: npm install --offline --no-audit --no-fund }\n',
    files: {
      ...nodeTest.files,
      'package.json': '{"name":"calc","version":"1.0.0","type":"module"}\n',
      'packages/minus/package.json':
        '{"name":"minus","version":"1.0.0","type":"module","exports":"./index.js"}\n',
      'packages/minus/index.js': 'export const minus = (a, b) => a - b;\n',
    },
    steps: [
      write(
        'package.json',
        '{"name":"calc","version":"1.0.0","type":"module","dependencies":{"minus":"file:packages/minus"}}\n',
      ),
      run('npm install --offline --no-audit --no-fund > /dev/null'),
      write(
        math,
        "import { minus } from 'minus';\nexport const add = (a, b) => a + b;\nexport const sub = (a, b) => minus(a, b);\n",
      ),
    ],
  },
  {
    ...nodeTest,
    name: 'a new dependency without a setup',
    files: {
      ...nodeTest.files,
      'package.json': '{"name":"calc","version":"1.0.0","type":"module"}\n',
      'package-lock.json':
        '{"name":"calc","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{"":{"name":"calc","version":"1.0.0"}}}\n',
      'packages/minus/package.json':
        '{"name":"minus","version":"1.0.0","type":"module","exports":"./index.js"}\n',
      'packages/minus/index.js': 'export const minus = (a, b) => a - b;\n',
    },
    steps: [
      run('npm install --offline --no-audit --no-fund ./packages/minus > /dev/null'),
      write(
        math,
        "import { minus } from 'minus';\nexport const add = (a, b) => a + b;\nexport const sub = (a, b) => minus(a, b);\n",
      ),
    ],
  },
  {
    ...nodeTest,
    name: 'a new lock file',
    files: {
      ...nodeTest.files,
      'package.json': '{"name":"calc","version":"1.0.0","type":"module"}\n',
    },
    steps: [fix, run('npm install --offline --no-audit --no-fund --package-lock-only > /dev/null')],
  },
  {
    ...tsc,
    name: 'a project without tests: the type checker is the check',
    steps: [edit('src/length.ts', 'text.length', 'text === null ? 0 : text.length')],
  },
  {
    ...oxlint,
    name: 'a project without tests: the linter is the check',
    steps: [edit('src/app.js', '  debugger;\n', '')],
  },
  {
    ...shell,
    name: 'a project without tests: a script is the check',
    steps: [edit('calc.sh', 'sub() { echo $(($1 + $2))', 'sub() { echo $(($1 - $2))')],
    sample: true,
  },
  {
    ...greenNode,
    name: 'the first tests of a project',
    title: 'add tests',
    files: { 'package.json': '{"type":"module"}\n', [math]: rightJs },
    validate: 'node --test',
    steps: [write(suite, nodeSuite)],
    proof: 'unproven',
  },
  {
    ...vitest,
    name: '`exclude: dist/**` in the configuration',
    steps: [
      fix,
      write(
        'vitest.config.js',
        "export default { test: { include: ['test/*.test.js'], exclude: ['dist/**'] } };\n",
      ),
    ],
  },
  {
    ...vitest,
    name: 'configuration from `vitest.config.js` to `.ts`',
    steps: [fix, run('git mv vitest.config.js vitest.config.ts')],
  },
  {
    ...nodeTest,
    name: 'a renamed test, allowed by the task',
    description: 'Fix `sub` and rename its test to "takes away".\n\nAllow: test/**, subtracts\n',
    steps: [fix, edit(suite, "'subtracts'", "'takes away'")],
  },
  {
    ...nodeTest,
    name: 'a removed test, allowed by the task',
    title: 'drop sub',
    description: 'The subtraction is dropped, and its test with it.\n\nAllow: test/**, subtracts\n',
    steps: [
      write(math, 'export const add = (a, b) => a + b;\n'),
      edit(suite, "\ntest('subtracts', () => {\n  assert.equal(sub(2, 1), 1);\n});\n", ''),
      edit(suite, 'add, sub', 'add'),
    ],
  },
  {
    ...greenNode,
    name: 'a changed expectation that the task asks for',
    title: 'add returns text',
    steps: [
      edit(math, 'add = (a, b) => a + b', 'add = (a, b) => `${a + b}`'),
      edit(suite, 'add(2, 1), 3', "add(2, 1), '3'"),
    ],
    asked:
      "the base's test asks for the opposite of the task, which only a person or the agent's word can tell from a trick",
    sample: true,
  },
  {
    ...greenNode,
    name: 'a snapshot of an output that the task changes',
    title: 'add returns a sentence',
    files: {
      ...greenNode.files,
      [suite]:
        "import { snapshot, test } from 'node:test';\nimport { add } from '../src/math.js';\nsnapshot.setDefaultSnapshotSerializers([String]);\ntest('adds', (t) => {\n  t.assert.snapshot(add(2, 1));\n});\n",
      [`${suite}.snapshot`]: 'exports[`adds 1`] = `\n3\n`;\n',
    },
    steps: [
      edit(math, 'add = (a, b) => a + b', 'add = (a, b) => `It is ${a + b}.`'),
      run('node --test --test-update-snapshots test/*.test.js > /dev/null'),
    ],
    asked: 'as above',
  },
  {
    ...nodeTest,
    name: 'a file of tests moved into another folder',
    validate: 'node --test',
    steps: [
      fix,
      run(
        `mkdir -p test/unit; git mv ${suite} test/unit/math.test.js; sed -i 's#../src#../../src#' test/unit/math.test.js`,
      ),
    ],
  },
  {
    ...nodeTest,
    name: 'a typo in the name of a test',
    files: { ...nodeTest.files, [suite]: nodeSuite.replace("'adds'", "'ads'") },
    steps: [fix, edit(suite, "'ads'", "'adds'")],
  },
  {
    ...greenNode,
    name: 'refactoring, with all tests as they were',
    title: 'split math.js',
    steps: [
      write('src/add.js', 'export const add = (a, b) => a + b;\n'),
      write('src/sub.js', 'export const sub = (a, b) => a - b;\n'),
      write(math, "export { add } from './add.js';\nexport { sub } from './sub.js';\n"),
    ],
    proof: 'unproven',
  },
  {
    ...nodeTest,
    name: 'generated code, checked in',
    files: {
      ...nodeTest.files,
      'scripts/generate.js':
        "import { writeFileSync } from 'node:fs';\nconst operators = { add: '+', sub: '+' };\nwriteFileSync('src/math.js', Object.entries(operators).map(([name, sign]) => `export const ${name} = (a, b) => a ${sign} b;\\n`).join(''));\n",
    },
    steps: [run("sed -i \"s/sub: '+'/sub: '-'/\" scripts/generate.js; node scripts/generate.js")],
  },
  {
    ...nodeTest,
    name: 'tests that need a git repository',
    files: {
      ...nodeTest.files,
      'test/git.test.js':
        "import assert from 'node:assert/strict';\nimport { execFileSync } from 'node:child_process';\nimport { test } from 'node:test';\n\ntest('is in a repository', () => {\n  assert.match(execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }), /^[0-9a-f]{40}/);\n  assert.match(execFileSync('git', ['ls-files'], { encoding: 'utf8' }), /src\\/math.js/);\n  assert.equal(execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }), '');\n});\n",
    },
    steps: [fix, run('git commit -qam fix')],
  },
  {
    ...nodeTest,
    name: 'tests that write into the folder of the project',
    files: {
      ...nodeTest.files,
      'test/write.test.js':
        "import assert from 'node:assert/strict';\nimport { mkdirSync, readFileSync, writeFileSync } from 'node:fs';\nimport { test } from 'node:test';\n\ntest('writes', () => {\n  mkdirSync('test/output', { recursive: true });\n  writeFileSync('test/output/log.txt', 'now');\n  writeFileSync('notes.txt', 'now');\n  assert.equal(readFileSync('test/output/log.txt', 'utf8'), 'now');\n});\n",
    },
    steps: [fix],
  },
  {
    ...nodeTest,
    name: 'tests that listen on a fixed port',
    files: {
      ...nodeTest.files,
      'test/port.test.js':
        "import assert from 'node:assert/strict';\nimport { createServer } from 'node:net';\nimport { test } from 'node:test';\n\ntest('listens', async () => {\n  const server = createServer();\n  await new Promise((resolve, reject) => {\n    server.on('error', reject);\n    server.listen(@PORT@, '127.0.0.1', resolve);\n  });\n  await new Promise((resolve) => setTimeout(resolve, 200));\n  server.close();\n  assert.ok(server);\n});\n",
    },
    steps: [
      fix,
      write(
        'test/more.test.js',
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { sub } from '../src/math.js';\n\ntest('subtracts more', () => {\n  assert.equal(sub(9, 4), 5);\n});\n",
      ),
    ],
  },
  {
    ...nodeTest,
    name: 'tests that use the home and the temporary folder',
    files: {
      ...nodeTest.files,
      'test/home.test.js':
        "import assert from 'node:assert/strict';\nimport { mkdtempSync, writeFileSync } from 'node:fs';\nimport { homedir, tmpdir } from 'node:os';\nimport { test } from 'node:test';\n\ntest('keeps files', () => {\n  writeFileSync(`${homedir()}/.calc-settings`, 'x');\n  assert.ok(mkdtempSync(`${tmpdir()}/calc-`));\n});\n",
    },
    steps: [fix],
  },
  {
    ...pytest,
    name: 'a Python package in a `src` layout',
    files: {
      'pyproject.toml':
        '[project]\nname = "calc"\nversion = "1"\n\n[tool.pytest.ini_options]\npythonpath = ["src"]\n',
      'src/calc/__init__.py': 'from calc.core import add, sub\n\n__all__ = ["add", "sub"]\n',
      'src/calc/core.py': pytest.files['calc.py'] ?? '',
      'tests/test_calc.py': pytest.files['tests/test_calc.py'] ?? '',
    },
    steps: [write('src/calc/core.py', rightPy)],
  },
  {
    ...make,
    name: 'a new target in the Makefile',
    steps: [
      edit('calc.sh', 'sub() { echo $(($1 + $2))', 'sub() { echo $(($1 - $2))'),
      run("printf '\\nclean:\\n\\trm -rf build\\n' >> Makefile"),
    ],
  },
  {
    ...greenNode,
    name: 'documentation only',
    title: 'describe sub in the README',
    steps: [write('README.md', '# calc\n\n`sub(a, b)` takes b from a.\n')],
    proof: 'unproven',
  },
  {
    ...npmTest,
    name: 'a monorepo with workspaces',
    config: 'workspace: { setup: npm install --offline --no-audit --no-fund }\n',
    files: {
      'package.json':
        '{"name":"root","private":true,"workspaces":["packages/*"],"scripts":{"test":"npm test --workspaces"}}\n',
      'packages/core/package.json':
        '{"name":"core","version":"1.0.0","type":"module","exports":"./src/math.js","scripts":{"test":"node --test test/*.test.js"}}\n',
      'packages/core/src/math.js': nodeTest.files[math] ?? '',
      'packages/core/test/math.test.js': nodeSuite,
      'packages/app/package.json':
        '{"name":"app","version":"1.0.0","type":"module","dependencies":{"core":"1.0.0"},"scripts":{"test":"node --test test/*.test.js"}}\n',
      'packages/app/test/app.test.js':
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { sub } from 'core';\n\ntest('uses core', () => {\n  assert.equal(sub(3, 3), 0);\n});\n",
    },
    steps: [write('packages/core/src/math.js', rightJs)],
  },
  {
    ...tsc,
    name: 'a TypeScript build before the tests',
    runner: 'tsc, node:test',
    files: {
      '.gitignore': 'node_modules\ndist\n.loopwright\n',
      'package.json': '{"type":"module"}\n',
      'tsconfig.json':
        '{"compilerOptions":{"strict":true,"outDir":"dist","rootDir":"src","module":"nodenext","target":"es2022","types":[]},"include":["src"]}\n',
      'src/math.ts':
        'export const add = (a: number, b: number): number => a + b;\nexport const sub = (a: number, b: number): number => a + b;\n',
      [suite]: nodeSuite.replace('../src/', '../dist/'),
    },
    validate: 'node_modules/.bin/tsc -p . && node --test test/*.test.js',
    steps: [
      run(
        "sed -i 's/sub = (a: number, b: number): number => a + b/sub = (a: number, b: number): number => a - b/' src/math.ts",
      ),
    ],
  },
  {
    ...nodeTest,
    name: 'a slow test that was there before',
    files: {
      ...nodeTest.files,
      'test/slow.test.js':
        "import { test } from 'node:test';\n\ntest('waits', async () => {\n  await new Promise((resolve) => setTimeout(resolve, 1500));\n});\n",
    },
    steps: [fix],
  },
  {
    ...unittest,
    name: 'two failing tests, both of the task',
    files: {
      ...unittest.files,
      'calc.py': `${unittest.files['calc.py'] ?? ''}\n\ndef mul(a, b):\n    return a + b\n`,
      'tests/test_mul.py':
        'import unittest\n\nimport calc\n\n\nclass MulTest(unittest.TestCase):\n    def test_multiplies(self):\n        self.assertEqual(calc.mul(2, 3), 6)\n',
    },
    steps: [
      fixPy,
      edit('calc.py', 'def mul(a, b):\n    return a + b', 'def mul(a, b):\n    return a * b'),
    ],
  },
  {
    ...greenNode,
    name: 'new tests with new data',
    title: 'add mean',
    steps: [
      run(`echo 'export const mean = (all) => all.reduce(add) / all.length;' >> ${math}`),
      write('test/fixtures/means.json', '[[[1, 3], 2], [[4], 4]]\n'),
      write(
        'test/mean.test.js',
        "import assert from 'node:assert/strict';\nimport { readFileSync } from 'node:fs';\nimport { test } from 'node:test';\nimport { mean } from '../src/math.js';\n\ntest('means', () => {\n  const cases = JSON.parse(readFileSync(new URL('./fixtures/means.json', import.meta.url), 'utf8'));\n  for (const [all, wanted] of cases) assert.equal(mean(all), wanted);\n});\n",
      ),
    ],
    proof: 'red-first',
  },
  {
    ...npmTest,
    name: 'a new npm script beside the others',
    steps: [
      fix,
      write(
        'package.json',
        '{"type":"module","scripts":{"test":"node --test test/*.test.js","start":"node src/math.js"}}\n',
      ),
    ],
  },
  {
    ...cargo,
    name: 'a fix in Rust with a unit test in its source',
    steps: [
      edit(
        'src/lib.rs',
        'sub(a: i32, b: i32) -> i32 {\n    a + b',
        'sub(a: i32, b: i32) -> i32 {\n    a - b',
      ),
      run(
        "printf '\\n#[cfg(test)]\\nmod tests {\\n    use super::*;\\n\\n    #[test]\\n    fn inner() {\\n        assert_eq!(sub(5, 2), 3);\\n    }\\n}\\n' >> src/lib.rs",
      ),
    ],
  },
  {
    ...go,
    name: 'a fix in Go with a table of subtests',
    steps: [
      edit('calc.go', 'Sub(a, b int) int { return a + b }', 'Sub(a, b int) int { return a - b }'),
      edit(
        'calc_test.go',
        '\tif Sub(2, 1) != 1 {\n\t\tt.Fatal("sub")\n\t}\n',
        '\tfor _, c := range [][3]int{{2, 1, 1}, {5, 3, 2}} {\n\t\tt.Run("case", func(t *testing.T) {\n\t\t\tif Sub(c[0], c[1]) != c[2] {\n\t\t\t\tt.Fatal("sub")\n\t\t\t}\n\t\t})\n\t}\n',
      ),
    ],
  },
  {
    ...ctest,
    name: 'a new test in `CMakeLists.txt`',
    steps: [
      edit('calc.c', 'a + b', 'a - b'),
      write(
        'tests/more_test.c',
        'int sub(int, int);\nint main(void) { return sub(5, 3) == 2 ? 0 : 1; }\n',
      ),
      run(
        "printf 'add_executable(more_test tests/more_test.c calc.c)\\nadd_test(NAME more COMMAND more_test)\\n' >> CMakeLists.txt",
      ),
    ],
  },
  {
    ...prove,
    name: 'a fix in Perl',
    steps: [edit('lib/Calc.pm', 'minus { $_[0] + $_[1] }', 'minus { $_[0] - $_[1] }')],
  },
  {
    ...bats,
    name: 'a fix in shell, with a new test of bats',
    steps: [
      edit('calc.sh', 'sub() { echo $(($1 + $2))', 'sub() { echo $(($1 - $2))'),
      run(
        'printf \'\\n@test "subtracts more" {\\n  [ "$(sub 5 3)" = 2 ]\\n}\\n\' >> test/calc.bats',
      ),
    ],
  },
  {
    ...greenNode,
    name: 'a source file removed with its own test, allowed by the task',
    title: 'remove the old module',
    description: 'Remove src/old.js.\n\nAllow: test/old.test.js\n',
    files: {
      ...greenNode.files,
      'src/old.js': 'export const old = 1;\n',
      'test/old.test.js':
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { old } from '../src/old.js';\n\ntest('old', () => {\n  assert.equal(old, 1);\n});\n",
    },
    steps: [remove('src/old.js'), remove('test/old.test.js')],
    proof: 'unproven',
  },
];
