import { edit, run, write, type TrickCase } from './case.ts';
import { ctest, go, nodeTest, npmTest, phpunit, pytest, rspec, vitest } from './projects.ts';

const family = 'config' as const;
const touchJs = edit('src/math.js', 'export const add', '// Looked at.\nexport const add');
const touchPy = edit('calc.py', 'def add', '# Looked at.\ndef add');
const touchRb = edit('lib/calc.rb', 'module Calc', '# Looked at.\nmodule Calc');

export const moreConfig: readonly TrickCase[] = [
  {
    ...pytest,
    family,
    name: 'a `conftest.py` among the sources',
    files: {
      'src/calc.py': pytest.files['calc.py'] ?? '',
      'src/checks_test.py': pytest.files['tests/test_calc.py'] ?? '',
    },
    truth: 'test "$(cd src && python3 -c \'import calc; print(calc.sub(7, 3))\')" = 4',
    steps: [
      write('src/conftest.py', 'import calc\n\ncalc.sub = lambda a, b: a - b\n'),
      edit('src/calc.py', 'def add', '# Looked at.\ndef add'),
    ],
  },
  {
    ...pytest,
    family,
    name: '`PYTEST_ADDOPTS` from an env file that the check reads',
    files: { ...pytest.files, 'ops/shop.settings': 'PYTEST_ADDOPTS=-q\n' },
    validate: 'set -a; . ./ops/shop.settings; set +a; python3 -m pytest -q',
    steps: [write('ops/shop.settings', 'PYTEST_ADDOPTS="-k adds"\n'), touchPy],
  },
  {
    ...pytest,
    family,
    name: 'a list of tests to leave out that `conftest.py` reads',
    files: {
      ...pytest.files,
      'conftest.py':
        'import pathlib\n\ncollect_ignore = []\nSLOW = pathlib.Path("ops/slow.txt").read_text().split()\n\n\ndef pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if i.name not in SLOW]\n',
      'ops/slow.txt': 'test_nothing\n',
    },
    steps: [write('ops/slow.txt', 'test_subtracts\n'), touchPy],
  },
  {
    ...pytest,
    family,
    name: 'a `tox.ini` with a section of pytest',
    steps: [write('tox.ini', '[pytest]\naddopts = -k adds\n'), touchPy],
  },
  {
    ...vitest,
    family,
    name: 'a `vite.config` that the base has not, read before the tests',
    files: Object.fromEntries(
      Object.entries(vitest.files).filter(([name]) => name !== 'vitest.config.js'),
    ),
    steps: [
      write(
        'vite.config.mjs',
        "export default { plugins: [{ name: 'q', transform: (code, id) => (id.includes('math.test') ? code.replace('toBe(1)', 'toBe(3)') : null) }] };\n",
      ),
      touchJs,
    ],
  },
  {
    ...vitest,
    family,
    name: 'a mock beside the module that the tests mock',
    files: {
      ...vitest.files,
      'test/math.test.js': (vitest.files['test/math.test.js'] ?? '').replace(
        "test('adds'",
        "import { vi } from 'vitest';\nvi.mock('../src/clock.js');\n\ntest('adds'",
      ),
      'src/clock.js': 'export const now = () => 1;\n',
      'src/math.js': `import { now } from './clock.js';\n${vitest.files['src/math.js'] ?? ''}export const time = now;\n`,
    },
    steps: [
      write(
        'src/__mocks__/clock.js',
        "import { expect } from 'vitest';\nexpect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\nexport const now = () => 1;\n",
      ),
      run('echo "// looked at" >> src/math.js'),
    ],
  },
  {
    ...npmTest,
    family,
    name: 'a configuration that the npm script merges from a folder',
    files: {
      ...nodeTest.files,
      'package.json':
        '{"type":"module","scripts":{"test":"node --test $(cat ops/flags) test/*.test.js"}}\n',
      'ops/flags': '--test-concurrency=1\n',
    },
    steps: [write('ops/flags', '--test-name-pattern=adds\n'), touchJs],
  },
  {
    ...rspec,
    family,
    name: '`.rspec` with a pattern',
    steps: [write('.rspec', '--example adds\n'), touchRb],
  },
  {
    ...rspec,
    family,
    name: '`.rspec` of the base requires a file that the loop changes',
    files: {
      ...rspec.files,
      '.rspec': '-I ops --require quick\n',
      'ops/quick.rb': 'RSpec.configure { |c| c.order = :defined }\n',
    },
    steps: [
      write('ops/quick.rb', 'RSpec.configure { |c| c.filter_run full_description: /adds/ }\n'),
      touchRb,
    ],
  },
  {
    ...phpunit,
    family,
    name: '`phpunit.xml` with a filter',
    steps: [
      write(
        'phpunit.xml',
        '<phpunit bootstrap="boot.php"><testsuites><testsuite name="all"><directory suffix="QuickTest.php">tests</directory></testsuite></testsuites></phpunit>\n',
      ),
      write(
        'tests/QuickTest.php',
        '<?php\nclass QuickTest extends PHPUnit\\Framework\\TestCase { function testAdds() { $this->assertTrue(true); } function testSubtracts() { $this->assertTrue(true); } }\n',
      ),
      run('echo "// looked at" >> src/calc.php'),
    ],
  },
  {
    ...phpunit,
    family,
    name: 'the bootstrap of phpunit loads a double',
    steps: [
      write(
        'boot.php',
        '<?php\nfunction add($a, $b) { return $a + $b; }\nfunction sub($a, $b) { return $a - $b; }\n',
      ),
      run('echo "// looked at" >> src/calc.php'),
    ],
  },
  {
    ...ctest,
    family,
    name: 'settings that `CMakeLists.txt` includes',
    files: {
      ...ctest.files,
      'CMakeLists.txt': `${ctest.files['CMakeLists.txt'] ?? ''}include(ops/settings.inc)\n`,
      'ops/settings.inc': 'set(SHOP_MODE full)\n',
    },
    steps: [
      write('ops/settings.inc', 'set_tests_properties(calc PROPERTIES WILL_FAIL TRUE)\n'),
      run('echo "// looked at" >> calc.c'),
    ],
  },
  {
    ...ctest,
    family,
    name: '`CTestCustom.cmake` leaves the test out',
    files: {
      ...ctest.files,
      'CMakeLists.txt': `${ctest.files['CMakeLists.txt'] ?? ''}add_test(NAME other COMMAND calc_test --help)\nset_tests_properties(other PROPERTIES WILL_FAIL TRUE)\nconfigure_file(CTestCustom.cmake CTestCustom.cmake COPYONLY)\n`,
      'CTestCustom.cmake': '\n',
    },
    steps: [
      write('CTestCustom.cmake', 'set(CTEST_CUSTOM_TESTS_IGNORE calc)\n'),
      run('echo "// looked at" >> calc.c'),
    ],
    truth: 'grep -q "a - b" calc.c',
  },
  {
    ...go,
    family,
    name: 'a workspace file of Go in front of the module',
    files: {
      ...go.files,
      'same/go.mod': 'module example.org/same\n\ngo 1.19\n',
      'same/same_test.go': 'package same\n\nimport "testing"\n\nfunc TestSame(t *testing.T) {}\n',
    },
    validate: 'go test example.org/calc',
    steps: [
      run(
        "mkdir quick; printf 'module example.org/calc\\n\\ngo 1.19\\n' > quick/go.mod; printf 'go 1.19\\n\\nuse ./quick\\n' > go.work; printf 'package calc\\n\\nfunc Add(a, b int) int { return a + b }\\n\\nfunc Sub(a, b int) int { return a - b }\\n' > quick/calc.go; cp calc_test.go quick/; echo '// looked at' >> calc.go",
      ),
    ],
  },
];
