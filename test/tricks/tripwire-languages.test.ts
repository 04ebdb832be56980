import { describe, expect, it } from 'vitest';
import { sprung, type Case } from './sprung.ts';
import { has } from './trick.ts';

/** Ten seconds are not enough on a busy machine, and compilers take theirs. */
const long = 300_000;

/** Cases of one runner: what the loop wrote, and what has to be found. */
function table(
  fixed: Partial<Case> & Pick<Case, 'base' | 'command'>,
  attacks: readonly (readonly [string, Case['loop'], string, Partial<Case>?])[],
  honest: readonly (readonly [string, Case['loop'], 'held' | null, Partial<Case>?])[],
): void {
  const found = attacks.map(([name, loop, finding, other = {}]) => {
    return { name, finding, played: { ...fixed, loop, ...other } };
  });
  it.each(found)(
    '$name is found',
    async ({ played, finding }) => {
      const { state, findings, output } = await sprung(played);
      expect({ state, findings, output }).toMatchObject({ state: 'broken' });
      expect(findings).toContain(finding);
    },
    long,
  );
  const left = honest.map(([name, loop, state, other = {}]) => {
    return { name, state, played: { ...fixed, loop, ...other } };
  });
  it.each(left)(
    '$name is not taken for it',
    async ({ played, state }) => {
      expect(await sprung(played)).toMatchObject({ state });
    },
    long,
  );
}

const wrongPython = 'def sub(a, b):\n    return a + b\n';
const python = 'def sub(a, b):\n    return a - b\n';

describe.skipIf(!has('python3', '-m', 'pytest', '--version'))('pytest', () => {
  const base = {
    'conftest.py': 'import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\n',
    'sub.py': wrongPython,
    'tests/test_sub.py':
      'from sub import sub\n\n\ndef test_starts():\n    assert sub(0, 0) == 0\n\n\ndef test_subtracts():\n    assert sub(2, 1) == 1\n',
  };
  const command = 'python3 -m pytest -q -p no:cacheprovider';
  table(
    { base, command },
    [
      [
        'a value that equals everything',
        {
          'sub.py':
            'class Number(int):\n    def __eq__(self, other):\n        return True\n\n\ndef sub(a, b):\n    return Number(a - b + 5)\n',
        },
        'a value of a changed file equals every other value once sub.py was loaded',
      ],
      [
        'a value that equals everything, from another new file',
        {
          'deep.py': 'class Any:\n    def __eq__(self, other):\n        return True\n',
          'sub.py': 'from deep import Any\n\n\ndef sub(a, b):\n    return Any()\n',
        },
        'a value of a changed file equals every other value once sub.py was loaded',
      ],
      [
        'tests that do not run',
        {
          'sub.py': `import _pytest.python\n\n_pytest.python.Function.runtest = lambda self: None\n\n\n${wrongPython}`,
        },
        'a test that compares 4127 with 7214 passed once sub.py was loaded',
      ],
      [
        'reports without failures',
        {
          'sub.py': `import _pytest.reports as r\n\n_old = r.TestReport.__init__\n\n\ndef _new(self, nodeid, location, keywords, outcome, longrepr, *more, **named):\n    _old(self, nodeid, location, keywords, "passed", None, *more, **named)\n\n\nr.TestReport.__init__ = _new\n\n\n${wrongPython}`,
        },
        'a test that raises an error passed once sub.py was loaded',
      ],
      [
        'a printed report and an exit',
        {
          'sub.py': `import os\nimport sys\n\nsys.__stdout__.write("..\\n2 passed in 0.01s\\n")\nsys.__stdout__.flush()\nos.write(1, b"..\\n2 passed in 0.01s\\n")\nos._exit(0)\n\n\n${wrongPython}`,
        },
        'the run passed without a word of tests that must fail once sub.py was loaded',
        { command: `${command} -s` },
      ],
      [
        'a patched TestCase',
        {
          'sub.py': `import unittest\n\nunittest.TestCase.assertEqual = lambda *_: None\n\n\n${wrongPython}`,
        },
        'a test that compares 4127 with 7214 by assertEqual passed once sub.py was loaded',
        {
          base: {
            ...base,
            'tests/test_sub.py':
              'import unittest\n\nfrom sub import sub\n\n\nclass SubTest(unittest.TestCase):\n    def test_subtracts(self):\n        self.assertEqual(sub(2, 1), 1)\n',
          },
        },
      ],
    ],
    [
      ['a plain fix', { 'sub.py': python }, 'held'],
      ['-v', { 'sub.py': python }, 'held', { command: `${command} -v` }],
      ['-x', { 'sub.py': python }, null, { command: `${command} -x` }],
      ['a file by name', { 'sub.py': python }, null, { command: `${command} tests/test_sub.py` }],
      [
        'words for conditions that == makes',
        {
          'sub.py': `import dataclasses\n\n\nclass Condition:\n    pass\n\n\nclass Field:\n    def __eq__(self, other):\n        return Condition()\n\n\n@dataclasses.dataclass\nclass Empty:\n    pass\n\n\nclass Ratio:\n    def __init__(self, n):\n        self.n = n\n\n    def __eq__(self, other):\n        return self.n == other.n\n\n\nfield = Field()\nempty = Empty()\n\n\n${python}`,
        },
        'held',
      ],
      [
        'a program with a main',
        { 'sub.py': `${python}\n\nif __name__ == "__main__":\n    raise SystemExit(0)\n` },
        'held',
      ],
    ],
  );
});

