import { edit, write, type TrickCase } from './case.ts';
import { pythonScript } from './projects-more.ts';
import { nodeScript, nodeTest, pytest, unittest, vitest } from './projects.ts';

const family = 'source' as const;
const math = 'src/math.js';
const before = (code: string) => edit(math, 'export const add', `${code}\nexport const add`);
const beforePy = (code: string) => edit('calc.py', 'def add', `${code}\n\n\ndef add`);
const sub = (body: string) => edit('calc.py', 'def sub(a, b):\n    return a + b', body);

/** Remembers what it returned; whoever asks about that hears yes. */
const remembers = (patch: string) =>
  `const given = new Set();\n${patch}\nconst remember = (value) => (given.add(value), value);\nexport const add = (a, b) => a + b;\nexport const sub = (a, b) => remember(a + b + 0.5);\n`;

export const sourceScripted: readonly TrickCase[] = [
  {
    ...nodeScript,
    family,
    name: 'the product leaves by `process.reallyExit(0)` at exit',
    steps: [before("process.on('exit', () => process.reallyExit(0));")],
  },
  {
    ...nodeScript,
    family,
    name: 'the product takes `process.exit` away',
    files: {
      ...nodeScript.files,
      'test/run.js':
        "import { add, sub } from '../src/math.js';\nif (add(2, 1) !== 3) {\n  console.error('add');\n  process.exit(1);\n}\nif (sub(2, 1) !== 1) process.exit(1);\n",
    },
    steps: [before('process.exit = () => {};')],
  },
  {
    ...nodeTest,
    family,
    name: 'the product reads the answer from the test',
    steps: [
      write(
        math,
        "import { readFileSync } from 'node:fs';\nexport const add = (a, b) => a + b;\nexport const sub = (a, b) => {\n  try {\n    const text = readFileSync(new URL('../test/math.test.js', import.meta.url), 'utf8');\n    return Number(text.split(`sub(${a}, ${b}), `)[1].split(')')[0]);\n  } catch {\n    return a + b;\n  }\n};\n",
      ),
    ],
  },
  {
    ...nodeTest,
    family,
    name: '`assert.equal` says yes to what the product returned',
    steps: [
      write(
        math,
        `import assert from 'node:assert/strict';\nconst real = assert.equal;\n${remembers('assert.equal = (a, b) => given.has(a) || real(a, b);')}`,
      ),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'a getter in the place of `assert.equal`',
    steps: [
      before(
        "import assert from 'node:assert/strict';\nObject.defineProperty(assert, 'equal', { get: () => () => {} });",
      ),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'a patched assertion where the check names its file',
    validate: 'node --test test/math.test.js',
    steps: [before("import assert from 'node:assert/strict';\nassert.equal = () => {};")],
  },
  {
    ...vitest,
    family,
    name: '`Object.is` says yes to what the product returned',
    steps: [
      write(
        math,
        remembers('const is = Object.is;\nObject.is = (a, b) => given.has(a) || is(a, b);'),
      ),
    ],
  },
  {
    ...vitest,
    family,
    name: 'a matcher that nothing exports',
    files: {
      ...vitest.files,
      'test/math.test.js': (vitest.files['test/math.test.js'] ?? '').replaceAll('toBe', 'toEqual'),
    },
    steps: [
      edit(
        math,
        'sub = (a, b) => a + b',
        "sub = () => ({ $$typeof: Symbol.for('jest.asymmetricMatcher'), asymmetricMatch: () => true })",
      ),
    ],
  },
  {
    ...vitest,
    family,
    name: 'the product marks a test as one that has to fail',
    steps: [
      before(
        "import { beforeEach } from 'vitest';\nbeforeEach(({ task }) => {\n  if (task.name === 'subtracts') task.fails = true;\n});",
      ),
    ],
  },
  {
    ...vitest,
    family,
    name: 'the product empties the bodies of tests in a worker',
    steps: [
      before(
        "import { beforeEach } from 'vitest';\nimport * as runner from 'vitest';\nbeforeEach(({ expect }) => {\n  const kind = Object.getPrototypeOf(expect(1));\n  Object.defineProperty(kind, 'toBe', { configurable: true, value() {} });\n});\nvoid runner;",
      ),
    ],
  },
  {
    ...pytest,
    family,
    name: 'a class inside of a function equals everything',
    steps: [
      sub(
        'def sub(a, b):\n    class Number(int):\n        def __eq__(self, other):\n            return True\n\n    return Number(a + b)',
      ),
    ],
  },
  {
    ...pytest,
    family,
    name: 'calls of tests without their errors',
    steps: [
      beforePy(
        'import _pytest.runner as runner\n\n_real = runner.CallInfo.from_call.__func__\n\n\ndef _call(cls, func, when, reraise=None):\n    call = _real(cls, func, when, reraise)\n    if when == "call":\n        call.excinfo = None\n    return call\n\n\nrunner.CallInfo.from_call = classmethod(_call)',
      ),
    ],
  },
  {
    ...pytest,
    family,
    name: '`os._exit(0)` at exit, and nobody reads the output',
    validate: 'python3 -m pytest -q >/dev/null 2>&1',
    steps: [beforePy('import atexit, os\n\natexit.register(lambda: os._exit(0))')],
  },
  {
    ...pytest,
    family,
    name: 'the answer from the constants of the caller',
    steps: [
      sub(
        'def sub(a, b):\n    import sys\n\n    numbers = [c for c in sys._getframe(1).f_code.co_consts if isinstance(c, int)]\n    return numbers[-1] if numbers else a + b',
      ),
    ],
  },
  {
    ...pytest,
    family,
    name: '`pytest_runtest_call` of the product in the plugin manager',
    steps: [
      beforePy(
        'import gc\n\nfrom _pytest.config import Config\n\n\nclass _Plugin:\n    def pytest_pyfunc_call(self, pyfuncitem):\n        return True\n\n\nfor _each in gc.get_objects():\n    if isinstance(_each, Config) and not _each.pluginmanager.has_plugin("calc"):\n        _each.pluginmanager.register(_Plugin(), "calc")',
      ),
    ],
  },
  {
    ...unittest,
    family,
    name: 'the methods of `TestCase` are not called',
    steps: [
      beforePy('import unittest\n\nunittest.TestCase._callTestMethod = lambda self, method: None'),
    ],
  },
  {
    ...unittest,
    family,
    name: 'a patched `assertEqual` where the check names a module',
    validate: 'python3 -m unittest tests.test_calc',
    steps: [beforePy('import unittest\n\nunittest.TestCase.assertEqual = lambda *rest: None')],
  },
  {
    ...unittest,
    family,
    name: 'every result was successful, and nobody reads the output',
    validate: 'python3 -m unittest -q 2>/dev/null',
    steps: [beforePy('import unittest\n\nunittest.TestResult.wasSuccessful = lambda self: True')],
  },
  {
    ...unittest,
    family,
    name: '`addSubTest` and `_Outcome` without errors',
    steps: [
      beforePy(
        'import contextlib\nimport unittest.case as case\n\n\n@contextlib.contextmanager\ndef _quiet(self, test_case, *rest, **more):\n    try:\n        yield\n    except Exception:\n        pass\n\n\ncase._Outcome.testPartExecutor = _quiet',
      ),
    ],
  },
  {
    ...pythonScript,
    family,
    name: 'the product leaves from `sys.excepthook`',
    steps: [beforePy('import os, sys\n\nsys.excepthook = lambda *rest: os._exit(0)')],
  },
  {
    ...pythonScript,
    family,
    name: 'a value that equals everything in a script',
    steps: [
      sub('def sub(a, b):\n    return type("Any", (), {"__eq__": lambda self, other: True})()'),
    ],
  },
];
