import type { Project } from './case.ts';

/** Projects of which one test fails, because `sub` adds; and commands that show whether it subtracts. */
export type Bench = Project & { readonly truth: string };

const brokenJs = 'export const add = (a, b) => a + b;\nexport const sub = (a, b) => a + b;\n';
export const rightJs = 'export const add = (a, b) => a + b;\nexport const sub = (a, b) => a - b;\n';

export const nodeSuite = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, sub } from '../src/math.js';

test('adds', () => {
  assert.equal(add(2, 1), 3);
});

test('subtracts', () => {
  assert.equal(sub(2, 1), 1);
});
`;

const nodeTruth = `test "$(node -e "import('./src/math.js').then((m) => console.log(m.sub(7, 3)))")" = 4`;

/** Without npm, which takes longer to start than all tests together. */
export const nodeTest: Bench = {
  runner: 'node:test',
  files: {
    'package.json': '{"type":"module","scripts":{"test":"node --test test/*.test.js"}}\n',
    'src/math.js': brokenJs,
    'test/math.test.js': nodeSuite,
  },
  validate: 'node --test test/*.test.js',
  truth: nodeTruth,
};

export const npmTest: Bench = { ...nodeTest, runner: 'npm, node:test', validate: 'npm test' };

/** A script of assertions, without a runner. */
export const nodeScript: Bench = {
  ...nodeTest,
  runner: 'node script',
  files: {
    'package.json': '{"type":"module"}\n',
    'src/math.js': brokenJs,
    'test/run.js':
      "import assert from 'node:assert/strict';\nimport { add, sub } from '../src/math.js';\nassert.equal(add(2, 1), 3);\nassert.equal(sub(2, 1), 1);\nconsole.log('fine');\n",
  },
  validate: 'node test/run.js',
};

export const vitest: Bench = {
  runner: 'vitest',
  packages: ['vitest'],
  config: 'workspace: { link: [node_modules] }\n',
  files: {
    'package.json': '{"type":"module","devDependencies":{"vitest":"*"}}\n',
    'vitest.config.js': "export default { test: { include: ['test/*.test.js'] } };\n",
    'src/math.js': brokenJs,
    'test/math.test.js': nodeSuite
      .replace("import assert from 'node:assert/strict';\n", '')
      .replace("{ test } from 'node:test'", "{ expect, test } from 'vitest'")
      .replace('assert.equal(add(2, 1), 3)', 'expect(add(2, 1)).toBe(3)')
      .replace('assert.equal(sub(2, 1), 1)', 'expect(sub(2, 1)).toBe(1)'),
  },
  validate: 'node_modules/.bin/vitest run',
  truth: nodeTruth,
};

export const brokenPy = 'def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a + b\n';
export const rightPy = 'def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n';
const pythonTruth = 'test "$(python3 -c \'import calc; print(calc.sub(7, 3))\')" = 4';

export const unittest: Bench = {
  runner: 'unittest',
  needs: ['python3'],
  files: {
    'calc.py': brokenPy,
    'tests/__init__.py': '',
    'tests/test_calc.py': `import unittest

import calc


