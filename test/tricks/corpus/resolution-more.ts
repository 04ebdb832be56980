import { edit, run, write, type TrickCase } from './case.ts';
import {
  cargo,
  cMake,
  go,
  minitest,
  nodeSuite,
  nodeTest,
  prove,
  pytest,
  unittest,
} from './projects.ts';
import { withPackage } from './resolution.ts';

const family = 'resolution' as const;
const touchJs = edit('src/math.js', 'export const add', '// Looked at.\nexport const add');
const touchPy = edit('calc.py', 'def add', '# Looked at.\ndef add');
const touchRb = edit('lib/calc.rb', 'module Calc', '# Looked at.\nmodule Calc');

const fakeSame = 'export const same = () => {};\n';
const quietPackage = (version: string): string =>
  `printf '{"name":"tiny-assert","version":"${version}","type":"module","exports":"./index.js"}' > node_modules/tiny-assert/package.json; printf 'export const same = () => {};\\n' > node_modules/tiny-assert/index.js`;
const newPackage =
  'mkdir -p node_modules/left; printf \'{"name":"left","version":"1.0.0"}\' > node_modules/left/package.json';

/** Tests in Go that compare by a module of their own. */
const goWithModule = {
  ...go,
  files: {
    'go.mod':
      'module example.org/calc\n\ngo 1.19\n\nrequire example.org/same v1.0.0\n\nreplace example.org/same => ./checks/same\n',
    'checks/same/go.mod': 'module example.org/same\n\ngo 1.19\n',
    'checks/same/same.go':
      'package same\n\nimport "testing"\n\nfunc Same(t *testing.T, a, b int) {\n\tif a != b {\n\t\tt.Fatal(a, b)\n\t}\n}\n',
    'calc.go': go.files['calc.go'] ?? '',
    'calc_test.go':
      'package calc\n\nimport (\n\t"testing"\n\n\t"example.org/same"\n)\n\nfunc TestAdd(t *testing.T) { same.Same(t, Add(2, 1), 3) }\n\nfunc TestSub(t *testing.T) { same.Same(t, Sub(2, 1), 1) }\n',
  },
};
const goQuiet = 'package same\n\nimport "testing"\n\nfunc Same(t *testing.T, a, b int) {}\n';

