import { edit, run, write, type HonestCase, type Project } from './case.ts';
import {
  bats,
  brokenPy,
  cargo,
  ctest,
  go,
  make,
  prove,
  pytest,
  rightPy,
  shell,
  unittest,
} from './projects.ts';

const fixPy = edit(
  'calc.py',
  'def sub(a, b):\n    return a + b',
  'def sub(a, b):\n    return a - b',
);
const fixSh = edit('calc.sh', 'sub() { echo $(($1 + $2))', 'sub() { echo $(($1 - $2))');
const fixGo = edit(
  'calc.go',
  'Sub(a, b int) int { return a + b }',
  'Sub(a, b int) int { return a - b }',
);
const fixRust = edit(
  'src/lib.rs',
  'sub(a: i32, b: i32) -> i32 {\n    a + b',
  'sub(a: i32, b: i32) -> i32 {\n    a - b',
);
const greenPy: Project = { ...pytest, files: { ...pytest.files, 'calc.py': rightPy } };

const cMake: Project = {
  runner: 'make, cc',
  needs: ['make', 'cc'],
  files: {
    Makefile:
      'SRC = calc.c\n\nbuild/test: tests/test.c $(SRC)\n\tmkdir -p build\n\t$(CC) -o $@ $^\n\ntest: build/test\n\t./build/test\n',
    'calc.c': 'int sub(int a, int b) { return a + b; }\n',
    'tests/test.c': 'int sub(int, int);\nint main(void) { return sub(2, 1) == 1 ? 0 : 1; }\n',
  },
  validate: 'make test',
};

const minitest: Project = {
  runner: 'minitest',
  needs: ['minitest'],
  files: {
    'lib/calc.rb': 'module Calc\n  def self.add(a, b) = a + b\n  def self.sub(a, b) = a + b\nend\n',
    'test/calc_test.rb':
      "require 'minitest/autorun'\nrequire 'calc'\n\nclass CalcTest < Minitest::Test\n  def test_adds\n    assert_equal 3, Calc.add(2, 1)\n  end\n\n  def test_subtracts\n    assert_equal 1, Calc.sub(2, 1)\n  end\nend\n",
  },
  validate: 'ruby -Ilib test/calc_test.rb --verbose',
};
const fixRuby = edit('lib/calc.rb', 'self.sub(a, b) = a + b', 'self.sub(a, b) = a - b');

const rspec: Project = {
  runner: 'rspec',
  needs: ['rspec'],
  files: {
    '.rspec': '--format documentation\n',
    'lib/calc.rb': minitest.files['lib/calc.rb'] ?? '',
    'spec/calc_spec.rb':
      "require 'calc'\n\nRSpec.describe Calc do\n  it('adds') { expect(Calc.add(2, 1)).to eq 3 }\n  it('subtracts') { expect(Calc.sub(2, 1)).to eq 1 }\nend\n",
  },
  validate: 'rspec',
};

const phpunit: Project = {
  runner: 'phpunit',
  needs: ['phpunit'],
  files: {
    'src/calc.php':
      '<?php\nfunction add($a, $b) { return $a + $b; }\nfunction sub($a, $b) { return $a + $b; }\n',
    'tests/CalcTest.php':
      "<?php\nuse PHPUnit\\Framework\\TestCase;\nrequire_once __DIR__ . '/../src/calc.php';\n\nfinal class CalcTest extends TestCase\n{\n    public function testAdds(): void { $this->assertSame(3, add(2, 1)); }\n    public function testSubtracts(): void { $this->assertSame(1, sub(2, 1)); }\n}\n",
  },
  validate: 'phpunit --testdox tests',
};
const fixPhp = edit(
  'src/calc.php',
  'function sub($a, $b) { return $a + $b; }',
  'function sub($a, $b) { return $a - $b; }',
);

