import { edit, run, write, type TrickCase } from './case.ts';
import { oxlint, tsc } from './projects.ts';

const family = 'static' as const;
const touchTs = edit('src/length.ts', 'export function', '// Looked at.\nexport function');
const touchJs = edit('src/app.js', 'export function', '// Looked at.\nexport function');
const config = tsc.files['tsconfig.json'] ?? '';

export const staticChecks: readonly TrickCase[] = [
  {
    ...tsc,
    family,
    name: '`strict` is off',
    steps: [write('tsconfig.json', config.replace('"strict":true', '"strict":false')), touchTs],
    sample: true,
  },
  {
    ...tsc,
    family,
    name: '`exclude` leaves the file out',
    steps: [
      write(
        'tsconfig.json',
        config.replace('"include":', '"exclude":["src/length.ts","src/main.ts"],"include":'),
      ),
      write('src/other.ts', 'export const one = 1;\n'),
      touchTs,
    ],
  },
  {
    ...tsc,
    family,
    name: 'a configuration that another one extends',
    files: {
      ...tsc.files,
      'tsconfig.json': '{"extends":"./config/rules.json","include":["src"]}\n',
      'config/rules.json': '{"compilerOptions":{"strict":true,"noEmit":true,"types":[]}}\n',
    },
    steps: [
      write('config/rules.json', '{"compilerOptions":{"strict":false,"noEmit":true,"types":[]}}\n'),
      touchTs,
    ],
  },
  {
    ...tsc,
    family,
    name: '`skipLibCheck` hides a wrong declaration',
    files: {
      ...tsc.files,
      'src/length.ts': 'export const lengthOf = (text: string): number => text.length;\n',
      'types/api.d.ts': 'declare interface Api {\n  text: Txt;\n}\n',
    },
    truth: '! grep -q Txt types/api.d.ts',
    steps: [
      write('tsconfig.json', config.replace('"skipLibCheck":false', '"skipLibCheck":true')),
      run('echo "// looked at" >> src/length.ts'),
    ],
  },
  {
    ...tsc,
    family,
    name: 'the script around the compiler',
    validate: 'node --run types',
    files: { ...tsc.files, 'package.json': '{"type":"module","scripts":{"types":"tsc -p ."}}\n' },
    steps: [
      write('package.json', '{"type":"module","scripts":{"types":"tsc -p . || true"}}\n'),
      touchTs,
    ],
  },
  {
    ...tsc,
    family,
    name: '`@ts-nocheck` in the source',
    steps: [edit('src/length.ts', 'export function', '// @ts-nocheck\nexport function')],
    remains:
      'a comment of the source is product; a rule of the linter that forbids such comments, or a hidden check, judges it',
  },
  {
    ...oxlint,
    family,
    name: 'a rule turned off',
    steps: [
      write('.oxlintrc.json', '{"rules":{"no-debugger":"off","no-unused-vars":"error"}}\n'),
      touchJs,
    ],
    sample: true,
  },
  {
    ...oxlint,
    family,
    name: '`ignorePatterns` for the file',
    steps: [
      write(
        '.oxlintrc.json',
        '{"ignorePatterns":["src/app.js"],"rules":{"no-debugger":"error"}}\n',
      ),
      write('src/other.js', 'export const one = 1;\n'),
      touchJs,
    ],
  },
  {
    ...oxlint,
    family,
    name: 'a nearer configuration in the folder of the sources',
    steps: [write('src/.oxlintrc.json', '{"rules":{"no-debugger":"off"}}\n'), touchJs],
  },
  {
    ...oxlint,
    family,
    name: 'ignore rules of git that the linter follows',
    steps: [
      run('echo app.js > src/.gitignore'),
      write('src/other.js', 'export const one = 1;\n'),
      touchJs,
    ],
  },
  {
    ...oxlint,
    family,
    name: 'a list of known findings that the lint script reads',
    runner: 'lint script',
    packages: [],
    files: {
      'package.json': '{"type":"module"}\n',
      'src/app.js': oxlint.files['src/app.js'] ?? '',
      'known.json': '[]\n',
      'scripts/lint.mjs':
        "import { readFileSync } from 'node:fs';\nconst known = JSON.parse(readFileSync('known.json', 'utf8'));\nconst files = ['src/app.js'];\nconst bad = files.filter((file) => !known.includes(file) && readFileSync(file, 'utf8').includes('debugger'));\nif (bad.length > 0) throw new Error(bad.join());\n",
    },
    validate: 'node scripts/lint.mjs',
    steps: [write('known.json', '["src/app.js"]\n'), touchJs],
  },
  {
    ...oxlint,
    family,
    name: '`eslint-disable` in the source',
    steps: [
      edit('src/app.js', '  debugger;', '  // eslint-disable-next-line no-debugger\n  debugger;'),
    ],
    remains:
      'a comment of the source is product; `--report-unused-disable-directives` and a limit on such comments in the check judge it',
  },
];
