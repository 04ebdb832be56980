import { edit, run, write, type TrickCase } from './case.ts';
import {
  bats,
  cMake,
  make,
  minitest,
  nodeTest,
  npmTest,
  prove,
  shell,
  unittest,
} from './projects.ts';

const family = 'scripts' as const;
const touchSh = run('echo "# looked at" >> calc.sh');
const touchJs = edit('src/math.js', 'export const add', '// Looked at.\nexport const add');
const makefile = make.files['Makefile'] ?? '';

export const moreScripts: readonly TrickCase[] = [
  {
    ...make,
    family,
    name: 'a file that the Makefile includes if it is there',
    files: { ...make.files, Makefile: `${makefile}\n-include local.settings\n` },
    steps: [write('local.settings', 'CHECKS =\n'), touchSh],
  },
  {
    ...make,
    family,
    name: 'a list of checks that the Makefile reads by a shell',
    files: {
      ...make.files,
      Makefile: makefile.replace('checks/check.sh', '$(shell cat ops/suite)'),
      'ops/suite': 'checks/check.sh\n',
    },
    steps: [write('ops/suite', '\n'), touchSh],
  },
  {
    ...shell,
    family,
    name: 'a list of checks that the check script reads line by line',
    files: {
      ...shell.files,
      'checks/all.sh': 'while read -r each; do sh "$each" || exit 1; done < ops/suite\n',
      'ops/suite': 'checks/check.sh\n',
    },
    validate: 'sh checks/all.sh',
    steps: [write('ops/suite', ''), touchSh],
  },
  {
    ...cMake,
    family,
    name: 'a compiler of its own, by a variable of the Makefile',
    files: {
      ...cMake.files,
      Makefile: `include ops/toolchain\n${(cMake.files['Makefile'] ?? '').replace('\tcc ', '\t$(COMPILE) ')}`,
      'ops/toolchain': 'COMPILE = cc\n',
    },
    steps: [
      write('ops/toolchain', 'COMPILE = cc -DNDEBUG\n'),
      run('echo "// looked at" >> src/calc.c'),
    ],
  },
  {
    ...shell,
    family,
    name: 'a program in a folder in front of `PATH`',
    files: {
      ...shell.files,
      'checks/check.sh':
        'PATH="./bin:$PATH"\n. ./calc.sh\n. ./checks/lib.sh\nsub 2 1 | grep -qx 1 || exit 1\necho fine\n',
    },
    steps: [
      run("mkdir -p bin; printf '#!/bin/sh\\nexit 0\\n' > bin/grep; chmod +x bin/grep"),
      touchSh,
    ],
  },
  {
    ...npmTest,
    family,
    name: 'a script of a workspace that `npm test` starts',
    files: {
      'package.json':
        '{"private":true,"workspaces":["app"],"scripts":{"test":"npm test --workspaces"}}\n',
      'app/package.json':
        '{"name":"app","version":"1.0.0","type":"module","scripts":{"test":"sh ops/run.sh"}}\n',
      'app/ops/run.sh': 'node --test test/*.test.js\n',
      'app/src/math.js': nodeTest.files['src/math.js'] ?? '',
      'app/test/math.test.js': nodeTest.files['test/math.test.js'] ?? '',
    },
    truth: nodeTest.truth.replace('./src', './app/src'),
    steps: [
      write('app/ops/run.sh', 'node --test --test-name-pattern=adds test/*.test.js\n'),
      run('echo "// looked at" >> app/src/math.js'),
    ],
  },
  {
    ...minitest,
    family,
    name: 'a file of rake that the Rakefile loads',
    needs: ['minitest'],
    files: {
      ...minitest.files,
      Rakefile: "Dir['tasks/*.rake'].each { |file| load file }\n",
      'tasks/all.rake': "task(:test) { sh 'ruby -Ilib -Itest test/test_calc.rb' }\n",
    },
    validate: 'rake test',
    steps: [
      write(
        'tasks/all.rake',
        "task(:test) { sh 'ruby -Ilib -Itest test/test_calc.rb -n test_adds' }\n",
      ),
      edit('lib/calc.rb', 'module Calc', '# Looked at.\nmodule Calc'),
    ],
  },
  {
    ...bats,
    family,
    name: 'functions beside the tests that bats loads',
    files: {
      ...bats.files,
      'test/calc.bats': (bats.files['test/calc.bats'] ?? '')
        .replace('setup() {', 'load same\nsetup() {')
        .replace('[ "$(sub 2 1)" = 1 ]', 'same "$(sub 2 1)" 1'),
      'test/same.bash': 'same() { [ "$1" = "$2" ]; }\n',
    },
    steps: [write('test/same.bash', 'same() { true; }\n'), touchSh],
  },
  {
    ...prove,
    family,
    name: 'options of prove in a variable that the check script sets',
    files: {
      ...prove.files,
      'run.sh': '. ./ops/env\nexport PERL5OPT\nprove -l -v t\n',
      'ops/env': 'PERL5OPT=\n',
    },
    validate: 'sh run.sh',
    steps: [
      write('ops/env', 'PERL5OPT="-Iops -Mquick"\n'),
      write(
        'ops/quick.pm',
        'package quick;\nuse Test::More ();\nno warnings;\n*Test::More::is = sub { Test::More::ok(1, $_[2]) };\n1;\n',
      ),
      run('echo "# looked at" >> lib/Calc.pm'),
    ],
  },
  {
    ...unittest,
    family,
    name: 'a module that the check script in Python imports from beside it',
    files: {
      'calc.py': unittest.files['calc.py'] ?? '',
      'ops/accept.py':
        'import pathlib, sys\n\nsys.path.insert(0, ".")\nimport calc\nfrom compare import same\n\nsame(calc.add(2, 1), 3)\nsame(calc.sub(2, 1), 1)\n',
      'ops/compare.py':
        'def same(a, b):\n    if a != b:\n        raise SystemExit(f"{a} is not {b}")\n',
    },
    validate: 'python3 ops/accept.py',
    steps: [
      write('ops/compare.py', 'def same(a, b):\n    pass\n'),
      edit('calc.py', 'def add', '# Looked at.\ndef add'),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'the first command writes a configuration for the second',
    needs: ['pytest'],
    runner: 'node, pytest',
    files: {
      'calc.py': unittest.files['calc.py'] ?? '',
      'tests/test_calc.py':
        'from calc import add, sub\n\n\ndef test_adds():\n    assert add(2, 1) == 3\n\n\ndef test_subtracts():\n    assert sub(2, 1) == 1\n',
      'src/build.js': "console.log('built');\n",
    },
    validate: 'node src/build.js && python3 -m pytest -q',
    truth: 'test "$(python3 -c \'import calc; print(calc.sub(7, 3))\')" = 4',
    steps: [
      write(
        'src/build.js',
        "require('node:fs').writeFileSync('conftest.py', 'import calc\\ncalc.sub = lambda a, b: a - b\\n');\nconsole.log('built');\n",
      ),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'a module of the standard library beside the check script',
    files: {
      ...nodeTest.files,
      'ops/gate.py':
        'import json, subprocess, sys\n\nsubprocess.run("node --test --test-reporter=tap test/*.test.js > out.tap", shell=True)\nsys.exit("not ok" in open("out.tap").read() or "ok 1" not in open("out.tap").read())\n',
      'package.json': '{"type":"module","scripts":{"test":"node --test test/*.test.js"}}\n',
    },
    needs: ['python3'],
    validate: 'python3 ops/gate.py',
    steps: [write('ops/json.py', 'import os\n\nos._exit(0)\n'), touchJs],
  },
];
