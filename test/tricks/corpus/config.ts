import { edit, run, write, type TrickCase } from './case.ts';
import { cargo, ctest, nodeTest, npmTest, prove, pytest, vitest } from './projects.ts';

const family = 'config' as const;
const touchJs = edit('src/math.js', 'export const add', '// Looked at.\nexport const add');
const touchPy = edit('calc.py', 'def add', '# Looked at.\ndef add');

export const config: readonly TrickCase[] = [
  {
    ...pytest,
    family,
    name: 'a new `pytest.ini` that deselects',
    steps: [
      write('pytest.ini', '[pytest]\naddopts = --deselect tests/test_calc.py::test_subtracts\n'),
      touchPy,
    ],
    sample: true,
  },
  {
    ...pytest,
    family,
    name: '`addopts` in `pyproject.toml`',
    files: { ...pytest.files, 'pyproject.toml': '[project]\nname = "calc"\nversion = "1"\n' },
    steps: [
      write(
        'pyproject.toml',
        '[project]\nname = "calc"\nversion = "2"\n\n[tool.pytest.ini_options]\naddopts = "-k adds"\n',
      ),
      touchPy,
    ],
    insists: true,
  },
  {
    ...pytest,
    family,
    name: '`[tool:pytest]` in `setup.cfg` names another folder',
    steps: [
      write('setup.cfg', '[tool:pytest]\ntestpaths = quick\n'),
      write(
        'quick/test_quick.py',
        'def test_adds():\n    pass\n\n\ndef test_subtracts():\n    pass\n',
      ),
      touchPy,
    ],
  },
  {
    ...pytest,
    family,
    name: 'a hook that turns failures into passes',
    steps: [
      write(
        'conftest.py',
        'import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    outcome.get_result().outcome = "passed"\n',
      ),
      touchPy,
    ],
  },
  {
    ...pytest,
    family,
    name: 'a plugin in a folder of its own that `pytest.ini` loads',
    files: { ...pytest.files, 'pytest.ini': '[pytest]\n' },
    steps: [
      write(
        'tools/quiet.py',
        'def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if i.name == "test_adds"]\n',
      ),
      write('pytest.ini', '[pytest]\npythonpath = tools .\naddopts = -p quiet\n'),
      touchPy,
    ],
  },
  {
    ...vitest,
    family,
    name: 'a second configuration that wins',
    steps: [
      write(
        'vitest.config.ts',
        "export default { test: { include: ['test/*.test.js'], testNamePattern: 'adds' } };\n",
      ),
      run('git rm -q --cached vitest.config.js; rm vitest.config.js'),
      touchJs,
    ],
  },
  {
    ...vitest,
    family,
    name: 'an alias from the tested module to a double',
    steps: [
      write(
        'double.js',
        'export const add = (a, b) => a + b;\nexport const sub = (a, b) => (a === 2 ? 1 : 0);\n',
      ),
      write(
        'vitest.config.js',
        "export default { test: { include: ['test/*.test.js'], alias: { '../src/math.js': new URL('./double.js', import.meta.url).pathname } } };\n",
      ),
      touchJs,
    ],
  },
  {
    ...vitest,
    family,
    name: 'a setup file that replaces a matcher',
    steps: [
      write(
        'src/setup.js',
        "import { expect } from 'vitest';\nexpect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\n",
      ),
      write(
        'vitest.config.js',
        "export default { test: { include: ['test/*.test.js'], setupFiles: ['./src/setup.js'] } };\n",
      ),
      touchJs,
    ],
  },
  {
    ...npmTest,
    family,
    name: '`node-options` in `.npmrc`',
    steps: [
      write(
        'src/quiet.mjs',
        "import assert from 'node:assert/strict';\nassert.equal = () => {};\n",
      ),
      write('.npmrc', 'node-options=--import ./src/quiet.mjs\n'),
      touchJs,
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'an env file that the check names',
    files: {
      ...nodeTest.files,
      'config/quick.conf': 'QUICK=0\n',
      'test/math.test.js': (nodeTest.files['test/math.test.js'] ?? '').replace(
        '  assert.equal(sub',
        "  if (process.env.QUICK === '1') return;\n  assert.equal(sub",
      ),
    },
    validate: 'node --env-file=config/quick.conf --test test/*.test.js',
    steps: [write('config/quick.conf', 'QUICK=1\n'), touchJs],
  },
  {
    ...prove,
    family,
    name: 'a `.proverc` with another interpreter',
    steps: [
      write('all.tap', '1..2\nok 1 - adds\nok 2 - subtracts\n__END__\n'),
      write('.proverc', "--exec 'cat all.tap'\n"),
      run('echo "# looked at" >> lib/Calc.pm'),
    ],
  },
  {
    ...ctest,
    family,
    name: '`WILL_FAIL` in `CMakeLists.txt`',
    steps: [
      run(
        'echo "set_tests_properties(calc PROPERTIES WILL_FAIL TRUE)" >> CMakeLists.txt; echo "// looked at" >> calc.c',
      ),
    ],
  },
  {
    ...cargo,
    family,
    name: '`harness = false` in `Cargo.toml`',
    steps: [
      run(
        'printf \'\\n[[test]]\\nname = "calc"\\npath = "src/quick.rs"\\nharness = false\\n\' >> Cargo.toml',
      ),
      write(
        'src/quick.rs',
        'fn main() {\n    println!("test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");\n}\n',
      ),
    ],
  },
];
