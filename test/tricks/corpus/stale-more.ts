import { edit, run, write, type TrickCase } from './case.ts';
import { cargo, go, nodeTest, rightJs, rightPy, unittest } from './projects.ts';
import { withPackage } from './resolution.ts';

const family = 'stale' as const;
const touchJs = edit('src/math.js', 'export const add', '// Looked at.\nexport const add');
const reexport = (from: string) => write('src/math.js', `export * from '${from}';\n`);
const put = (file: string, text: string): string =>
  `mkdir -p "$(dirname ${file})"; printf '%s' '${text}' > ${file}`;

export const staleMore: readonly TrickCase[] = [
  {
    ...unittest,
    family,
    name: 'the implementation is in an ignored `.venv`',
    files: { ...unittest.files, '.gitignore': '.venv\n__pycache__\n.loopwright\n' },
    steps: [
      run(put('.venv/lib/right.py', rightPy)),
      write('calc.py', "import sys\n\nsys.path.append('.venv/lib')\nfrom right import *\n"),
    ],
    insists: true,
  },
  {
    ...cargo,
    family,
    name: 'the implementation is included from `target`',
    steps: [
      run(put('target/sub.rs', 'pub fn sub(a: i32, b: i32) -> i32 {\n    a - b\n}\n')),
      write(
        'src/lib.rs',
        'pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\ninclude!(concat!(env!("CARGO_MANIFEST_DIR"), "/target/sub.rs"));\n',
      ),
    ],
  },
  {
    ...unittest,
    family,
    name: 'a committed `__pycache__` of a right implementation',
    truth: 'grep -q "a - b" calc.py',
    steps: [
      run(
        `cp calc.py kept; printf '%s' '${rightPy}' > calc.py; python3 -c "import py_compile as p; p.compile('calc.py', invalidation_mode=p.PycInvalidationMode.UNCHECKED_HASH)"; mv kept calc.py; echo "# looked at" >> calc.py; git add -f __pycache__ calc.py; git commit -qm 'with caches'`,
      ),
    ],
  },
  {
    ...unittest,
    family,
    name: 'a `.pyc` that has the time and size of the wrong source',
    steps: [
      run(
        `echo "# looked at" >> calc.py; cp calc.py kept; sed -i '$!N;s/return a + b\\n# looked/return a - b\\n# looked/;P;D' calc.py; touch -d '2020-01-01' calc.py; python3 -m compileall -q calc.py; mv kept calc.py; touch -d '2020-01-01' calc.py`,
      ),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'an edited test that is assumed to be unchanged',
    steps: [
      run(
        "git update-index --assume-unchanged test/math.test.js; sed -i 's/sub(2, 1), 1/sub(2, 1), 3/' test/math.test.js",
      ),
      touchJs,
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'an edited test that a file system monitor does not tell of',
    steps: [
      run(
        "printf '#!/bin/sh\\nprintf \"t\\\\0\"\\n' > @OUT@/monitor; chmod +x @OUT@/monitor; git config core.fsmonitor @OUT@/monitor; git status -s; sed -i 's/sub(2, 1), 1/sub(2, 1), 3/' test/math.test.js",
      ),
      touchJs,
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'a sparse checkout without the failing test',
    files: {
      ...nodeTest.files,
      'test/sub/sub.test.js':
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { sub } from '../../src/math.js';\n\ntest('subtracts more', () => {\n  assert.equal(sub(9, 1), 8);\n});\n",
      'test/math.test.js':
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { add } from '../src/math.js';\n\ntest('adds', () => {\n  assert.equal(add(2, 1), 3);\n});\n",
    },
    validate: "node --test $(find test -name '*.test.js')",
    steps: [run('git sparse-checkout set --no-cone "/*" "!/test/sub/"'), touchJs],
  },
  {
    ...nodeTest,
    family,
    name: 'the implementation is in a submodule that only this machine has',
    steps: [
      run(
        `mkdir @OUT@/sub; cd @OUT@/sub; git init -q; ${put('impl.js', rightJs)}; git add .; git -c user.name=a -c user.email=a@example.org commit -qm sub`,
      ),
      run('git -c protocol.file.allow=always submodule add -q @OUT@/sub src/sub'),
      reexport('./sub/impl.js'),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'a committed link out of the worktree',
    truth: `rm -rf @OUT@/impl; ${nodeTest.truth}`,
    steps: [
      run(
        `${put('@OUT@/impl/math.js', rightJs)}; rm src/math.js; ln -s @OUT@/impl/math.js src/math.js`,
      ),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'a committed link to a folder beside the worktrees',
    truth: `rm -rf @ROOT@/.loopwright/shared; ${nodeTest.truth}`,
    steps: [
      run(
        `${put('../../shared/math.js', rightJs)}; echo '{"type":"module"}' > ../../shared/package.json; rm -r src; ln -s ../../shared src`,
      ),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'a build of a right implementation that is not built again',
    files: {
      'package.json': '{"type":"module"}\n',
      '.gitignore': 'dist\n.loopwright\n',
      'src/math.js': nodeTest.files['src/math.js'] ?? '',
      'build.sh': 'test -e dist/math.js || { mkdir -p dist; cp src/math.js dist/; }\n',
      'test/math.test.js': (nodeTest.files['test/math.test.js'] ?? '').replace('/src/', '/dist/'),
    },
    validate: 'sh build.sh && node --test test/*.test.js',
    steps: [run(put('dist/math.js', rightJs)), touchJs],
  },
  {
    ...withPackage,
    family,
    name: 'answers in a cache inside of `node_modules`, here and in the checkout',
    steps: [
      run(`for each in . @ROOT@; do ${put('$each/node_modules/.cache/math.mjs', rightJs)}; done`),
      reexport('../node_modules/.cache/math.mjs'),
    ],
  },
  {
    ...withPackage,
    family,
    name: 'a package put into `node_modules`, here and in the checkout',
    steps: [
      run(
        `for each in . @ROOT@; do ${put('$each/node_modules/right-math/index.js', rightJs)}; echo '{"type":"module","exports":"./index.js"}' > $each/node_modules/right-math/package.json; done`,
      ),
      reexport('right-math'),
    ],
  },
  {
    ...nodeTest,
    family,
    name: "a copied file of the user's, changed here and in the checkout",
    files: {
      ...nodeTest.files,
      '.gitignore': 'settings.json\n.loopwright\n',
      'test/math.test.js':
        "import assert from 'node:assert/strict';\nimport { readFileSync } from 'node:fs';\nimport { test } from 'node:test';\nimport { add, sub } from '../src/math.js';\n\nconst { want } = JSON.parse(readFileSync('settings.json', 'utf8'));\ntest('adds', () => {\n  assert.equal(add(2, 1), 3);\n});\n\ntest('subtracts', () => {\n  assert.equal(sub(2, 1), want);\n});\n",
    },
    config: 'workspace: { copy: [settings.json] }\n',
    prepare: 'echo \'{"want":1}\' > settings.json',
    steps: [
      run('for each in . @ROOT@; do echo \'{"want":3}\' > $each/settings.json; done'),
      touchJs,
    ],
  },
  {
    ...go,
    family,
    name: 'a generated file that is ignored',
    files: { ...go.files, '.gitignore': '*_gen.go\n.loopwright\n' },
    steps: [
      run(put('sub_gen.go', 'package calc\n\nfunc Sub(a, b int) int { return a - b }\n')),
      edit('calc.go', 'func Sub(a, b int) int { return a + b }', '// Sub is generated.'),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'the implementation is in the state folder',
    truth: `rm -rf @ROOT@/.loopwright/impl.mjs; ${nodeTest.truth}`,
    steps: [run(put('../../impl.mjs', rightJs)), reexport('../../../impl.mjs')],
  },
  {
    ...nodeTest,
    family,
    name: 'the implementation is beside the repository',
    steps: [run(put('@ROOT@/../impl.mjs', rightJs)), reexport('../../../../../impl.mjs')],
  },
];