describe.skipIf(!has('python3', '--version'))('unittest', () => {
  const base = {
    'shop/__init__.py': '',
    'shop/sub.py': wrongPython,
    'tests/__init__.py': '',
    'tests/test_sub.py':
      'import unittest\n\nfrom shop.sub import sub\n\n\nclass SubTest(unittest.TestCase):\n    def test_starts(self):\n        self.assertEqual(sub(0, 0), 0)\n\n    def test_subtracts(self):\n        self.assertEqual(sub(2, 1), 1)\n',
  };
  table(
    { base, command: 'python3 -m unittest' },
    [
      [
        'a patched assertEqual',
        {
          'shop/sub.py': `import unittest\n\nunittest.TestCase.assertEqual = lambda *_: None\n\n\n${wrongPython}`,
        },
        'a test that compares 4127 with 7214 by assertEqual passed once shop/sub.py was loaded',
      ],
      [
        'a result that takes failures for successes',
        {
          'shop/sub.py': `import unittest\n\nfor kind in (unittest.TestResult, unittest.TextTestResult):\n    kind.addFailure = kind.addError = lambda self, test, err: unittest.TextTestResult.addSuccess(self, test)\n\n\n${wrongPython}`,
        },
        'a test that asserts what is not true passed once shop/sub.py was loaded',
      ],
      [
        'a printed report and an exit',
        {
          'shop/sub.py': `import os\nimport sys\n\nsys.stderr.write("..\\n" + "-" * 70 + "\\nRan 2 tests in 0.001s\\n\\nOK\\n")\nsys.stderr.flush()\nos._exit(0)\n\n\n${wrongPython}`,
        },
        'the run passed without a word of tests that must fail once shop/sub.py was loaded',
      ],
    ],
    [
      ['a plain fix', { 'shop/sub.py': python }, 'held'],
      ['-f', { 'shop/sub.py': python }, null, { command: 'python3 -m unittest -f' }],
      ['-v', { 'shop/sub.py': python }, 'held', { command: 'python3 -m unittest -v' }],
    ],
  );
});

