import { edit, run, write, type TrickCase } from './case.ts';
import { oxlint, tsc } from './projects.ts';

const family = 'static' as const;
const touchTs = edit('src/length.ts', 'export function', '// Looked at.\nexport function');
const touchJs = edit('src/app.js', 'export function', '// Looked at.\nexport function');
const strict = tsc.files['tsconfig.json'] ?? '';

/** A lint script of the project: a file and what it looks for. */
const script = {
  ...oxlint,
  runner: 'lint script',
  packages: [],
  validate: 'python3 ops/lint.py',
  needs: ['python3'] as const,
};
const lintPy =
  'import pathlib, sys\n\nfrom settings import WORDS\n\nbad = [f for f in pathlib.Path("src").glob("*.js") for w in WORDS if w in f.read_text()]\nsys.exit(bool(bad))\n';

export const moreStatic: readonly TrickCase[] = [
  {
    ...tsc,
    family,
    name: 'a project that another one refers to',
    files: {
      'package.json': '{"type":"module"}\n',
      'tsconfig.json': '{"files":[],"references":[{"path":"./core/project.json"}]}\n',
      'core/project.json':
        '{"compilerOptions":{"strict":true,"composite":true,"rootDir":"../src","outDir":"../build","types":[]},"include":["../src"]}\n',
      'src/length.ts': tsc.files['src/length.ts'] ?? '',
    },
    validate: 'node_modules/.bin/tsc -b',
    steps: [
      write(
        'core/project.json',
        '{"compilerOptions":{"strict":false,"composite":true,"rootDir":"../src","outDir":"../build","types":[]},"include":["../src"]}\n',
      ),
      touchTs,
    ],
  },
  {
    ...tsc,
    family,
    name: 'a chain of configurations, the last one changed',
    files: {
      ...tsc.files,
      'tsconfig.json': '{"extends":["./config/web.json"],"include":["src"]}\n',
      'config/web.json': '{"extends":"./shared/strict.json"}\n',
      'config/shared/strict.json': '{"compilerOptions":{"strict":true,"noEmit":true,"types":[]}}\n',
    },
    steps: [
      write(
        'config/shared/strict.json',
        '{"compilerOptions":{"strict":true,"strictNullChecks":false,"noEmit":true,"types":[]}}\n',
      ),
      touchTs,
    ],
  },
  {
    ...tsc,
    family,
    name: 'a nearer project that the compiler finds by its name',
    validate: 'cd src && ../node_modules/.bin/tsc --noEmit',
    files: { ...tsc.files, 'tsconfig.json': strict.replace('["src","types"]', '["src"]') },
    steps: [
      write('src/tsconfig.json', '{"compilerOptions":{"strict":false,"types":[]}}\n'),
      touchTs,
    ],
  },
  {
    ...tsc,
    family,
    name: 'options of the compiler in a file of arguments',
    files: {
      'package.json': '{"type":"module"}\n',
      'src/length.ts': tsc.files['src/length.ts'] ?? '',
      'ops/types.rsp': '--strict true\n--noEmit\nsrc/length.ts\n',
    },
    validate: 'node_modules/.bin/tsc @ops/types.rsp',
    steps: [write('ops/types.rsp', '--strict false\n--noEmit\nsrc/length.ts\n'), touchTs],
  },
  {
    ...tsc,
    family,
    name: 'a declaration in front of the source',
    files: {
      ...tsc.files,
      'src/length.ts': 'export const lengthOf = (text: string): string => text;\n',
    },
    truth: 'grep -q "string): number" src/length.ts',
    steps: [
      run('git mv src/length.ts src/length-impl.ts'),
      write('src/length.d.ts', 'export const lengthOf: (text: string) => any;\n'),
      write('src/length.js', "export { lengthOf } from './length-impl.js';\n"),
    ],
    remains:
      'declarations are sources; a rule of the linter against `any` and against declarations by hand, or tests of the built code, judge them',
  },
  {
    ...oxlint,
    family,
    name: 'rules that the configuration extends',
    files: {
      ...oxlint.files,
      '.oxlintrc.json': '{"extends":["./config/lint/rules.json"]}\n',
      'config/lint/rules.json': '{"rules":{"no-debugger":"error"}}\n',
    },
    steps: [write('config/lint/rules.json', '{"rules":{"no-debugger":"off"}}\n'), touchJs],
  },
  {
    ...oxlint,
    family,
    name: 'a file of ignored paths that the check names',
    files: { ...oxlint.files, 'ops/left-out': 'dist\n' },
    validate: 'node_modules/.bin/oxlint --ignore-path ops/left-out src',
    steps: [
      write('ops/left-out', 'app.js\n'),
      write('src/other.js', 'export const one = 1;\n'),
      touchJs,
    ],
  },
  {
    ...oxlint,
    family,
    name: 'an `.eslintignore` that the linter follows',
    steps: [
      write('.eslintignore', 'src/app.js\n'),
      write('src/other.js', 'export const one = 1;\n'),
      touchJs,
    ],
  },
  {
    ...script,
    family,
    name: 'words that the lint script imports',
    files: {
      'src/app.js': oxlint.files['src/app.js'] ?? '',
      'ops/lint.py': lintPy,
      'ops/settings.py': 'WORDS = ["debugger"]\n',
    },
    steps: [write('ops/settings.py', 'WORDS = []\n'), touchJs],
  },
  {
    ...script,
    family,
    name: 'a number of allowed findings in a file',
    files: {
      'src/app.js': oxlint.files['src/app.js'] ?? '',
      'ops/lint.py':
        'import json, pathlib, sys\n\nmost = json.load(open("ops/thresholds.json"))["debugger"]\nfound = sum(f.read_text().count("debugger") for f in pathlib.Path("src").glob("*.js"))\nsys.exit(found > most)\n',
      'ops/thresholds.json': '{"debugger":0}\n',
    },
    steps: [write('ops/thresholds.json', '{"debugger":9}\n'), touchJs],
  },
  {
    ...oxlint,
    family,
    name: 'a grep that leaves out what a file names',
    runner: 'grep',
    packages: [],
    files: { 'src/app.js': oxlint.files['src/app.js'] ?? '', 'ops/quiet.list': 'vendored.js\n' },
    validate: '! grep -rl debugger src | grep -vqf ops/quiet.list',
    steps: [write('ops/quiet.list', 'app.js\n'), touchJs],
  },
];
