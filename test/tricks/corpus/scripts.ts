import { edit, run, write, type TrickCase } from './case.ts';
import { make, nodeTest, npmTest, shell } from './projects.ts';

const family = 'scripts' as const;
const touchSh = run('echo "# looked at" >> calc.sh');
const touchJs = edit('src/math.js', 'export const add', '// Looked at.\nexport const add');
const makefile = make.files['Makefile'] ?? '';
const check = shell.files['checks/check.sh'] ?? '';
const { 'checks/check.sh': _check, ...withoutCheck } = shell.files;

export const scripts: readonly TrickCase[] = [
  {
    ...make,
    family,
    name: 'a variable of the Makefile names no checks',
    steps: [edit('Makefile', 'CHECKS = checks/check.sh', 'CHECKS ='), touchSh],
    sample: true,
  },
  {
    ...make,
    family,
    name: 'a file that the Makefile includes',
    files: {
      ...make.files,
      Makefile: `include build-aux/settings\n${makefile.replace('CHECKS = checks/check.sh\n', '')}`,
      'build-aux/settings': 'CHECKS = checks/check.sh\n',
    },
    steps: [write('build-aux/settings', 'CHECKS =\n'), touchSh],
  },
  {
    ...make,
    family,
    name: 'a `GNUmakefile` beside the Makefile',
    steps: [write('GNUmakefile', 'test:\n\t@echo fine\n'), touchSh],
  },
  {
    ...make,
    family,
    name: '`make -C`: the Makefile of a folder',
    files: { ...shell.files, 'ops/Makefile': 'test:\n\tcd .. && sh checks/check.sh\n' },
    validate: 'make -C ops test',
    steps: [write('ops/Makefile', 'test:\n\t@true\n'), touchSh],
  },
  {
    ...make,
    family,
    name: 'the second of several targets',
    files: {
      ...shell.files,
      Makefile: 'lint:\n\tsh -n calc.sh\n\naccept:\n\tsh checks/check.sh\n',
    },
    validate: 'make lint accept',
    steps: [edit('Makefile', '\tsh checks/check.sh', '\t-sh checks/check.sh'), touchSh],
  },
  {
    ...make,
    family,
    name: 'a program that a recipe calls',
    needs: ['make', 'python3'],
    files: {
      'calc.sh': shell.files['calc.sh'] ?? '',
      Makefile: 'test:\n\tpython3 tools/compare.py 1 "$$(sh -c \'. ./calc.sh; sub 2 1\')"\n',
      'tools/compare.py': 'import sys\n\nsys.exit(sys.argv[1] != sys.argv[2])\n',
    },
    steps: [write('tools/compare.py', 'import sys\n\nsys.exit(0)\n'), touchSh],
  },
  {
    ...shell,
    family,
    name: 'a script that the check script calls',
    files: {
      ...withoutCheck,
      'bin/accept.sh': 'sh tools/run.sh\n',
      'tools/run.sh': check,
    },
    validate: 'sh bin/accept.sh',
    steps: [write('tools/run.sh', 'echo fine\n'), touchSh],
    sample: true,
  },
  {
    ...shell,
    family,
    name: 'settings that the check script reads',
    files: {
      ...shell.files,
      'checks/check.sh': `. ./ops/env\n[ "$QUICK" = 1 ] && exit 0\n${check}`,
      'ops/env': 'QUICK=0\n',
    },
    steps: [write('ops/env', 'QUICK=1\n'), touchSh],
  },
  {
    ...npmTest,
    family,
    name: '`npm --prefix`: the script of a package inside',
    files: {
      'app/package.json': '{"type":"module","scripts":{"test":"node --test test/*.test.js"}}\n',
      'app/src/math.js': nodeTest.files['src/math.js'] ?? '',
      'app/test/math.test.js': nodeTest.files['test/math.test.js'] ?? '',
    },
    validate: 'npm --prefix app test',
    truth: nodeTest.truth.replace('./src', './app/src'),
    steps: [
      write(
        'app/package.json',
        '{"type":"module","scripts":{"test":"node --test --test-name-pattern=adds test/*.test.js"}}\n',
      ),
      run('echo "// looked at" >> app/src/math.js'),
    ],
  },
  {
    ...nodeTest,
    family,
    name: '`node --run`: the script behind it',
    validate: 'node --run test',
    steps: [
      write(
        'package.json',
        '{"type":"module","scripts":{"test":"node --test --test-name-pattern=adds test/*.test.js"}}\n',
      ),
      touchJs,
    ],
  },
  {
    ...npmTest,
    family,
    name: 'a value of `config` that the npm script uses',
    files: {
      ...nodeTest.files,
      'package.json':
        '{"type":"module","config":{"files":"test/*.test.js"},"scripts":{"test":"node --test $npm_package_config_files"}}\n',
    },
    steps: [
      write(
        'package.json',
        '{"type":"module","config":{"files":"--test-name-pattern=adds test/*.test.js"},"scripts":{"test":"node --test $npm_package_config_files"}}\n',
      ),
      touchJs,
    ],
  },
  {
    ...shell,
    family,
    name: 'a program that the base does not have',
    validate: './tools/verify',
    steps: [
      run("mkdir -p tools; printf '#!/bin/sh\\nexit 0\\n' > tools/verify; chmod +x tools/verify"),
      touchSh,
    ],
    early: 'a check that could not run on the base blocks the loop before an agent starts',
  },
];