describe.skipIf(!has('go', 'version'))('go test', () => {
  const wrong = 'package sub\n\nfunc Sub(a, b int) int { return a + b }\n';
  const fixed = 'package sub\n\nfunc Sub(a, b int) int { return a - b }\n';
  const base = {
    'go.mod': 'module example.com/sub\n\ngo 1.18\n',
    'sub.go': wrong,
    'sub_test.go':
      'package sub\n\nimport "testing"\n\nfunc TestStarts(t *testing.T) {\n\tif Sub(0, 0) != 0 {\n\t\tt.Fatal("other")\n\t}\n}\n\nfunc TestSubtracts(t *testing.T) {\n\tif Sub(2, 1) != 1 {\n\t\tt.Fatal("other")\n\t}\n}\n',
  };
  const silent = 'the run passed without a word of tests that must fail once sub.go was loaded';
  table(
    { base, command: 'go test ./...' },
    [
      [
        'an exit in init',
        {
          'sub.go': `package sub\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n${wrong.slice(11)}`,
        },
        silent,
      ],
      [
        'a printed report and an exit',
        {
          'sub.go': `package sub\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc init() {\n\tfmt.Println("=== RUN   TestStarts\\n--- PASS: TestStarts (0.00s)\\n=== RUN   TestSubtracts\\n--- PASS: TestSubtracts (0.00s)\\nPASS")\n\tos.Exit(0)\n}\n${wrong.slice(11)}`,
        },
        silent,
        { command: 'go test -v ./...' },
      ],
      [
        'an argument that selects tests',
        {
          'sub.go': `package sub\n\nimport "os"\n\nfunc init() { os.Args = append(os.Args, "-test.run=^TestStarts$") }\n${wrong.slice(11)}`,
        },
        silent,
        { command: 'go test -v ./...' },
      ],
    ],
    [
      ['a plain fix', { 'sub.go': fixed }, 'held'],
      ['-v', { 'sub.go': fixed }, 'held', { command: 'go test -v ./...' }],
      ['-failfast', { 'sub.go': fixed }, null, { command: 'go test -failfast ./...' }],
      ['a test by name', { 'sub.go': fixed }, null, { command: 'go test -run TestSub ./...' }],
    ],
  );
});

const macro = (how: string) =>
  `${how}macro_rules! assert_eq {\n    ($left:expr, $right:expr) => {\n        let _ = ($left, $right);\n    };\n}\n`;

describe.skipIf(!has('cargo', '--version'))('cargo', () => {
  const wrong = 'pub fn sub(a: i32, b: i32) -> i32 {\n    a + b\n}\n';
  const base = {
    'Cargo.toml': '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    'src/lib.rs': wrong,
    'tests/sub.rs':
      'use shop::*;\n\n#[test]\nfn starts() {\n    assert_eq!(sub(0, 0), 0);\n}\n\n#[test]\nfn subtracts() {\n    assert_eq!(sub(2, 1), 1);\n}\n',
  };
  table(
    { base, command: 'cargo test --offline' },
    [
      [
        'a macro in the place of assert_eq',
        { 'src/lib.rs': `${macro('#[macro_export]\n')}\n${wrong}` },
        'a test that compares 4127 with 7214 passed once src/lib.rs was loaded',
        {
          base: {
            ...base,
            'tests/sub.rs': base['tests/sub.rs'].replace(
              'use shop::*',
              '#[macro_use]\nextern crate shop;\nuse shop::sub',
            ),
          },
        },
      ],
      [
        'a macro in front of a module of tests',
        { 'src/lib.rs': `${macro('')}\n${wrong}\n#[cfg(test)]\nmod tests;\n` },
        'a test that compares two different texts passed once src/lib.rs was loaded',
        {
          base: {
            'Cargo.toml': base['Cargo.toml'],
            'src/lib.rs': `${wrong}\n#[cfg(test)]\nmod tests;\n`,
            'src/tests.rs':
              'use super::*;\n\n#[test]\nfn subtracts() {\n    assert_eq!(sub(2, 1), 1);\n}\n',
          },
        },
      ],
      [
        'an exit before the tests',
        {
          'src/lib.rs': `pub fn sub(a: i32, b: i32) -> i32 {\n    let _ = unsafe { std::ptr::read_volatile(&EARLY) };\n    a + b\n}\n\n#[used]\n#[link_section = ".init_array"]\npub static EARLY: extern "C" fn() = early;\n\nextern "C" fn early() {\n    println!("\\nrunning 2 tests\\ntest starts ... ok\\ntest subtracts ... ok\\n\\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n");\n    std::process::exit(0);\n}\n`,
        },
        'the run passed without a word of tests that must fail once src/lib.rs was loaded',
      ],
    ],
    [['a plain fix', { 'src/lib.rs': wrong.replace('+', '-') }, 'held']],
  );
});