class CalcTest(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(calc.add(2, 1), 3)

    def test_subtracts(self):
        self.assertEqual(calc.sub(2, 1), 1)
`,
  },
  validate: 'python3 -m unittest -v',
  truth: pythonTruth,
};

export const pytest: Bench = {
  runner: 'pytest',
  needs: ['pytest'],
  files: {
    'calc.py': brokenPy,
    'tests/test_calc.py':
      'from calc import add, sub\n\n\ndef test_adds():\n    assert add(2, 1) == 3\n\n\ndef test_subtracts():\n    assert sub(2, 1) == 1\n',
  },
  validate: 'python3 -m pytest -q',
  truth: pythonTruth,
};

/** `calc.sh` has the functions, `checks/check.sh` asks them. */
export const shell: Bench = {
  runner: 'sh',
  files: {
    'calc.sh': 'add() { echo $(($1 + $2)); }\nsub() { echo $(($1 + $2)); }\n',
    'checks/check.sh':
      '. ./calc.sh\n. ./checks/lib.sh\nequal "$(add 2 1)" 3\nequal "$(sub 2 1)" 1\necho fine\n',
    'checks/lib.sh':
      'equal() { [ "$1" = "$2" ] || { echo "expected $2, got $1" >&2; exit 1; }; }\n',
  },
  validate: 'sh checks/check.sh',
  truth: 'test "$(sh -c \'. ./calc.sh; sub 7 3\')" = 4',
};

export const make: Bench = {
  ...shell,
  runner: 'make',
  needs: ['make'],
  files: {
    ...shell.files,
    Makefile:
      'CHECKS = checks/check.sh\n\ntest:\n\tfor each in $(CHECKS); do sh $$each || exit 1; done\n',
  },
  validate: 'make test',
};

export const go: Bench = {
  runner: 'go test',
  needs: ['go'],
  files: {
    'go.mod': 'module example.org/calc\n\ngo 1.19\n',
    'calc.go':
      'package calc\n\nfunc Add(a, b int) int { return a + b }\n\nfunc Sub(a, b int) int { return a + b }\n',
    'calc_test.go':
      'package calc\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 1) != 3 {\n\t\tt.Fatal("add")\n\t}\n}\n\nfunc TestSub(t *testing.T) {\n\tif Sub(2, 1) != 1 {\n\t\tt.Fatal("sub")\n\t}\n}\n',
  },
  validate: 'go test ./...',
  truth: 'grep -q "a - b" calc.go',
};

export const cargo: Bench = {
  runner: 'cargo',
  needs: ['cargo'],
  files: {
    'Cargo.toml': '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n',
    'Cargo.lock': 'version = 3\n\n[[package]]\nname = "calc"\nversion = "0.1.0"\n',
    'src/lib.rs':
      'pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\npub fn sub(a: i32, b: i32) -> i32 {\n    a + b\n}\n',
    'tests/calc.rs':
      'use calc::*;\n\n#[test]\nfn adds() {\n    assert_eq!(add(2, 1), 3);\n}\n\n#[test]\nfn subtracts() {\n    assert_eq!(sub(2, 1), 1);\n}\n',
  },
  validate: 'cargo test --offline',
  truth: 'grep -q "a - b" src/lib.rs',
};

export const ctest: Bench = {
  runner: 'ctest',
  needs: ['cmake', 'cc'],
  files: {
    'CMakeLists.txt':
      'cmake_minimum_required(VERSION 3.10)\nproject(calc C)\nenable_testing()\nadd_executable(calc_test tests/calc_test.c calc.c)\nadd_test(NAME calc COMMAND calc_test)\n',
    'calc.c': 'int sub(int a, int b) { return a + b; }\n',
    'tests/calc_test.c': 'int sub(int, int);\nint main(void) { return sub(2, 1) == 1 ? 0 : 1; }\n',
  },
  validate:
    'cmake -S . -B build >/dev/null && cmake --build build >/dev/null && ctest --test-dir build',
  truth: 'grep -q "a - b" calc.c',
};

export const prove: Bench = {
  runner: 'prove',
  needs: ['prove'],
  files: {
    'lib/Calc.pm': 'package Calc;\nsub add { $_[0] + $_[1] }\nsub minus { $_[0] + $_[1] }\n1;\n',
    't/calc.t':
      'use Test::More tests => 2;\nuse Calc;\nis(Calc::add(2, 1), 3, "adds");\nis(Calc::minus(2, 1), 1, "subtracts");\n',
  },
  validate: 'prove -l -v t',
  truth: 'test "$(perl -Ilib -MCalc -e \'print Calc::minus(7, 3)\')" = 4',
};

export const bats: Bench = {
  runner: 'bats',
  needs: ['bats'],
  files: {
    'calc.sh': shell.files['calc.sh'] ?? '',
    'test/calc.bats':
      'setup() { . "$BATS_TEST_DIRNAME/../calc.sh"; }\n\n@test "adds" {\n  [ "$(add 2 1)" = 3 ]\n}\n\n@test "subtracts" {\n  [ "$(sub 2 1)" = 1 ]\n}\n',
  },
  validate: 'bats test',
  truth: shell.truth,
};

const strictTs =
  '{"compilerOptions":{"strict":true,"noEmit":true,"skipLibCheck":false,"types":[]},"include":["src","types"]}\n';
const looseTs = `export function lengthOf(text: string | null): number {
  return text.length;
}
`;

/** The type checker is the only check: a possible null is not looked at. */
export const tsc: Bench = {
  runner: 'tsc',
  packages: ['typescript'],
  config: 'workspace: { link: [node_modules] }\n',
  files: {
    'package.json': '{"type":"module"}\n',
    'tsconfig.json': strictTs,
    'src/length.ts': looseTs,
    'src/main.ts':
      "import { lengthOf } from './length.js';\n\nexport const five: number = lengthOf('hello');\n",
  },
  validate: 'node_modules/.bin/tsc -p .',
  truth: 'grep -qE "text(\\?|\\ (===|!==|==|!=))" src/length.ts',
};

/** The linter is the only check. */
export const oxlint: Bench = {
  runner: 'oxlint',
  packages: ['oxlint'],
  config: 'workspace: { link: [node_modules] }\n',
  files: {
    'package.json': '{"type":"module"}\n',
    '.oxlintrc.json': '{"rules":{"no-debugger":"error","no-unused-vars":"error"}}\n',
    'src/app.js': 'export function start() {\n  debugger;\n  return 1;\n}\n',
  },
  validate: 'node_modules/.bin/oxlint src',
  truth: '! grep -q debugger src/app.js',
};

export const minitest: Bench = {
  runner: 'minitest',
  needs: ['minitest'],
  files: {
    'lib/calc.rb':
      'module Calc\n  def self.add(a, b) = a + b\n\n  def self.sub(a, b) = a + b\nend\n',
    'test/test_calc.rb': `require 'minitest/autorun'
require 'json'
require 'calc'

class TestCalc < Minitest::Test
  def test_adds
    assert_equal 3, Calc.add(2, 1)
  end

  def test_subtracts
    assert_equal 1, Calc.sub(2, 1)
  end
end
`,
  },
  validate: 'ruby -Ilib -Itest test/test_calc.rb',
  truth: 'test "$(ruby -Ilib -rcalc -e \'puts Calc.sub(7, 3)\')" = 4',
};

export const rspec: Bench = {
  ...minitest,
  runner: 'rspec',
  needs: ['rspec'],
  files: {
    'lib/calc.rb': minitest.files['lib/calc.rb'] ?? '',
    'spec/calc_spec.rb': `require 'calc'

RSpec.describe Calc do
  it('adds') { expect(Calc.add(2, 1)).to eq 3 }
  it('subtracts') { expect(Calc.sub(2, 1)).to eq 1 }
end
`,
  },
  validate: 'rspec',
};

export const phpunit: Bench = {
  runner: 'phpunit',
  needs: ['phpunit'],
  files: {
    'phpunit.xml':
      '<phpunit bootstrap="boot.php"><testsuites><testsuite name="all"><directory>tests</directory></testsuite></testsuites></phpunit>\n',
    'boot.php': "<?php\nrequire __DIR__ . '/src/calc.php';\n",
    'src/calc.php':
      '<?php\nfunction add($a, $b) { return $a + $b; }\nfunction sub($a, $b) { return $a + $b; }\n',
    'tests/CalcTest.php': `<?php
use PHPUnit\\Framework\\TestCase;

final class CalcTest extends TestCase
{
    public function testAdds(): void { $this->assertSame(3, add(2, 1)); }
    public function testSubtracts(): void { $this->assertSame(1, sub(2, 1)); }
}
`,
  },
  validate: 'phpunit --do-not-cache-result',
  truth: 'test "$(php -r \'require "src/calc.php"; echo sub(7, 3);\')" = 4',
};

/** A program of tests in C that asserts, built by make. */
export const cMake: Bench = {
  runner: 'make, C',
  needs: ['make', 'cc'],
  files: {
    Makefile:
      'CFLAGS = -Iinclude\n\ntest:\n\tmkdir -p build\n\tcc $(CFLAGS) -o build/calc_test tests/calc_test.c src/calc.c\n\t./build/calc_test\n',
    'include/calc.h': 'int sub(int a, int b);\n',
    'src/calc.c': '#include "calc.h"\nint sub(int a, int b) { return a + b; }\n',
    'tests/calc_test.c':
      '#include <assert.h>\n#include "calc.h"\nint main(void) { assert(sub(2, 1) == 1); return 0; }\n',
  },
  validate: 'make test',
  truth: 'grep -q "a - b" src/calc.c',
};