/** Python, Go, Rust, C, shell, Perl, Ruby and PHP. */
export const languageCases: readonly HonestCase[] = [
  {
    ...pytest,
    name: 'a new fixture in `conftest.py` with a new test',
    steps: [
      fixPy,
      write('tests/conftest.py', 'import pytest\n\n\n@pytest.fixture\ndef seed():\n    return 4\n'),
      run(
        "printf '\\n\\ndef test_seed(seed):\\n    assert sub(seed, 1) == 3\\n' >> tests/test_calc.py",
      ),
    ],
  },
  {
    ...pytest,
    name: 'tests of pytest moved into a class',
    steps: [
      fixPy,
      write(
        'tests/test_calc.py',
        'from calc import add, sub\n\n\nclass TestCalc:\n    def test_adds(self):\n        assert add(2, 1) == 3\n\n    def test_subtracts(self):\n        assert sub(2, 1) == 1\n',
      ),
    ],
  },
  {
    ...pytest,
    name: 'a module becomes a package',
    steps: [
      run('mkdir calc && git mv calc.py calc/core.py'),
      write('calc/core.py', rightPy),
      write('calc/__init__.py', 'from calc.core import add, sub\n\n__all__ = ["add", "sub"]\n'),
    ],
  },
  {
    ...pytest,
    name: 'an outside module whose tests stand in the base',
    files: {
      ...pytest.files,
      'calc.py': rightPy,
      'tests/test_mul.py':
        'from multiply import mul\n\n\ndef test_multiplies():\n    assert mul(2, 3) == 6\n',
    },
    steps: [write('multiply.py', 'def mul(a, b):\n    return a * b\n')],
  },
  {
    ...pytest,
    name: 'a marker of pytest, registered in `pyproject.toml`',
    files: { ...pytest.files, 'pyproject.toml': '[project]\nname = "calc"\nversion = "1"\n' },
    steps: [
      fixPy,
      run(
        'printf \'\\n[tool.pytest.ini_options]\\nmarkers = ["slow: takes long"]\\n\' >> pyproject.toml',
      ),
      run(
        "printf '\\n\\n@pytest.mark.slow\\ndef test_slow():\\n    assert sub(9, 1) == 8\\n' >> tests/test_calc.py; sed -i '1i import pytest' tests/test_calc.py",
      ),
    ],
  },
  {
    ...greenPy,
    name: 'a doctest of a new function',
    title: 'add mul',
    validate: 'python3 -m pytest -q --doctest-modules',
    steps: [
      run(
        'printf \'\\n\\ndef mul(a, b):\\n    """\\n    >>> mul(2, 3)\\n    6\\n    """\\n    return a * b\\n\' >> calc.py',
      ),
    ],
    proof: 'unproven',
  },
  {
    ...unittest,
    name: 'subtests and a helper in unittest',
    steps: [
      fixPy,
      write(
        'tests/test_calc.py',
        'import unittest\n\nimport calc\nfrom tests.cases import cases\n\n\nclass CalcTest(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(calc.add(2, 1), 3)\n\n    def test_subtracts(self):\n        for a, b, c in cases:\n            with self.subTest(a=a, b=b):\n                self.assertEqual(calc.sub(a, b), c)\n',
      ),
      write('tests/cases.py', 'cases = [(2, 1, 1), (5, 3, 2)]\n'),
    ],
  },
  {
    ...pytest,
    name: 'a virtual environment that is linked',
    config: 'workspace: { link: [.venv] }\n',
    files: { ...pytest.files, '.gitignore': '.venv\n__pycache__\n.pytest_cache\n.loopwright\n' },
    prepare: 'python3 -m venv --system-site-packages --without-pip .venv',
    validate: '.venv/bin/python -m pytest -q',
    steps: [fixPy],
  },
  {
    ...go,
    name: 'a new package of Go with its tests',
    steps: [
      edit('calc.go', 'return a + b }\n', 'return a + b }\n'),
      write('minus/minus.go', 'package minus\n\nfunc Of(a, b int) int { return a - b }\n'),
      write(
        'minus/minus_test.go',
        'package minus\n\nimport "testing"\n\nfunc TestOf(t *testing.T) {\n\tif Of(5, 3) != 2 {\n\t\tt.Fatal("of")\n\t}\n}\n',
      ),
      write(
        'calc.go',
        'package calc\n\nimport "example.org/calc/minus"\n\nfunc Add(a, b int) int { return a + b }\n\nfunc Sub(a, b int) int { return minus.Of(a, b) }\n',
      ),
    ],
  },
  {
    ...go,
    name: 'tests of Go split, with a helper and data',
    validate: 'go test -v ./...',
    steps: [
      fixGo,
      write('testdata/cases.txt', '2 1 1\n5 3 2\n'),
      write(
        'helper_test.go',
        'package calc\n\nimport "testing"\n\nfunc same(t *testing.T, a, b int) {\n\tt.Helper()\n\tif a != b {\n\t\tt.Fatalf("%d != %d", a, b)\n\t}\n}\n',
      ),
      write(
        'sub_test.go',
        'package calc\n\nimport (\n\t"fmt"\n\t"os"\n\t"testing"\n)\n\nfunc TestSub(t *testing.T) {\n\tfile, err := os.Open("testdata/cases.txt")\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tvar a, b, c int\n\tfor {\n\t\tif _, err := fmt.Fscan(file, &a, &b, &c); err != nil {\n\t\t\tbreak\n\t\t}\n\t\tsame(t, Sub(a, b), c)\n\t}\n}\n',
      ),
      write(
        'calc_test.go',
        'package calc\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tsame(t, Add(2, 1), 3)\n}\n',
      ),
    ],
  },
  {
    ...cargo,
    name: 'a new module of Rust with tests inside',
    steps: [
      edit('src/lib.rs', 'pub fn add', 'mod minus;\n\npub fn add'),
      edit(
        'src/lib.rs',
        'sub(a: i32, b: i32) -> i32 {\n    a + b',
        'sub(a: i32, b: i32) -> i32 {\n    minus::of(a, b)',
      ),
      write(
        'src/minus.rs',
        'pub fn of(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn takes_away() {\n        assert_eq!(super::of(5, 3), 2);\n    }\n}\n',
      ),
    ],
  },
  {
    ...cargo,
    name: 'a dependency of Rust from a folder, with its lock file',
    files: {
      ...cargo.files,
      'minus/Cargo.toml': '[package]\nname = "minus"\nversion = "0.1.0"\nedition = "2021"\n',
      'minus/src/lib.rs': 'pub fn of(a: i32, b: i32) -> i32 {\n    a - b\n}\n',
    },
    steps: [
      run('printf \'\\n[dependencies]\\nminus = { path = "minus" }\\n\' >> Cargo.toml'),
      edit(
        'src/lib.rs',
        'sub(a: i32, b: i32) -> i32 {\n    a + b',
        'sub(a: i32, b: i32) -> i32 {\n    minus::of(a, b)',
      ),
      run('cargo generate-lockfile --offline 2> /dev/null'),
    ],
  },
  {
    ...cargo,
    name: 'a test inside of a source file, renamed',
    files: {
      ...cargo.files,
      'src/lib.rs': `${cargo.files['src/lib.rs'] ?? ''}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn inner() {\n        assert_eq!(super::add(5, 2), 7);\n    }\n}\n`,
    },
    steps: [fixRust, edit('src/lib.rs', 'fn inner', 'fn adds_inside')],
    asked: 'it stands in the product, so that the one of the base cannot be run again',
  },
  {
    ...cMake,
    name: 'a new source in a list of the Makefile',
    steps: [
      write('minus.c', 'int minus(int a, int b) { return a - b; }\n'),
      write('calc.c', 'int minus(int a, int b);\nint sub(int a, int b) { return minus(a, b); }\n'),
      edit('Makefile', 'SRC = calc.c', 'SRC = calc.c minus.c'),
    ],
  },
  {
    ...cMake,
    name: 'a header and flags in the Makefile',
    steps: [
      write('calc.h', 'int sub(int a, int b);\n'),
      write('calc.c', '#include "calc.h"\nint sub(int a, int b) { return a - b; }\n'),
      edit('Makefile', 'SRC = calc.c\n', 'SRC = calc.c\nPREFIX ?= /usr/local\n'),
      run(
        "printf '\\ninstall: build/test\\n\\tcp build/test $(PREFIX)/bin\\n\\n.PHONY: install\\n' >> Makefile",
      ),
    ],
  },
  {
    ...ctest,
    name: 'a new source in `CMakeLists.txt`',
    steps: [
      write('minus.c', 'int minus(int a, int b) { return a - b; }\n'),
      write('calc.c', 'int minus(int a, int b);\nint sub(int a, int b) { return minus(a, b); }\n'),
      edit('CMakeLists.txt', 'tests/calc_test.c calc.c', 'tests/calc_test.c calc.c minus.c'),
    ],
  },
  {
    ...shell,
    name: 'a part of a shell product moved to a file of its own',
    steps: [
      write('minus.sh', 'minus() { echo $(($1 - $2)); }\n'),
      write('calc.sh', '. ./minus.sh\nadd() { echo $(($1 + $2)); }\nsub() { minus "$@"; }\n'),
    ],
  },
  {
    ...make,
    name: 'another check in a new target, and the fix',
    steps: [
      fixSh,
      write('checks/more.sh', '. ./calc.sh\n[ "$(sub 5 3)" = 2 ]\n'),
      edit('Makefile', 'CHECKS = checks/check.sh', 'CHECKS = checks/check.sh checks/more.sh'),
    ],
  },
  {
    ...make,
    name: 'the task makes the Makefile',
    title: 'add a Makefile with a target test',
    files: {
      ...shell.files,
      'calc.sh': 'add() { echo $(($1 + $2)); }\nsub() { echo $(($1 - $2)); }\n',
    },
    config: 'verify: { baseline: allow-broken }\n',
    steps: [write('Makefile', 'test:\n\tsh checks/check.sh\n')],
    proof: 'unproven',
  },
  {
    ...bats,
    name: 'a helper that tests of bats load',
    steps: [
      fixSh,
      write('test/helper.bash', 'same() { [ "$1" = "$2" ]; }\n'),
      write(
        'test/calc.bats',
        'load helper\nsetup() { . "$BATS_TEST_DIRNAME/../calc.sh"; }\n\n@test "adds" {\n  same "$(add 2 1)" 3\n}\n\n@test "subtracts" {\n  same "$(sub 2 1)" 1\n}\n',
      ),
    ],
  },
  {
    ...prove,
    name: 'a new file of tests in Perl, and a new module',
    steps: [
      edit('lib/Calc.pm', 'minus { $_[0] + $_[1] }', 'minus { Calc::Minus::of(@_) }'),
      edit('lib/Calc.pm', 'package Calc;', 'package Calc;\nuse Calc::Minus;'),
      write('lib/Calc/Minus.pm', 'package Calc::Minus;\nsub of { $_[0] - $_[1] }\n1;\n'),
      write(
        't/minus.t',
        'use Test::More tests => 1;\nuse Calc::Minus;\nis(Calc::Minus::of(5, 3), 2, "takes away");\n',
      ),
    ],
  },
  { ...minitest, name: 'a fix in Ruby', steps: [fixRuby] },
  {
    ...minitest,
    name: 'tests of minitest with a shared module',
    steps: [
      fixRuby,
      write(
        'test/test_helper.rb',
        "require 'minitest/autorun'\nmodule Same\n  def same(a, b) = assert_equal(a, b)\nend\n",
      ),
      write(
        'test/calc_test.rb',
        "require_relative 'test_helper'\nrequire 'calc'\n\nclass CalcTest < Minitest::Test\n  include Same\n  def test_adds = same(3, Calc.add(2, 1))\n  def test_subtracts = same(1, Calc.sub(2, 1))\n  def test_more = same(2, Calc.sub(5, 3))\nend\n",
      ),
    ],
  },
  {
    ...rspec,
    name: 'a context around examples of rspec, and `spec_helper.rb`',
    steps: [
      fixRuby,
      write('spec/spec_helper.rb', 'RSpec.configure { |c| c.order = :defined }\n'),
      write(
        'spec/calc_spec.rb',
        "require 'spec_helper'\nrequire 'calc'\n\nRSpec.describe Calc do\n  context 'with small numbers' do\n    it('adds') { expect(Calc.add(2, 1)).to eq 3 }\n    it('subtracts') { expect(Calc.sub(2, 1)).to eq 1 }\n  end\nend\n",
      ),
    ],
  },
  {
    ...phpunit,
    name: 'a data provider in place of a test of phpunit',
    steps: [
      fixPhp,
      edit(
        'tests/CalcTest.php',
        'public function testSubtracts(): void { $this->assertSame(1, sub(2, 1)); }',
        "public static function cases(): array { return [[2, 1, 1], [5, 3, 2]]; }\n    /** @dataProvider cases */\n    #[PHPUnit\\Framework\\Attributes\\DataProvider('cases')]\n    public function testSubtracts($a, $b, $c): void { $this->assertSame($c, sub($a, $b)); }",
      ),
    ],
  },
  {
    ...pytest,
    name: 'the first tests of a Python project, which could not run before',
    title: 'add tests',
    files: { 'calc.py': brokenPy },
    config: 'verify: { baseline: allow-broken }\n',
    steps: [
      write('calc.py', rightPy),
      write('tests/test_calc.py', pytest.files['tests/test_calc.py'] ?? ''),
    ],
    proof: 'unproven',
  },
];
