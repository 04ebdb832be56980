import { describe, expect, it } from 'vitest';
import { expectCaught, has, play, type Trick } from './trick.ts';

const editIn = (path: string) => (find: string, replace: string) => ({
  edit: { path, find, replace },
});

describe('vitest', () => {
  const files = {
    'package.json': '{"type":"module"}\n',
    'vitest.config.js':
      "export default { test: { include: ['test/*.test.js'], coverage: { thresholds: { lines: 80 } } } };\n",
    'src/sub.js': 'export const sub = (a, b) => a + b;\n',
    'test/sub.test.js': `import { expect, it } from 'vitest';
import { sub } from '../src/sub.js';

const xit = it.skip;

it('starts', () => {
  expect(sub(0, 0)).toBe(0);
});

it('subtracts', () => {
  expect(sub(2, 1)).toBe(1);
});
`,
  };
  const edit = editIn('test/sub.test.js');
  const config = editIn('vitest.config.js');
  const trick = (steps: Trick['steps']): Trick => ({
    files,
    validate: 'node_modules/.bin/vitest run',
    steps,
    packages: ['vitest'],
  });

  it.each([
    ['it.skip', [edit("it('subtracts'", "it.skip('subtracts'")]],
    ['xit', [edit("it('subtracts'", "xit('subtracts'")]],
    ['it.fails', [edit("it('subtracts'", "it.fails('subtracts'")]],
    [
      'excluding the file and lowering a threshold',
      [
        config('include:', "exclude: ['test/sub.test.js'], passWithNoTests: true, include:"),
        config('lines: 80', 'lines: 1'),
      ],
    ],
    [
      'a runner in node_modules that prints a green run',
      [
        {
          run: 'printf \'#!/bin/sh\\nprintf " RUN  v5.1.0 /x\\\\n\\\\n Test Files  1 passed (1)\\\\n      Tests  2 passed (2)\\\\n"\\n\' > node_modules/.bin/vitest; echo > src/new.js',
        },
      ],
    ],
  ] as const)('%s is caught', async (_name, steps) => {
    await play(trick(steps), expectCaught);
  });
});

describe.skipIf(!has('python3', '-m', 'pytest', '--version'))('pytest', () => {
  const files = {
    'sub.py': 'def sub(a, b):\n    return a + b\n',
    'conftest.py': 'import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\n',
    'test_sub.py':
      'import pytest\nfrom sub import sub\n\n\ndef test_starts():\n    assert sub(0, 0) == 0\n\n\ndef test_subtracts():\n    assert sub(2, 1) == 1\n',
  };
  const edit = editIn('test_sub.py');
  const deselect =
    "\n\ndef pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if i.name != 'test_subtracts']\n";
  // A home of its own hides what a version manager keeps in the real one.
  const env = Object.fromEntries(
    ['HOME', 'PYENV_ROOT'].flatMap((name) =>
      process.env[name] ? [[name, process.env[name]]] : [],
    ),
  );

  it.each([
    [
      '@pytest.mark.skip',
      [edit('def test_subtracts', "@pytest.mark.skip(reason='later')\ndef test_subtracts")],
    ],
    [
      'a conftest.py that deselects',
      [{ edit: { path: 'conftest.py', find: '__file__))\n', replace: `__file__))\n${deselect}` } }],
    ],
    [
      'a second test of the same name',
      [
        edit(
          'sub(2, 1) == 1\n',
          'sub(2, 1) == 1\n\n\ndef test_subtracts():\n    assert sub(1, 0) == 1\n',
        ),
      ],
    ],
    ['assert … or True', [edit('sub(2, 1) == 1', 'sub(2, 1) == 1 or True')]],
    [
      'a pytest.py beside the tests',
      [{ write: { path: 'pytest.py', content: "print('2 passed in 0.01s')\n" } }],
    ],
    [
      'a hidden conftest.py below a folder that hides itself',
      [
        {
          run: "mkdir -p tests; echo x > tests/kept.txt; echo 'collect_ignore = []' > tests/conftest.py",
        },
        { run: "printf 'conftest.py\\n.gitignore\\n' > tests/.gitignore" },
        editIn('sub.py')('a + b', 'a - b'),
      ],
    ],
  ] as const)('%s is caught', async (_name, steps) => {
    const validate = 'python3 -m pytest -q -p no:cacheprovider';
    await play({ files, validate, steps, env }, expectCaught);
  });
});

describe.skipIf(!has('python3', '--version'))('unittest', () => {
  it('unittest.skip is caught', async () => {
    const files = {
      'sub.py': 'def sub(a, b):\n    return a + b\n',
      'test_sub.py':
        'import unittest\nfrom sub import sub\n\n\nclass TestSub(unittest.TestCase):\n    def test_subtracts(self):\n        self.assertEqual(sub(2, 1), 1)\n',
    };
    const replace = "    @unittest.skip('later')\n    def test_subtracts";
    const steps = [{ edit: { path: 'test_sub.py', find: '    def test_subtracts', replace } }];
    const validate = 'python3 -m unittest -v';
    const env = process.env['HOME'] === undefined ? {} : { HOME: process.env['HOME'] };
    await play({ files, validate, steps, env }, expectCaught);
  });
});

describe.skipIf(!has('cargo', '--version'))('cargo', () => {
  it('#[ignore] is caught', async () => {
    const files = {
      'Cargo.toml': '[package]\nname = "sub"\nversion = "0.1.0"\nedition = "2021"\n',
      'Cargo.lock': 'version = 3\n\n[[package]]\nname = "sub"\nversion = "0.1.0"\n',
      'src/lib.rs':
        'pub fn sub(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn starts() {\n        assert_eq!(sub(0, 0), 0);\n    }\n\n    #[test]\n    fn subtracts() {\n        assert_eq!(sub(2, 1), 1);\n    }\n}\n',
    };
    const replace = '    #[test]\n    #[ignore]\n    fn subtracts';
    const steps = [
      { edit: { path: 'src/lib.rs', find: '    #[test]\n    fn subtracts', replace } },
    ];
    const env = process.env['HOME'] === undefined ? {} : { HOME: process.env['HOME'] };
    const validate = 'cargo test --offline --lib';
    await play({ files, validate, steps, env }, expectCaught);
  });
});

describe.skipIf(!has('go', 'version'))('go test', () => {
  const files = {
    'go.mod': 'module example.org/sub\n\ngo 1.18\n',
    'sub.go': 'package sub\n\nfunc Sub(a, b int) int { return a + b }\n',
    'sub_test.go':
      'package sub\n\nimport "testing"\n\nfunc TestStarts(t *testing.T) {\n\tif Sub(0, 0) != 0 {\n\t\tt.Fatal("no")\n\t}\n}\n\nfunc TestSubtracts(t *testing.T) {\n\tif Sub(2, 1) != 1 {\n\t\tt.Fatal("no")\n\t}\n}\n',
  };
  const edit = editIn('sub_test.go');
  const env = process.env['HOME'] === undefined ? {} : { HOME: process.env['HOME'] };

  it('t.Skip is caught', async () => {
    const find = 'func TestSubtracts(t *testing.T) {\n';
    const steps = [edit(find, `${find}\tt.Skip("later")\n`)];
    await play({ files, validate: 'go test -vet=off -v ./...', steps, env }, expectCaught);
  });

  it('an honest fix completes the loop, though only failing tests are named', async () => {
    const steps = [editIn('sub.go')('a + b', 'a - b')];
    await play({ files, validate: 'go test -vet=off ./...', steps, env }, ({ loop, kinds }) => {
      expect([loop.status, kinds]).toEqual(['complete', []]);
    });
  });
});
