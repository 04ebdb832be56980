import { shell, unittest, type Bench } from './projects.ts';

export const bash: Bench = {
  ...shell,
  needs: ['bash'],
  runner: 'bash',
  validate: 'bash checks/check.sh',
};

export const differing: Bench = {
  ...shell,
  needs: ['bash'],
  runner: 'bash, diff',
  files: {
    'src/calc.sh': shell.files['calc.sh'] ?? '',
    'checks/want.txt': '3\n1\n',
    'checks/check.sh':
      'set -e\n. ./src/calc.sh\ngot=$(mktemp)\n{ add 2 1; sub 2 1; } > "$got"\ndiff -u checks/want.txt "$got"\necho fine\n',
  },
  validate: 'bash checks/check.sh',
  truth: 'test "$(sh -c \'. ./src/calc.sh; sub 7 3\')" = 4',
};

const ruby = 'def add(a, b) = a + b\ndef sub(a, b) = a + b\n';
export const minitest: Bench = {
  runner: 'minitest',
  needs: ['minitest'],
  files: {
    'lib/calc.rb': ruby,
    'test/calc_test.rb':
      "require 'minitest/autorun'\nrequire_relative '../lib/calc'\n\nclass CalcTest < Minitest::Test\n  def test_adds\n    assert_equal 3, add(2, 1)\n  end\n\n  def test_subtracts\n    assert_equal 1, sub(2, 1)\n  end\nend\n",
  },
  validate: 'ruby test/calc_test.rb',
  truth: 'test "$(ruby -r./lib/calc.rb -e \'puts sub(7, 3)\')" = 4',
};

export const rspec: Bench = {
  ...minitest,
  runner: 'rspec',
  needs: ['rspec'],
  files: {
    'lib/calc.rb': ruby,
    'spec/calc_spec.rb':
      "require_relative '../lib/calc'\n\nRSpec.describe 'calc' do\n  it 'adds' do\n    expect(add(2, 1)).to eq(3)\n  end\n\n  it 'subtracts' do\n    expect(sub(2, 1)).to eq(1)\n  end\nend\n",
  },
  validate: 'rspec',
};

export const phpunit: Bench = {
  runner: 'phpunit',
  needs: ['phpunit'],
  files: {
    'src/calc.php':
      '<?php\n\nfunction add($a, $b)\n{\n    return $a + $b;\n}\n\nfunction sub($a, $b)\n{\n    return $a + $b;\n}\n',
    'tests/CalcTest.php':
      "<?php\n\nuse PHPUnit\\Framework\\TestCase;\n\nrequire_once __DIR__ . '/../src/calc.php';\n\nfinal class CalcTest extends TestCase\n{\n    public function testAdds(): void\n    {\n        $this->assertSame(3, add(2, 1));\n    }\n\n    public function testSubtracts(): void\n    {\n        $this->assertSame(1, sub(2, 1));\n    }\n}\n",
  },
  validate: 'phpunit tests',
  truth: 'grep -q "a - .b" src/calc.php',
};

/** A program of assertions, built and run by the check. */
export const cc: Bench = {
  runner: 'cc',
  needs: ['cc'],
  files: {
    'calc.h': 'int add(int a, int b);\nint sub(int a, int b);\n',
    'calc.c':
      '#include "calc.h"\nint add(int a, int b) { return a + b; }\nint sub(int a, int b) { return a + b; }\n',
    'tests/calc_test.c':
      '#include <assert.h>\n#include "../calc.h"\n\nint main(void) {\n  assert(add(2, 1) == 3);\n  assert(sub(2, 1) == 1);\n  return 0;\n}\n',
  },
  validate: 'cc -o test.o tests/calc_test.c calc.c && ./test.o',
  truth: 'grep -q "a - b" calc.c',
};

export const pythonScript: Bench = {
  ...unittest,
  runner: 'python script',
  files: {
    'calc.py': unittest.files['calc.py'] ?? '',
    'tests/check.py':
      'import os, sys\n\nsys.path.insert(0, os.getcwd())\nimport calc\n\nassert calc.add(2, 1) == 3\nassert calc.sub(2, 1) == 1\nprint("fine")\n',
  },
  validate: 'python3 tests/check.py',
};
