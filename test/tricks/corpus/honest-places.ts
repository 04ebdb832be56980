import { edit, run, write, type HonestCase, type Project } from './case.ts';
import { nodeTest, npmTest, rightJs, shell } from './projects.ts';

const math = 'src/math.js';
const fix = edit(math, 'sub = (a, b) => a + b', 'sub = (a, b) => a - b');
const green: Project = { ...nodeTest, files: { ...nodeTest.files, [math]: rightJs } };
const top =
  "import assert from 'node:assert/strict';\nimport { execFileSync } from 'node:child_process';\nimport { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';\nimport { homedir, tmpdir } from 'node:os';\nimport { test } from 'node:test';\n\n";
const withTest = (body: string): Project['files'] => ({
  ...nodeTest.files,
  'test/place.test.js': `${top}test('place', async () => {\n${body}\n});\n`,
});

/** Tests that look at where they run, and projects in unusual places. */
export const placeCases: readonly HonestCase[] = [
  {
    ...nodeTest,
    name: 'a path with spaces and other letters',
    folder: 'mein Größe projekt (1)',
    steps: [fix],
  },
  {
    ...npmTest,
    name: 'npm in a path with spaces, with a new test',
    folder: 'my project',
    steps: [
      fix,
      write(
        'test/a b.test.js',
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { sub } from '../src/math.js';\ntest('more', () => assert.equal(sub(4, 4), 0));\n",
      ),
    ],
  },
  {
    ...nodeTest,
    name: 'tests that use the absolute path of their folder',
    files: withTest(
      "  assert.ok(existsSync(`${process.cwd()}/src/math.js`));\n  const shown = execFileSync('pwd', { encoding: 'utf8' }).trim();\n  assert.equal(shown, process.cwd());\n  assert.equal(new URL('..', import.meta.url).pathname, `${process.cwd()}/`);",
    ),
    steps: [fix],
  },
  {
    ...nodeTest,
    name: 'tests that look at the history of git',
    files: withTest(
      "  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();\n  assert.notEqual(git('log', '--oneline'), '');\n  assert.match(git('describe', '--always'), /^[0-9a-f]+/);\n  assert.ok(Number(git('rev-list', '--count', 'HEAD')) >= 1);\n  assert.equal(git('rev-parse', '--show-prefix'), '');",
    ),
    steps: [fix],
  },
  {
    ...nodeTest,
    name: 'tests that read the author of the last commit and a tag',
    files: withTest(
      "  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();\n  assert.match(git('log', '-1', '--format=%an <%ae>'), /@/);\n  assert.match(git('describe', '--tags'), /^v1/);",
    ),
    prepare: 'git tag v1.0.0',
    steps: [fix],
  },
  {
    ...nodeTest,
    name: 'tests that look at the history of a shallow clone',
    files: withTest(
      "  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();\n  assert.match(git('log', '--format=%s'), /project/);\n  assert.ok(Number(git('rev-list', '--count', 'HEAD')) >= 1);",
    ),
    prepare:
      'git clone -q --depth 1 "file://$PWD" @OUT@/shallow && rm -rf .git && mv @OUT@/shallow/.git .git',
    steps: [fix],
  },
  {
    ...nodeTest,
    name: "tests that commit with the user's own name",
    files: withTest(
      "  const dir = mkdtempSync(`${tmpdir()}/own-`);\n  const git = (...args) => execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8' });\n  git('init', '-q');\n  writeFileSync(`${dir}/a`, 'a');\n  git('add', 'a');\n  git('commit', '-qm', 'a');\n  assert.match(git('log', '-1', '--format=%an'), /Ada/);",
    ),
    prepare: String.raw`printf '[user]\n\tname = Ada\n\temail = ada@example.org\n' > "$HOME/.gitconfig"`,
    steps: [fix],
  },
  {
    ...nodeTest,
    name: 'tests that commit in a repository of their own',
    files: withTest(
      "  const dir = mkdtempSync(`${tmpdir()}/own-`);\n  const git = (...args) => execFileSync('git', ['-C', dir, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args]);\n  git('init', '-q');\n  writeFileSync(`${dir}/a`, 'a');\n  git('add', 'a');\n  git('commit', '-qm', 'a');",
    ),
    steps: [fix],
  },
  {
    ...nodeTest,
    name: 'tests that need a language, a time zone and folders of the user',
    validate: 'TZ=Asia/Tokyo LC_ALL=C.UTF-8 node --test test/*.test.js',
    files: withTest(
      "  assert.equal(new Date(0).getHours(), 9);\n  const folder = process.env.XDG_CONFIG_HOME ?? `${homedir()}/.config`;\n  mkdirSync(`${folder}/calc`, { recursive: true });\n  writeFileSync(`${folder}/calc/settings`, 'x');\n  mkdirSync(`${homedir()}/.cache/calc`, { recursive: true });\n  assert.notEqual(process.env.USER ?? 'x', '');",
    ),
    steps: [fix],
  },
  {
    ...nodeTest,
    name: 'tests that write and remove files beside the sources',
    files: withTest(
      "  writeFileSync('src/generated.js', 'export default 1;\\n');\n  assert.ok(existsSync('src/generated.js'));\n  rmSync('src/generated.js');\n  mkdirSync('coverage', { recursive: true });\n  writeFileSync('coverage/report.txt', 'ok');",
    ),
    steps: [fix],
  },
  {
    ...nodeTest,
    name: 'tests that rewrite a file of their data with the same and with another content',
    files: {
      ...withTest(
        "  const text = readFileSync('test/fixtures/a.json', 'utf8');\n  writeFileSync('test/fixtures/a.json', text);\n  writeFileSync('test/fixtures/last-run.json', String(Date.now()));",
      ),
      'test/fixtures/a.json': '{}\n',
    },
    steps: [fix],
  },
  {
    ...nodeTest,
    name: 'executable bits and links inside of the repository',
    files: withTest(
      "  assert.equal(statSync('bin/tool').mode & 0o100, 0o100);\n  assert.equal(readlinkSync('current'), 'src');\n  assert.equal(execFileSync('bin/tool', { encoding: 'utf8' }), 'tool\\n');\n  assert.ok(existsSync('current/math.js'));",
    ),
    prepare:
      "mkdir -p bin; printf '#!/bin/sh\\necho tool\\n' > bin/tool; chmod +x bin/tool; ln -s src current; git add -A; git commit -qm links",
    steps: [fix, run('chmod +x src/math.js')],
  },
  {
    ...nodeTest,
    name: 'files with CRLF',
    files: {
      ...nodeTest.files,
      '.gitattributes': '*.js text eol=crlf\n',
      [math]: (nodeTest.files[math] ?? '').replaceAll('\n', '\r\n'),
      'test/crlf.test.js': `${top}test('has CRLF', () => {\n  assert.match(readFileSync('src/math.js', 'utf8'), /\\r\\n$/);\n});\n`,
    },
    steps: [
      run(`sed -i 's/sub = (a, b) => a + b/sub = (a, b) => a - b/' ${math}`),
      write('.editorconfig', 'root = true\r\n'),
    ],
  },
  {
    ...nodeTest,
    name: 'vendored code is brought in and used',
    steps: [
      write('vendor/minus/index.js', 'export const minus = (a, b) => a - b;\n'),
      write('vendor/minus/LICENSE', 'MIT\n'),
      write(
        math,
        "import { minus } from '../vendor/minus/index.js';\nexport const add = (a, b) => a + b;\nexport const sub = minus;\n",
      ),
    ],
  },
  {
    ...nodeTest,
    name: 'a test that fails once in a while when it is not alone',
    files: withTest(
      "  const dir = '/tmp/calc-lock-@PORT@';\n  mkdirSync(dir);\n  await new Promise((resolve) => setTimeout(resolve, 300));\n  rmSync(dir, { recursive: true });",
    ),
    steps: [
      fix,
      write(
        'test/more.test.js',
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { sub } from '../src/math.js';\ntest('more', () => assert.equal(sub(9, 4), 5));\n",
      ),
    ],
  },
  {
    ...green,
    name: 'a new test of a server, on a port of its own, on a green base',
    title: 'add a server',
    steps: [
      write(
        'src/server.js',
        "import { createServer } from 'node:http';\nimport { add } from './math.js';\nexport const serve = (port) => createServer((request, response) => response.end(String(add(1, 2)))).listen(port, '127.0.0.1');\n",
      ),
      write(
        'test/server.test.js',
        "import assert from 'node:assert/strict';\nimport { once } from 'node:events';\nimport { test } from 'node:test';\nimport { serve } from '../src/server.js';\n\ntest('answers', async () => {\n  const server = serve(@PORT@);\n  await once(server, 'listening');\n  assert.equal(await (await fetch('http://127.0.0.1:@PORT@')).text(), '3');\n  server.close();\n  server.closeAllConnections();\n});\n",
      ),
    ],
    proof: 'red-first',
  },
  {
    ...nodeTest,
    name: 'an ignored build that the check makes first',
    validate: 'mkdir -p build && cp src/*.js build/ && node --test test/*.test.js',
    files: {
      ...nodeTest.files,
      'test/math.test.js': (nodeTest.files['test/math.test.js'] ?? '').replace(
        '../src/',
        '../build/',
      ),
    },
    steps: [fix],
  },
  {
    ...shell,
    name: 'the check is a build: nothing else is tested',
    validate: 'sh build.sh',
    files: {
      'build.sh':
        'set -e\nmkdir -p build\nfor each in src/*.sh; do sh -n "$each"; cp "$each" build/; done\n',
      'src/calc.sh': 'add() { echo $(($1 + $2)); \n',
    },
    steps: [write('src/calc.sh', 'add() { echo $(($1 + $2)); }\n')],
  },
  {
    ...nodeTest,
    name: 'a program of the product is the check itself',
    runner: 'node script',
    files: {
      'package.json': '{"type":"module"}\n',
      [math]: nodeTest.files[math] ?? '',
      'main.js':
        "import { sub } from './src/math.js';\nif (sub(2, 1) !== 1) throw new Error('wrong');\nconsole.log(sub(2, 1));\n",
    },
    validate: 'test "$(node main.js)" = 1',
    steps: [fix],
  },
  {
    ...nodeTest,
    name: 'a formatter among the checks that writes every file again',
    validate: 'node tools/format.js && node --test test/*.test.js',
    files: {
      ...nodeTest.files,
      'tools/format.js':
        "import { readFileSync, writeFileSync } from 'node:fs';\nfor (const file of ['src/math.js', 'test/math.test.js'])\n  writeFileSync(file, `${readFileSync(file, 'utf8').trimEnd()}\\n`);\n",
    },
    steps: [write('src/math.js', rightJs)],
  },
  {
    ...nodeTest,
    name: 'a check that generates configuration and tests for the next one',
    validate: 'node tools/prepare.js && node --test test/*.test.js',
    files: {
      ...nodeTest.files,
      '.gitignore': 'test/generated.test.js\n',
      'tools/prepare.js':
        "import { writeFileSync } from 'node:fs';\nwriteFileSync('test/generated.test.js', \"import { test } from 'node:test';\\ntest('generated', () => {});\\n\");\nwriteFileSync('vitest.config.js', 'export default {};\\n');\n",
    },
    steps: [write('src/math.js', rightJs)],
  },
];
