import { edit, remove, run, write, type HonestCase, type Project } from './case.ts';
import { nodeSuite, nodeTest, npmTest, oxlint, rightJs, tsc, vitest } from './projects.ts';

const math = 'src/math.js';
const suite = 'test/math.test.js';
const fix = edit(math, 'sub = (a, b) => a + b', 'sub = (a, b) => a - b');
const green: Project = { ...nodeTest, files: { ...nodeTest.files, [math]: rightJs } };
const top = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n";
const install = 'npm install --offline --no-audit --no-fund > /dev/null';
const setup = 'workspace: { setup: npm install --offline --no-audit --no-fund }\n';
const minus: Readonly<Record<string, string>> = {
  'packages/minus/package.json':
    '{"name":"minus","version":"1.0.0","type":"module","exports":"./index.js"}\n',
  'packages/minus/index.js': 'export const minus = (a, b) => a - b;\n',
};
const usesMinus =
  "import { minus } from 'minus';\nexport const add = (a, b) => a + b;\nexport const sub = (a, b) => minus(a, b);\n";

/** Node, TypeScript and their package managers. */
export const javascriptCases: readonly HonestCase[] = [
  {
    ...nodeTest,
    name: 'one file of tests split in two',
    steps: [
      fix,
      write(
        'test/sub.test.js',
        `${top}import { sub } from '../src/math.js';\n\ntest('subtracts', () => {\n  assert.equal(sub(2, 1), 1);\n});\n`,
      ),
      edit(suite, "\ntest('subtracts', () => {\n  assert.equal(sub(2, 1), 1);\n});\n", ''),
      edit(suite, 'add, sub', 'add'),
    ],
  },
  {
    ...npmTest,
    name: 'a tarball as a dependency, with its lock file',
    config: setup,
    files: {
      ...npmTest.files,
      ...minus,
      'package.json':
        '{"name":"calc","version":"1.0.0","type":"module","scripts":{"test":"node --test test/*.test.js"}}\n',
      'package-lock.json':
        '{"name":"calc","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{"":{"name":"calc","version":"1.0.0"}}}\n',
    },
    steps: [
      run(
        'mkdir -p vendor && npm pack --silent --pack-destination vendor ./packages/minus > /dev/null && npm install --offline --no-audit --no-fund ./vendor/minus-1.0.0.tgz > /dev/null',
      ),
      write(math, usesMinus),
    ],
  },
  {
    ...nodeTest,
    name: 'a dependency that is not used any more, removed',
    config: setup,
    files: {
      ...nodeTest.files,
      ...minus,
      'package.json':
        '{"name":"calc","version":"1.0.0","type":"module","dependencies":{"minus":"file:packages/minus"}}\n',
      [math]: usesMinus.replace('minus(a, b)', 'minus(a, -b)'),
    },
    steps: [
      write(math, rightJs),
      write('package.json', '{"name":"calc","version":"1.0.0","type":"module"}\n'),
      run(`rm -rf packages; ${install}; rm -f package-lock.json`),
    ],
  },
  {
    ...npmTest,
    name: 'a new package in a monorepo',
    config: setup,
    files: {
      'package.json':
        '{"name":"root","private":true,"workspaces":["packages/*"],"scripts":{"test":"npm test --workspaces --if-present"}}\n',
      'packages/core/package.json':
        '{"name":"core","version":"1.0.0","type":"module","exports":"./src/math.js","scripts":{"test":"node --test test/*.test.js"}}\n',
      'packages/core/src/math.js': nodeTest.files[math] ?? '',
      'packages/core/test/math.test.js': nodeSuite,
    },
    steps: [
      write('packages/core/src/math.js', rightJs),
      write(
        'packages/more/package.json',
        '{"name":"more","version":"1.0.0","type":"module","dependencies":{"core":"1.0.0"},"scripts":{"test":"node --test test/*.test.js"}}\n',
      ),
      write(
        'packages/more/src/twice.js',
        "import { sub } from 'core';\nexport const twice = (a, b) => sub(sub(a, b), b);\n",
      ),
      write(
        'packages/more/test/twice.test.js',
        `${top}import { twice } from '../src/twice.js';\n\ntest('subtracts twice', () => {\n  assert.equal(twice(5, 2), 1);\n});\n`,
      ),
      run(install),
    ],
  },
  {
    ...npmTest,
    name: 'a project becomes a workspace of packages',
    config: setup,
    files: {
      ...npmTest.files,
      'package.json':
        '{"name":"calc","version":"1.0.0","type":"module","scripts":{"test":"node --test test/*.test.js"}}\n',
    },
    steps: [
      write(
        'package.json',
        '{"name":"calc","version":"1.0.0","type":"module","workspaces":["packages/*"],"scripts":{"test":"node --test test/*.test.js"},"dependencies":{"minus":"1.0.0"}}\n',
      ),
      ...Object.entries(minus).map(([path, content]) => write(path, content)),
      write(math, usesMinus),
      run(install),
    ],
  },
  {
    ...npmTest,
    name: '`npm install` in the worktree, with a lock file brought up to date',
    files: {
      ...npmTest.files,
      ...minus,
      'package.json':
        '{"name":"calc","version":"1.0.0","type":"module","scripts":{"test":"node --test test/*.test.js"},"dependencies":{"minus":"file:packages/minus"}}\n',
      'package-lock.json':
        '{"name":"calc","version":"0.9.0","lockfileVersion":3,"requires":true,"packages":{"":{"name":"calc","version":"0.9.0","dependencies":{"minus":"file:packages/minus"}},"node_modules/minus":{"resolved":"packages/minus","link":true},"packages/minus":{"version":"1.0.0"}}}\n',
      [math]:
        'import "minus";\nexport const add = (a, b) => a + b;\nexport const sub = (a, b) => a + b;\n',
    },
    config: 'workspace: { link: [node_modules] }\n',
    prepare: install,
    steps: [fix, run(install)],
  },
  {
    ...tsc,
    name: 'a stricter `tsconfig.json`',
    steps: [
      edit('src/length.ts', 'text.length', 'text === null ? 0 : text.length'),
      edit('tsconfig.json', '"strict":true', '"strict":true,"noUncheckedIndexedAccess":true'),
    ],
  },
  {
    ...oxlint,
    name: 'a stricter rule of the linter',
    steps: [
      edit('src/app.js', '  debugger;\n', ''),
      edit('.oxlintrc.json', '"no-debugger"', '"eqeqeq":"error","no-debugger"'),
    ],
  },
  {
    ...tsc,
    name: 'a new module and its types',
    steps: [
      edit('src/length.ts', 'text.length', 'orEmpty(text).length'),
      edit(
        'src/length.ts',
        'export function',
        "import { orEmpty } from './empty.js';\n\nexport function",
      ),
      write(
        'src/empty.ts',
        "export const orEmpty = (text: string | null): string => text ?? '';\n",
      ),
      write('types/extra.d.ts', 'declare const version: string;\n'),
    ],
  },
  {
    ...vitest,
    name: 'a file of setup with a new test that needs it',
    steps: [
      fix,
      write('test/setup.js', 'globalThis.seed = 4;\n'),
      write(
        'vitest.config.js',
        "export default { test: { include: ['test/*.test.js'], setupFiles: ['test/setup.js'] } };\n",
      ),
      write(
        'test/seed.test.js',
        "import { expect, test } from 'vitest';\nimport { sub } from '../src/math.js';\n\ntest('takes from the seed', () => {\n  expect(sub(globalThis.seed, 1)).toBe(3);\n});\n",
      ),
    ],
  },
  {
    ...vitest,
    name: '`test.each` in place of a test, under a suite',
    steps: [
      fix,
      edit(
        suite,
        "test('subtracts', () => {\n  expect(sub(2, 1)).toBe(1);\n});",
        "describe('sub', () => {\n  test.each([[2, 1, 1], [5, 3, 2]])('subtracts %i %i', (a, b, c) => {\n    expect(sub(a, b)).toBe(c);\n  });\n});",
      ),
      edit(suite, '{ expect, test }', '{ describe, expect, test }'),
    ],
  },
  {
    ...vitest,
    name: 'an inline snapshot beside the fix',
    steps: [
      fix,
      run(
        `printf "\\ntest('shows', () => {\\n  expect([sub(3, 1)]).toMatchInlineSnapshot();\\n});\\n" >> ${suite}; node_modules/.bin/vitest run -u > /dev/null`,
      ),
    ],
  },
  {
    ...green,
    name: 'a snapshot that the task allows to change',
    title: 'add returns a sentence',
    description: 'add says what the sum is.\n\nAllow: test/**\n',
    files: {
      ...green.files,
      [suite]:
        "import { snapshot, test } from 'node:test';\nimport { add } from '../src/math.js';\nsnapshot.setDefaultSnapshotSerializers([String]);\ntest('adds', (t) => {\n  t.assert.snapshot(add(2, 1));\n});\n",
      [`${suite}.snapshot`]: 'exports[`adds 1`] = `\n3\n`;\n',
    },
    steps: [
      edit(math, 'add = (a, b) => a + b', 'add = (a, b) => `It is ${a + b}.`'),
      run('node --test --test-update-snapshots test/*.test.js > /dev/null'),
    ],
    proof: 'unproven',
  },
  {
    ...green,
    name: 'a changed expectation, allowed by the task',
    title: 'add returns text',
    description: 'add(2, 1) is "3".\n\nAllow: test/math.test.js\n',
    steps: [
      edit(math, 'add = (a, b) => a + b', 'add = (a, b) => `${a + b}`'),
      edit(suite, 'add(2, 1), 3', "add(2, 1), '3'"),
    ],
    proof: 'red-first',
  },
  {
    ...green,
    name: 'a renamed function with its tests',
    title: 'rename sub to minus',
    steps: [run(`sed -i 's/\\bsub\\b/minus/' ${math}; sed -i 's/\\bsub\\b/minus/' ${suite}`)],
    asked: "the base's tests call the old name",
  },
  {
    ...npmTest,
    name: 'a script that builds before the tests',
    files: {
      ...npmTest.files,
      '.gitignore': 'node_modules\ndist\n.loopwright\n',
      'package.json':
        '{"type":"module","scripts":{"pretest":"node scripts/build.js","test":"node --test test/*.test.js"}}\n',
      'scripts/build.js':
        "import { cpSync } from 'node:fs';\ncpSync('src', 'dist', { recursive: true });\n",
      [suite]: nodeSuite.replace('../src/', '../dist/'),
    },
    steps: [fix],
  },
  {
    ...npmTest,
    name: 'code from a generator that is checked in and runs before the tests',
    files: {
      ...npmTest.files,
      'package.json':
        '{"type":"module","scripts":{"pretest":"node tools/generate.js","test":"node --test test/*.test.js"}}\n',
      'tools/generate.js':
        "import { readFileSync, writeFileSync } from 'node:fs';\nconst operators = JSON.parse(readFileSync('src/operators.json', 'utf8'));\nwriteFileSync('src/math.js', Object.entries(operators).map(([name, sign]) => `export const ${name} = (a, b) => a ${sign} b;\\n`).join(''));\n",
      'src/operators.json': '{"add":"+","sub":"+"}\n',
    },
    steps: [edit('src/operators.json', '"sub":"+"', '"sub":"-"'), run('node tools/generate.js')],
  },
  {
    ...npmTest,
    name: 'a new step of the build beside the tests',
    steps: [
      fix,
      write(
        'package.json',
        '{"type":"module","scripts":{"build":"node scripts/build.js","test":"node --test test/*.test.js"}}\n',
      ),
      write(
        'scripts/build.js',
        "import { cpSync } from 'node:fs';\ncpSync('src', 'dist', { recursive: true });\n",
      ),
    ],
  },
  {
    ...npmTest,
    name: 'tests that start the program of the package',
    files: {
      'package.json':
        '{"name":"calc","version":"1.0.0","type":"module","bin":{"calc":"bin/calc.js"},"scripts":{"test":"node --test test/*.test.js"}}\n',
      'bin/calc.js':
        "#!/usr/bin/env node\nimport { sub } from '../src/math.js';\nconsole.log(sub(Number(process.argv[2]), Number(process.argv[3])));\n",
      [math]: nodeTest.files[math] ?? '',
      'test/cli.test.js': `${top}import { execFileSync } from 'node:child_process';\n\ntest('prints the difference', () => {\n  assert.equal(execFileSync(process.execPath, ['bin/calc.js', '5', '3'], { encoding: 'utf8' }), '2\\n');\n});\n\ntest('is executable by name', () => {\n  assert.equal(execFileSync('npx', ['--no-install', 'calc', '5', '5'], { encoding: 'utf8' }), '0\\n');\n});\n`,
    },
    config: setup,
    steps: [fix],
  },
  {
    ...green,
    name: 'a flag that an environment file sets',
    title: 'a flag for rounding',
    validate: 'node --env-file-if-exists=.env.test --test test/*.test.js',
    config: 'workspace: { copy: [.env.test] }\n',
    files: { ...green.files, '.gitignore': 'node_modules\n.env.test\n.loopwright\n' },
    prepare: "printf 'ROUND=1\\n' > .env.test",
    steps: [
      run(
        `printf 'export const half = (a) => (process.env.ROUND === "1" ? Math.round(a / 2) : a / 2);\\n' >> ${math}`,
      ),
      write(
        'test/half.test.js',
        `${top}import { half } from '../src/math.js';\n\ntest('rounds', () => {\n  assert.equal(half(3), 2);\n});\n`,
      ),
    ],
    proof: 'red-first',
  },
  {
    ...nodeTest,
    name: 'a new file of migration that the product reads',
    files: {
      ...nodeTest.files,
      'src/migrate.js':
        "import { readdirSync } from 'node:fs';\nexport const migrations = () => readdirSync(new URL('../migrations', import.meta.url)).toSorted();\n",
      'migrations/001-first.sql': 'CREATE TABLE a (x INT);\n',
      'test/migrate.test.js': `${top}import { migrations } from '../src/migrate.js';\n\ntest('has two migrations', () => {\n  assert.deepEqual(migrations(), ['001-first.sql', '002-second.sql']);\n});\n`,
    },
    steps: [fix, write('migrations/002-second.sql', 'ALTER TABLE a ADD y INT;\n')],
  },
  {
    ...nodeTest,
    name: 'a workflow of CI that the task allows to change',
    description: 'Fix sub and run CI on node 24.\n\nAllow: .github/**\n',
    files: {
      ...nodeTest.files,
      '.github/workflows/ci.yml':
        'on: push\njobs:\n  test:\n    runs-on: x\n    steps: [{ run: node --test }]\n',
    },
    steps: [fix, run("echo '# node 24' >> .github/workflows/ci.yml")],
  },
  {
    ...nodeTest,
    name: 'a project in a folder of the repository',
    files: Object.fromEntries(
      Object.entries(nodeTest.files).map(([path, content]) => [`services/calc/${path}`, content]),
    ),
    validate: 'cd services/calc && node --test test/*.test.js',
    steps: [edit(`services/calc/${math}`, 'sub = (a, b) => a + b', 'sub = (a, b) => a - b')],
  },
  {
    ...green,
    name: 'a test removed that tested a module which is gone, said by nobody',
    title: 'remove the old module',
    files: {
      ...green.files,
      'src/old.js': 'export const old = 1;\n',
      'test/old.test.js': `${top}import { old } from '../src/old.js';\n\ntest('old', () => {\n  assert.equal(old, 1);\n});\n`,
    },
    steps: [remove('src/old.js'), remove('test/old.test.js')],
    asked: "the base's test asks for the module",
  },
  {
    ...nodeTest,
    name: 'the check is made by the task: a script of npm',
    title: 'add npm test',
    files: { 'package.json': '{"type":"module"}\n', [math]: rightJs },
    validate: 'npm test',
    config: 'verify: { baseline: allow-broken }\n',
    steps: [
      write('package.json', '{"type":"module","scripts":{"test":"node --test test/*.test.js"}}\n'),
      write(suite, nodeSuite),
    ],
    proof: 'unproven',
  },
  {
    ...nodeTest,
    name: 'a base that is not judged',
    config: 'verify: { baseline: skip }\n',
    steps: [fix],
    proof: 'unproven',
  },
  {
    ...nodeTest,
    name: 'a feature whose tests stand in the base, without its module',
    files: {
      ...nodeTest.files,
      [math]: rightJs,
      'test/mul.test.js': `${top}import { mul } from '../src/mul.js';\n\ntest('multiplies', () => {\n  assert.equal(mul(2, 3), 6);\n});\n`,
    },
    steps: [write('src/mul.js', 'export const mul = (a, b) => a * b;\n')],
  },
];
