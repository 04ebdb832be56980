import { describe, expect, it } from 'vitest';
import { judgeOf, kindsOf, type Tree } from './find.ts';

type Case = {
  readonly name: string;
  readonly command: string;
  readonly tree: Tree;
  /** Paths that must be judge, and paths that must not. */
  readonly judge?: string;
  readonly product?: string;
};

const pkg = (scripts: Readonly<Record<string, string>>, more: object = {}) =>
  JSON.stringify({ name: 'a', scripts, ...more });
const check = 'import assert from "node:assert"; assert.equal(1, 1); process.exit(0);';

const cases: readonly Case[] = [
  {
    name: 'a script that npm runs',
    command: 'npm test',
    tree: {
      'package.json': pkg({ test: 'node quality/run.mjs' }),
      'quality/run.mjs': check,
      'src/a.js': '',
    },
    judge: 'quality/run.mjs package.json',
    product: 'src/a.js',
  },
  {
    name: 'hooks around an npm script',
    command: 'npm run verify',
    tree: {
      'package.json': pkg({ preverify: 'sh a.sh', verify: 'true', postverify: './b.sh' }),
      'a.sh': '',
      'b.sh': '',
      'c.sh': '',
    },
    judge: 'a.sh b.sh',
    product: 'c.sh',
  },
  {
    name: 'npm in another folder',
    command: 'npm --prefix web test && npm -C api run check',
    tree: {
      'web/package.json': pkg({ test: './go.sh' }),
      'web/go.sh': '',
      'api/package.json': pkg({ check: 'node x/probe.js' }),
      'api/x/probe.js': check,
      'go.sh': '',
    },
    judge: 'web/go.sh api/x/probe.js',
    product: 'go.sh',
  },
  {
    name: 'npm in a workspace',
    command: 'npm test -w a',
    tree: {
      'package.json': pkg({}),
      'packages/a/package.json': pkg({ test: 'sh run.sh' }),
      'packages/a/run.sh': '',
    },
    judge: 'packages/a/run.sh',
  },
  {
    name: 'yarn, pnpm and bun',
    command: 'yarn one && pnpm run two && bun run three && pnpm -r four',
    tree: {
      'package.json': pkg({ one: 'sh 1.sh', two: 'sh 2.sh', three: 'sh 3.sh', four: 'sh 4.sh' }),
      '1.sh': '',
      '2.sh': '',
      '3.sh': '',
      '4.sh': '',
    },
    judge: '1.sh 2.sh 3.sh 4.sh',
  },
  {
    name: 'node --run',
    command: 'node --run check',
    tree: { 'package.json': pkg({ check: 'sh x.sh' }), 'x.sh': '' },
    judge: 'x.sh',
  },
  {
    name: 'several scripts at once',
    command: 'npx run-s "test:*"',
    tree: {
      'package.json': pkg({ 'test:a': 'sh a.sh', 'test:b': 'sh b.sh' }),
      'a.sh': '',
      'b.sh': '',
    },
    judge: 'a.sh b.sh',
  },
  {
    name: 'scripts that call scripts, in a circle',
    command: 'npm test',
    tree: {
      'package.json': pkg({ test: 'npm run a', a: 'npm run b', b: 'npm test; bash deep.sh' }),
      'deep.sh': '',
    },
    judge: 'deep.sh',
  },
  {
    name: 'make with a folder, a file and several targets',
    command: 'make -C build -f rules.mk one two',
    tree: {
      'build/rules.mk':
        'one:\n\tsh one.sh\ntwo: three\nthree:\n\t@sh three.sh\nfour:\n\tsh four.sh\n',
      'build/one.sh': '',
      'build/three.sh': '',
      'build/four.sh': '',
    },
    judge: 'build/rules.mk build/one.sh build/three.sh',
    product: 'build/four.sh',
  },
  {
    name: 'variables and included files of make',
    command: 'make check RUN=late.sh',
    tree: {
      Makefile:
        'include conf/vars.inc\ncheck:\n\tsh $(DIR)/first.sh\n\tsh $(RUN)\n\t$(MAKE) -C sub\n',
      'conf/vars.inc': 'DIR := qualitaet\n',
      'qualitaet/first.sh': '',
      'late.sh': '',
      'sub/Makefile': 'all: ; ./all.sh\n',
      'sub/all.sh': '',
    },
    judge: 'conf/vars.inc qualitaet/first.sh late.sh sub/all.sh sub/Makefile',
  },
  {
    name: 'a GNUmakefile that only the loop has',
    command: 'make test',
    tree: { Makefile: 'test:\n\t./t.sh\n', GNUmakefile: null, 't.sh': '' },
    judge: 'GNUmakefile Makefile t.sh',
  },
  {
    name: 'what a shell script sources and calls',
    command: './scripts/ci',
    tree: {
      'scripts/ci':
        '#!/usr/bin/env bash\nset -euo pipefail\ncd "$(dirname "$0")/.."\n. ./env.sh\nbash steps/one.sh\n',
      'env.sh': '',
      'steps/one.sh': 'source "$(dirname "${BASH_SOURCE[0]}")/shared.sh"',
      'steps/shared.sh': '',
      'other.sh': '',
    },
    judge: 'scripts/ci env.sh steps/one.sh steps/shared.sh',
    product: 'other.sh',
  },
  {
    name: 'functions that a check takes in and asks',
    command: 'sh checks/check.sh',
    tree: {
      'checks/check.sh':
        '. ./calc.sh\n. ./env.sh\n. ./same.sh\n. ./checks/lib.sh\n. ./late.sh\nsame "$(add 2 1)" 3\n',
      'calc.sh': '#!/bin/sh\nset -e\nadd() { echo $(($1 + $2)); }\n',
      'same.sh': 'same() { [ "$1" = "$2" ] || exit 1; }\n',
      'env.sh': 'log() { echo "$@"; }\nPATH=./tools:$PATH\n',
      'checks/lib.sh': 'other() { echo 1; }\n',
      'late.sh': null,
    },
    judge: 'checks/check.sh same.sh env.sh checks/lib.sh late.sh',
    product: 'calc.sh',
  },
  {
    name: 'a folder that is entered first',
    command: 'cd tools-dir && ./x.sh && (cd inner; ./y.sh) && ./z.sh',
    tree: { 'tools-dir/x.sh': '', 'tools-dir/inner/y.sh': '', 'tools-dir/z.sh': '', 'x.sh': '' },
    judge: 'tools-dir/x.sh tools-dir/inner/y.sh tools-dir/z.sh',
    product: 'x.sh',
  },
  {
    name: 'a command in quotes',
    command: `bash -euc 'sh "a b.sh" && sh c\\ d.sh'`,
    tree: { 'a b.sh': '', 'c d.sh': '' },
    judge: 'a b.sh|c d.sh',
  },
  {
    name: 'variables with known values',
    command: 'D=steps; for f in one two; do sh "$D/$f.sh"; done; sh ${LATE:-late.sh}',
    tree: { 'steps/one.sh': '', 'steps/two.sh': '', 'late.sh': '', 'steps/three.sh': '' },
    judge: 'steps/one.sh steps/two.sh late.sh',
    product: 'steps/three.sh',
  },
  {
    name: 'globs of the shell',
    command: 'for f in steps/*.sh; do sh $f; done',
    tree: { 'steps/a.sh': '', 'steps/b.sh': '', 'src/c.sh': '' },
    judge: 'steps/a.sh steps/b.sh',
    product: 'src/c.sh',
  },
  {
    name: 'wrappers',
    command: 'env CI=1 timeout -k 5 60 nice -n 5 npx cross-env A=b bash step.sh | tee log',
    tree: { 'step.sh': '' },
    judge: 'step.sh',
  },
  {
    name: 'xargs and find',
    command: 'ls | xargs -n 1 sh a.sh; find . -name x -exec sh b.sh {} \\;',
    tree: { 'a.sh': '', 'b.sh': '' },
    judge: 'a.sh b.sh',
  },
  {
    name: 'modules that are loaded first',
    command: 'node --import ./pre.mjs -r ./hook.js --test',
    tree: { 'pre.mjs': '', 'hook.js': '', 'lib/a.js': '' },
    judge: 'pre.mjs hook.js',
    product: 'lib/a.js',
  },
  {
    name: 'modules that a variable loads',
    command: 'NODE_OPTIONS="--require ./src/patch.js" npm test',
    tree: { 'package.json': pkg({ test: 'vitest run' }), 'src/patch.js': '' },
    judge: 'src/patch.js',
  },
  {
    name: 'a TypeScript check and what it imports',
    command: 'npx tsx scripts/check.ts',
    tree: {
      'scripts/check.ts': `import { a } from './shared.js';\nimport { b } from '../src/b.ts';\n`,
      'scripts/shared.ts': `export { c } from './deep/c.js'`,
      'scripts/deep/c.ts': '',
      'src/b.ts': '',
    },
    judge: 'scripts/check.ts scripts/shared.ts scripts/deep/c.ts',
    product: 'src/b.ts',
  },
  {
    name: 'a check at the root and what it checks',
    command: 'node check.mjs',
    tree: { 'check.mjs': `import { sum } from './stats.mjs';\n${check}`, 'stats.mjs': '' },
    judge: 'check.mjs',
    product: 'stats.mjs',
  },
  {
    name: 'a neutral name at the root that asserts',
    command: 'node run.mjs',
    tree: { 'run.mjs': check },
    judge: 'run.mjs',
  },
  {
    name: 'a program that the loop wrote',
    command: './go',
    tree: { go: null },
    judge: 'go',
  },
  {
    name: 'a program among the sources',
    command: 'node src/cli.js --selftest && ./bin/app x',
    tree: { 'src/cli.js': check, 'bin/app': '#!/usr/bin/env node\n' },
    product: 'src/cli.js bin/app',
  },
  {
    name: 'a product at the root that tests itself',
    command: 'python app.py --check && python3 todo.py --self-test',
    tree: { 'app.py': 'import sys\nsys.exit(0)', 'todo.py': 'import sys\nassert 1\nsys.exit(0)' },
    product: 'app.py todo.py',
  },
  {
    name: 'a product whose output is compared',
    command: `test "$(node calc.js 1 2)" = 3 && sh greet.sh | grep -q hello && python3 conv.py < in.txt | diff - out.txt`,
    tree: {
      'calc.js': 'process.exit(0)',
      'greet.sh': 'echo hello',
      'conv.py': 'import sys; sys.exit(0)',
      'in.txt': '',
      'out.txt': '',
    },
    judge: 'in.txt out.txt',
    product: 'calc.js greet.sh conv.py',
  },
  {
    name: 'an output that is written and compared',
    command: 'node calc.js > result.txt; cmp result.txt answers.txt',
    tree: { 'calc.js': 'process.exitCode = 0', 'answers.txt': '' },
    judge: 'answers.txt',
    product: 'calc.js',
  },
  {
    name: 'an expected file beside an actual one',
    command: 'diff -u report.json expected/report.json',
    tree: { 'report.json': '', 'expected/report.json': '' },
    judge: 'expected/report.json',
    product: 'report.json',
  },
  {
    name: 'files that a condition or a search looks at',
    command:
      'test "$(wc -l < lines.txt)" -ge 3 && grep -q x < x.txt && test -f work.txt && [ -s out.json ] && [[ -f a.txt && -r b.txt ]] && grep -q done notes.txt && jq -e .ok state.json',
    tree: {
      'work.txt': null,
      'lines.txt': null,
      'x.txt': '',
      'out.json': null,
      'a.txt': '',
      'b.txt': null,
      'notes.txt': null,
    },
    product: 'work.txt lines.txt x.txt out.json a.txt b.txt notes.txt',
  },
  {
    name: 'what our own configuration and that of CI name is followed as commands, not as files',
    command: 'test -f done.txt',
    tree: {
      'loopwright.yml': 'validation: { command: test -f done.txt }\n',
      '.github/workflows/ci.yml': 'run: cat report.txt\n',
      'done.txt': null,
      'report.txt': null,
    },
    judge: 'loopwright.yml .github/workflows/ci.yml',
    product: 'done.txt report.txt',
  },
  {
    name: 'linters and compilers look at product',
    command:
      'eslint scripts/check.js lib && tsc -p . && ruff check app.py && gcc -o x main.c && ./x && prettier --check .',
    tree: {
      'scripts/check.js': '',
      'lib/a.js': '',
      'app.py': '',
      'main.c': '',
      '.gitignore': '',
      'tsconfig.json': '',
    },
    judge: 'tsconfig.json .gitignore',
    product: 'scripts/check.js lib/a.js app.py main.c',
  },
  {
    name: 'configuration with another name',
    command:
      'vitest run --config conf/unit.ts && jest -c conf/jest.json && pytest -c ci.ini -p plugins.quiet && tsc --project conf/ts.json',
    tree: {
      'conf/unit.ts': '',
      'conf/jest.json': '',
      'ci.ini': '',
      'plugins/quiet.py': '',
      'conf/ts.json': '',
    },
    judge: 'conf/unit.ts conf/jest.json ci.ini plugins/quiet.py conf/ts.json',
  },
  {
    name: 'files that a runner is given',
    command: 'node --test verify.mjs && pytest qa && bats checks && mocha cases/a.js',
    tree: {
      'verify.mjs': '',
      'qa/login.py': '',
      'checks/x.sh': '',
      'cases/a.js': `const a = require('./x'); it('works', () => a());`,
      'src/a.py': '',
    },
    judge: 'verify.mjs qa/login.py checks/x.sh cases/a.js',
    product: 'src/a.py',
  },
  {
    name: 'doctests and tests inside the product',
    command:
      'pytest --doctest-modules stats.py && python -m doctest util.py && pytest mypkg && cargo test && go test ./...',
    tree: {
      'stats.py': 'def f():\n  """>>> 1"""',
      'util.py': '',
      'mypkg/a.py': '',
      'src/lib.rs': '',
      'main.go': '',
    },
    product: 'stats.py util.py mypkg/a.py src/lib.rs main.go',
  },
  {
    name: 'a Python module that is run',
    command: 'python -m quality.gate && python3 -m tools.lint src',
    tree: { 'quality/gate.py': check, 'tools/lint.py': '', 'src/a.py': '' },
    judge: 'quality/gate.py tools/lint.py',
    product: 'src/a.py',
  },
  {
    name: 'Python checks and the modules beside them',
    command: 'python tools/verify.py',
    tree: {
      'tools/verify.py': 'import rules\nfrom shop import cart\n',
      'tools/rules.py': '',
      'shop/cart.py': '',
      'rules.py': '',
    },
    judge: 'tools/verify.py tools/rules.py',
    product: 'shop/cart.py rules.py',
  },
  {
    name: 'set-up files that configuration names',
    command: 'npx vitest run',
    tree: {
      'vitest.config.ts': `import base from './build/base.ts';\nexport default { test: { setupFiles: ['./config/env.ts'], globalSetup: 'src/test/boot.ts' }, lib: { entry: './main.ts' } }`,
      'build/base.ts': '',
      'config/env.ts': '',
      'main.ts': '',
    },
    judge: 'build/base.ts config/env.ts',
    product: 'main.ts',
  },
  {
    name: 'set-up files in package.json',
    command: 'npx jest',
    tree: {
      'package.json': pkg(
        {},
        { jest: { setupFiles: ['<rootDir>/config/jest-env.js'] }, main: './entry.js' },
      ),
      'config/jest-env.js': '',
      'entry.js': '',
    },
    judge: 'config/jest-env.js',
    product: 'entry.js',
  },
  {
    name: 'commands that a check script starts',
    command: 'node scripts/all.mjs',
    tree: {
      'scripts/all.mjs': `execSync('sh steps/a.sh'); spawnSync('node', ['checks/b.mjs']);`,
      'steps/a.sh': '',
      'checks/b.mjs': '',
    },
    judge: 'scripts/all.mjs steps/a.sh checks/b.mjs',
  },
  {
    name: 'data that a check reads',
    command: 'node verify.mjs',
    tree: {
      'verify.mjs': `readFileSync('data/expected.json'); readFileSync('data/input.json'); readFileSync('README.md')`,
      'data/expected.json': '',
      'data/input.json': '',
      'README.md': '',
    },
    judge: 'verify.mjs data/expected.json',
    product: 'README.md',
  },
  {
    name: 'task runners',
    command: 'just check && composer run-script ci && tox && uv run poe verify && deno task lint',
    tree: {
      justfile: 'check:\n  sh just.sh\n',
      'composer.json': JSON.stringify({ scripts: { ci: ['sh comp.sh'] } }),
      'tox.ini': '[testenv]\ncommands =\n    sh tox.sh\n',
      'pyproject.toml': '[tool.poe.tasks]\nverify = "sh poe.sh"\n',
      'deno.json': JSON.stringify({ tasks: { lint: 'sh deno.sh' } }),
      'just.sh': '',
      'comp.sh': '',
      'tox.sh': '',
      'poe.sh': '',
      'deno.sh': '',
    },
    judge: 'just.sh comp.sh tox.sh poe.sh deno.sh',
  },
  {
    name: 'a folder of the repository on the path',
    command: 'PATH="./shims:$PATH" pytest',
    tree: { 'shims/pytest': '' },
    judge: 'shims/pytest',
  },
  {
    name: 'Go programs that check',
    command: 'go run ./tools/check ./... && go run ./cmd/app && go run .',
    tree: { 'tools/check/main.go': '', 'cmd/app/main.go': '', 'main.go': '', 'util.go': '' },
    judge: 'tools/check/main.go',
    product: 'cmd/app/main.go main.go util.go',
  },
  {
    name: 'here-documents',
    command: 'bash <<EOF\nsh inner.sh\nEOF\nsh after.sh',
    tree: { 'inner.sh': '', 'after.sh': '' },
    judge: 'inner.sh after.sh',
  },
  {
    name: 'code on the command line',
    command: `node -e "require('./checks/all.js'); require('./src/index.js')"`,
    tree: { 'checks/all.js': '', 'src/index.js': '' },
    judge: 'checks/all.js',
    product: 'src/index.js',
  },
  {
    name: 'build scripts with a target',
    command: 'node make.js test && ./x.py check',
    tree: {
      'make.js': `require('child_process').execSync('jest')`,
      'x.py': '#!/usr/bin/env python3\nimport subprocess',
    },
    judge: 'make.js x.py',
  },
  {
    name: 'containers',
    command: 'docker compose run --rm tests',
    tree: { Dockerfile: '', 'compose.yaml': '' },
    judge: 'Dockerfile compose.yaml',
  },
];

describe('what commands name', () => {
  it.each(cases)('$name', ({ command, tree, judge = '', product = '' }) => {
    const found = kindsOf(judgeOf(tree, [command]));
    expect(Object.keys(found)).toEqual(expect.arrayContaining(list(judge)));
    expect(Object.keys(found).filter((path) => list(product).includes(path))).toEqual([]);
  });
});

function list(text: string): string[] {
  return text.split(text.includes('|') ? '|' : ' ').filter((each) => each !== '');
}