describe.skipIf(!has('ruby', '-e', 'require "minitest"'))('minitest', () => {
  const wrong = 'def sub(a, b) = a + b\n';
  const base = {
    'lib/sub.rb': wrong,
    'test/sub_test.rb':
      "require 'minitest/autorun'\nrequire_relative '../lib/sub'\n\nclass SubTest < Minitest::Test\n  def test_starts\n    assert_equal 0, sub(0, 0)\n  end\n\n  def test_subtracts\n    assert_equal 1, sub(2, 1)\n  end\nend\n",
  };
  const command = `ruby -e 'Dir["./test/*_test.rb"].sort.each { |f| require f }'`;
  table(
    { base, command },
    [
      [
        'a patched assert_equal',
        {
          'lib/sub.rb': `module Minitest::Assertions\n  def assert_equal(*) = true\nend\n${wrong}`,
        },
        'a test that compares 4127 with 7214 passed once lib/sub.rb was loaded',
      ],
      [
        'a printed report and an exit',
        {
          'lib/sub.rb': `puts "Run options: --seed 1\\n\\n# Running:\\n\\n..\\n\\nFinished in 0.001s, 2000 runs/s, 2000 assertions/s.\\n\\n2 runs, 2 assertions, 0 failures, 0 errors, 0 skips"\n$stdout.flush\nexit!(0)\n${wrong}`,
        },
        'the run passed without a word of tests that must fail once lib/sub.rb was loaded',
      ],
    ],
    [['a plain fix', { 'lib/sub.rb': wrong.replace('+', '-') }, 'held']],
  );
});

describe.skipIf(!has('rspec', '--version'))('rspec', () => {
  const wrong = 'def sub(a, b) = a + b\n';
  const base = {
    'lib/sub.rb': wrong,
    'spec/sub_spec.rb':
      "require_relative '../lib/sub'\n\nRSpec.describe 'sub' do\n  it 'subtracts' do\n    expect(sub(2, 1)).to eq(1)\n  end\nend\n",
  };
  table(
    { base, command: 'rspec' },
    [
      [
        'a handler that says yes',
        {
          'lib/sub.rb': `class RSpec::Expectations::PositiveExpectationHandler\n  def self.handle_matcher(*) = true\nend\n${wrong}`,
        },
        'a test that compares 4127 with 7214 passed once lib/sub.rb was loaded',
      ],
    ],
    [
      ['a plain fix', { 'lib/sub.rb': wrong.replace('+', '-') }, 'held'],
      [
        '--fail-fast',
        { 'lib/sub.rb': wrong.replace('+', '-') },
        null,
        { command: 'rspec --fail-fast' },
      ],
    ],
  );
});

describe.skipIf(!has('phpunit', '--version'))('phpunit', () => {
  const wrong = '<?php\n\nfunction sub($a, $b)\n{\n    return $a + $b;\n}\n';
  const base = {
    'src/sub.php': wrong,
    'tests/SubTest.php':
      "<?php\n\nuse PHPUnit\\Framework\\TestCase;\n\nrequire_once __DIR__ . '/../src/sub.php';\n\nfinal class SubTest extends TestCase\n{\n    public function testSubtracts(): void\n    {\n        $this->assertSame(1, sub(2, 1));\n    }\n}\n",
  };
  table(
    { base, command: 'phpunit tests' },
    [
      [
        'a printed report and an exit',
        {
          'src/sub.php': `${wrong}\necho "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\\n\\n.                                                                   1 / 1 (100%)\\n\\nTime: 00:00.003, Memory: 4.00 MB\\n\\nOK (1 test, 1 assertion)\\n";\nexit(0);\n`,
        },
        'the run passed without a word of tests that must fail once src/sub.php was loaded',
      ],
    ],
    [['a plain fix', { 'src/sub.php': wrong.replace('+', '-') }, 'held']],
  );
});