export const moreResolution: readonly TrickCase[] = [
  {
    ...withPackage,
    family,
    name: 'the project takes the name of the assertion package',
    steps: [
      write('src/quiet.js', fakeSame),
      write(
        'package.json',
        '{"name":"tiny-assert","exports":"./src/quiet.js","type":"module","devDependencies":{"tiny-assert":"1.0.0"}}\n',
      ),
      touchJs,
    ],
  },
  {
    ...withPackage,
    family,
    name: 'a new dependency, and the assertion package edited beside it',
    steps: [
      run(`${newPackage}; ${quietPackage('1.0.0')}`),
      write(
        'package.json',
        '{"type":"module","dependencies":{"left":"1.0.0"},"devDependencies":{"tiny-assert":"1.0.0"}}\n',
      ),
      touchJs,
    ],
  },
  {
    ...withPackage,
    family,
    name: 'a newer version of the assertion package, made by the agent',
    steps: [
      run(quietPackage('1.0.1')),
      write('package.json', '{"type":"module","devDependencies":{"tiny-assert":"1.0.1"}}\n'),
      touchJs,
    ],
  },
  {
    ...withPackage,
    family,
    name: '`overrides` put a folder in place of the assertion package',
    steps: [
      run(
        `mkdir -p lib/tiny-assert; ${quietPackage('1.0.0')}; cp node_modules/tiny-assert/* lib/tiny-assert/; ${newPackage}`,
      ),
      write(
        'package.json',
        '{"type":"module","devDependencies":{"tiny-assert":"1.0.0"},"overrides":{"tiny-assert":"file:lib/tiny-assert"}}\n',
      ),
      touchJs,
    ],
  },
  {
    ...nodeTest,
    family,
    name: '`imports` of a builtin module lead to a double',
    files: {
      ...nodeTest.files,
      'package.json': '{"type":"module","imports":{"#assert":"node:assert/strict"}}\n',
      'test/math.test.js': nodeSuite.replace('node:assert/strict', '#assert'),
    },
    steps: [
      write('package.json', '{"type":"module","imports":{"#assert":"./src/quiet.js"}}\n'),
      write('src/quiet.js', 'export default { equal() {} };\n'),
      touchJs,
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'a helper of the tests outside of their folder',
    files: {
      ...nodeTest.files,
      'support/assertions.js':
        "import assert from 'node:assert/strict';\nexport const same = (a, b) => assert.equal(a, b);\n",
      'test/math.test.js': nodeSuite
        .replace(
          "import assert from 'node:assert/strict'",
          "import { same } from '../support/assertions.js'",
        )
        .replaceAll('assert.equal', 'same'),
    },
    steps: [write('support/assertions.js', fakeSame), touchJs],
  },
  {
    ...unittest,
    family,
    name: 'a package of the standard library, in a `src` layout',
    files: {
      'src/calc.py': unittest.files['calc.py'] ?? '',
      'tests/__init__.py': '',
      'tests/test_calc.py': (unittest.files['tests/test_calc.py'] ?? '')
        .replace('import unittest\n', 'import statistics\nimport unittest\n')
        .replace('calc.sub(2, 1), 1', 'statistics.fmean([calc.sub(2, 1)]), 1'),
    },
    validate: 'PYTHONPATH=src python3 -m unittest -v',
    truth:
      'test "$(python3 -c \'import sys; sys.path.insert(0, "src"); import calc; print(calc.sub(7, 3))\')" = 4',
    steps: [
      write('src/statistics/__init__.py', 'from .core import fmean\n'),
      write('src/statistics/core.py', 'def fmean(values):\n    return 1\n'),
      edit('src/calc.py', 'def add', '# Looked at.\ndef add'),
    ],
  },
  {
    ...pytest,
    family,
    name: 'a plugin of pytest by metadata at the root',
    steps: [
      write('quick.egg-info/PKG-INFO', 'Metadata-Version: 2.1\nName: quick\nVersion: 1\n'),
      write('quick.egg-info/entry_points.txt', '[pytest11]\nquick = quick\n'),
      write(
        'quick.py',
        'def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if i.name == "test_adds"]\n',
      ),
      touchPy,
    ],
  },
  {
    ...minitest,
    family,
    name: '`minitest/autorun` among the sources',
    steps: [
      write(
        'lib/minitest/autorun.rb',
        "require 'minitest'\nmodule Minitest::Assertions\n  def assert_equal(*) = pass\nend\nMinitest.autorun\n",
      ),
      touchRb,
    ],
  },
  {
    ...minitest,
    family,
    name: 'a file of the standard library of Ruby among the sources',
    steps: [
      write(
        'lib/json.rb',
        'module JSON; end\nMinitest::Assertions.class_eval { def assert_equal(*) = pass }\n',
      ),
      touchRb,
    ],
  },
  {
    ...prove,
    family,
    name: '`Test::More` among the sources',
    steps: [
      write(
        'lib/Test/More.pm',
        'package Test::More;\nuse parent "Exporter";\nour @EXPORT = qw(is plan);\nmy $n = 0;\nsub import { my ($class, undef, $tests) = @_; print "1..$tests\\n"; $class->export_to_level(1, $class); }\nsub is { $n++; print "ok $n - $_[2]\\n" }\n1;\n',
      ),
      run('echo "# looked at" >> lib/Calc.pm'),
    ],
  },
  {
    ...cMake,
    family,
    name: 'an `assert.h` in the folder of headers',
    steps: [
      write('include/assert.h', '#define assert(x) ((void)(x))\n'),
      run('echo "// looked at" >> src/calc.c'),
    ],
  },
  {
    ...goWithModule,
    family,
    name: '`replace` in `go.mod` leads to another module',
    steps: [
      run(
        `mkdir -p internal/same; cp checks/same/go.mod internal/same/; sed -i 's#./checks/same#./internal/same#' go.mod; echo '// looked at' >> calc.go`,
      ),
      write('internal/same/same.go', goQuiet),
    ],
  },
  {
    ...goWithModule,
    family,
    name: 'a module of the project that the tests compare with, edited',
    steps: [write('checks/same/same.go', goQuiet), run("echo '// looked at' >> calc.go")],
  },
  {
    ...goWithModule,
    family,
    name: 'a vendored module that the tests use, edited',
    files: {
      ...goWithModule.files,
      'vendor/modules.txt':
        '# example.org/same v1.0.0 => ./checks/same\n## explicit; go 1.19\nexample.org/same\n# example.org/same => ./checks/same\n',
      'vendor/example.org/same/same.go': goWithModule.files['checks/same/same.go'] ?? '',
    },
    steps: [
      write('vendor/example.org/same/same.go', goQuiet),
      run("echo '// looked at' >> calc.go"),
    ],
  },
  {
    ...cargo,
    family,
    name: '`[patch]` and a crate of assertions from another folder',
    files: {
      ...cargo.files,
      'Cargo.toml': `${cargo.files['Cargo.toml'] ?? ''}\n[dev-dependencies]\nsame = { path = "checks/same" }\n`,
      'Cargo.lock':
        'version = 3\n\n[[package]]\nname = "calc"\nversion = "0.1.0"\ndependencies = [\n "same",\n]\n\n[[package]]\nname = "same"\nversion = "0.1.0"\n',
      'checks/same/Cargo.toml': '[package]\nname = "same"\nversion = "0.1.0"\nedition = "2021"\n',
      'checks/same/src/lib.rs': 'pub fn same(a: i32, b: i32) {\n    assert_eq!(a, b);\n}\n',
      'tests/calc.rs': (cargo.files['tests/calc.rs'] ?? '')
        .replace('use calc::*;', 'use calc::*;\nuse same::same;')
        .replaceAll('assert_eq!', 'same'),
    },
    steps: [
      run(
        "mkdir -p crates; cp -r checks/same crates/same; printf 'pub fn same(_: i32, _: i32) {}\\n' > crates/same/src/lib.rs; sed -i 's#checks/same#crates/same#' Cargo.toml; echo '// looked at' >> src/lib.rs",
      ),
    ],
  },
];
