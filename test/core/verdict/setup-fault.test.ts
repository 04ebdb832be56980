import { describe, expect, it } from 'vitest';
import { judgeCheck } from '../../../src/core/verdict/check.ts';
import { declaredIn, findSetupFault, setupFault } from '../../../src/core/verdict/setup-fault.ts';

type Run = readonly [what: string, command: string, code: number, output: string];

const packageJson = JSON.stringify({
  name: 'calc',
  description: 'uses left-pad',
  dependencies: { 'is-odd': '1' },
  devDependencies: { vitest: '3', '@scope/tool': '1' },
});
const pyproject =
  '[project]\nname = "calc"\ndescription = "numbers with pandas"\ndependencies = ["numpy>=1", "typing_extensions"]\n\n[tool.setuptools]\npackages = ["calc"]\n';

/** As programs printed it; the first line that counts is enough. */
const faults: readonly Run[] = [
  ['a program', 'vitest run', 127, 'sh: 1: vitest: not found\n'],
  ['a file that is not executable', './check.sh', 126, 'sh: 1: ./check.sh: Permission denied\n'],
  ['a script of npm', 'npm test', 1, 'npm error Missing script: "test"\nnpm error\n'],
  [
    'package.json',
    'npm test',
    254,
    "npm error code ENOENT\nnpm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/x/package.json'\n",
  ],
  [
    'a package that npx would install',
    'npx --no-install tsc',
    1,
    'npm error npx canceled due to missing packages and no YES option: ["tsc@2.0.4"]\n',
  ],
  ['a rule of make', 'make test', 2, "make: *** No rule to make target 'test'.  Stop.\n"],
  ['a makefile', 'make', 2, 'make: *** No targets specified and no makefile found.  Stop.\n'],
  [
    'a program in a rule of make',
    'make test',
    2,
    'lcov x\nmake: lcov: No such file or directory\nmake: *** [Makefile:2: test] Error 127\n',
  ],
  ['a program in a script', 'sh check.sh', 1, 'building\ncheck.sh: 1: shellcheck: not found\n'],
  [
    'a program in a script of bash',
    'bash check.sh',
    1,
    'check.sh: line 3: shellcheck: command not found\n',
  ],
  ['a runner of Python', 'python3 -m pytest -q', 1, '/usr/bin/python3: No module named pytest\n'],
  [
    'a declared package of Python',
    'python3 -m unittest',
    1,
    "ImportError: Failed to import test module: test_a\nModuleNotFoundError: No module named 'numpy'\n",
  ],
  [
    'a declared package of Python, with another sign',
    'python3 check.py',
    1,
    "ModuleNotFoundError: No module named 'typing_extensions'\n",
  ],
  [
    'a declared package of node',
    'node --test',
    1,
    "# Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'is-odd' imported from /x/src/a.js\n",
  ],
  [
    'a part of a declared package of node',
    'node check.js',
    1,
    "Error: Cannot find module '@scope/tool/register'\nRequire stack:\n",
  ],
  ['the file of the check', 'node check.js', 1, "Error: Cannot find module '/x/check.js'\n"],
  [
    'the file of the check in Python',
    'python3 tools/check.py',
    2,
    "python3: can't open file '/x/tools/check.py': [Errno 2] No such file or directory\n",
  ],
  [
    'the file of the check in Ruby',
    'ruby -Ilib test/x_test.rb',
    1,
    'ruby: No such file or directory -- test/x_test.rb (LoadError)\n',
  ],
  [
    'the folder of phpunit',
    'phpunit tests',
    1,
    'PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\nCannot open file "tests".\n',
  ],
  ['the folder of bats', 'bats test/', 1, 'Error: Test file "/x/test" does not exist\n'],
  [
    'the folder of pytest',
    'pytest tests',
    4,
    'collected 0 items\n\n=== no tests ran in 0.85s ===\nERROR: file or directory not found: tests\n',
  ],
  ['a script of sh', 'sh checks/x.sh', 2, 'sh: 0: cannot open checks/x.sh: No such file\n'],
  [
    'Cargo.toml',
    'cargo test',
    101,
    'error: could not find `Cargo.toml` in `/x` or any parent directory\n',
  ],
  ['a crate', 'cargo test --offline', 101, 'error: no matching package named `serde` found\n'],
  [
    'go.mod',
    'go test ./...',
    1,
    'pattern ./...: directory prefix . does not contain main module or its selected dependencies\n',
  ],
  [
    'go.mod, as it is said elsewhere',
    'go test',
    1,
    "go: go.mod file not found in current directory or any parent directory; see 'go help modules'\n",
  ],
];

/** The check ran: what it asks for is not written yet, or wrong. */
const red: readonly Run[] = [
  [
    'a program whose output is compared, still to be written',
    'test "$(sh greet.sh)" = hello',
    1,
    'sh: 0: cannot open greet.sh: No such file\n',
  ],
  [
    'a file that is counted, still to be written',
    'echo "lines: $(wc -l < n.txt)"; exit 1',
    1,
    'sh: 1: cannot open n.txt: No such file\n',
  ],
  [
    'a program among the sources, still to be written',
    'node src/cli.js --version | grep -q 1',
    1,
    "Error: Cannot find module '/x/src/cli.js'\n    at node:internal/modules\n",
  ],
  [
    'an entry of the product, still to be written',
    'python3 main.py --selftest',
    2,
    "python3: can't open file '/x/main.py': [Errno 2] No such file or directory\n",
  ],
  [
    'a file, where another command stands in for a script that is not there',
    'sh new.sh || grep -q world greeting.txt',
    2,
    'sh: 0: cannot open new.sh: No such file\ngrep: greeting.txt: No such file or directory\n',
  ],
  [
    'the module of the feature',
    'python3 -m unittest',
    1,
    "ModuleNotFoundError: No module named 'myfeature'\n",
  ],
  [
    'the module that the project is named after',
    'python3 -m pytest -q',
    2,
    "E   ModuleNotFoundError: No module named 'calc'\n",
  ],
  [
    'a part of the project',
    'python3 -m pytest -q',
    2,
    "E   ModuleNotFoundError: No module named 'calc.mul'\n",
  ],
  [
    'a module that code on the command line asks for',
    'python3 -c "import myfeature; myfeature.run()"',
    1,
    "ModuleNotFoundError: No module named 'myfeature'\n",
  ],
  [
    'a file of the project',
    'node --test',
    1,
    "# Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/x/src/mul.js' imported from /x/test/mul.test.js\n",
  ],
  [
    'a file named like the one that is run',
    'node cli.js',
    1,
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/x/lib/cli.js' imported from /x/cli.js\n",
  ],
  [
    'a relative file of the project',
    'node check.js',
    1,
    "Error: Cannot find module './src/mul'\nRequire stack:\n- /x/check.js\n",
  ],
  [
    'a package that is only talked about',
    'node check.js',
    1,
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-pad' imported from /x/check.js\n",
  ],
  [
    'a module for the type checker',
    'tsc -p .',
    2,
    "src/a.ts(1,20): error TS2307: Cannot find module './mul.js' or its corresponding type declarations.\n",
  ],
  [
    'a file of Ruby',
    'ruby -Ilib test/x_test.rb',
    1,
    "kernel_require.rb:85:in `require': cannot load such file -- calc/mul (LoadError)\n",
  ],
  [
    'what a rule of make needs',
    'make test',
    2,
    "make: *** No rule to make target 'minus.c', needed by 'build/test'.  Stop.\n",
  ],
  [
    'code that does not compile',
    'go test ./...',
    2,
    '# a [a.test]\n./a_test.go:3:28: undefined: B\nFAIL\ta [build failed]\nFAIL\n',
  ],
  [
    'code of Rust that does not compile',
    'cargo test',
    101,
    'error[E0425]: cannot find function `mul` in this scope\nerror: could not compile `calc` (test "calc") due to 1 previous error\n',
  ],
  [
    'a program that was missed, and another reason',
    'sh check.sh',
    1,
    'check.sh: 1: tput: not found\nexpected 1, got 3\n',
  ],
  ['a program of the product', 'sh check.sh', 1, 'check.sh: 1: ./bin/calc: not found\n'],
  ['an assertion', 'node check.js', 1, 'AssertionError [ERR_ASSERTION]: 3 == 1\n'],
];

const faultOf = ([, command, code, stdout]: Run) => {
  const check = judgeCheck({
    name: 'validation',
    command,
    successExitCode: 0,
    end: { kind: 'exited', code },
    stdout,
    stderr: '',
    durationMs: 1,
    parseTests: true,
    evidence: null,
  });
  return setupFault(check, declaredIn([packageJson, pyproject]));
};

describe('a check that could not run', () => {
  it.each(faults)('lacks %s', (...run) => {
    expect(faultOf(run)).not.toBeNull();
  });

  it('says what is not there', () => {
    const said = faults.map((run) => faultOf(run) ?? '');
    expect(said).toContain('a program was not found: sh: 1: vitest: not found');
    expect(said).toContain('pytest is not there');
    expect(said).toContain("make: *** No rule to make target 'test'.  Stop.");
  });
});

describe('a check that ran and failed', () => {
  it.each(red)('asks for %s', (...run) => {
    expect(faultOf(run)).toBeNull();
  });
});

describe('what is missing', () => {
  it.each<[string, number, string, unknown]>([
    ['vitest run', 127, 'sh: 1: vitest: not found\n', { kind: 'program', name: 'vitest' }],
    ['x', 127, 'bash: line 1: x: command not found\n', { kind: 'program', name: 'x' }],
    ['./c.sh', 127, '/bin/sh: 1: ./c.sh: not found\n', { kind: 'program', name: './c.sh' }],
    ['a', 127, "env: 'node': No such file or directory\n", { kind: 'program', name: 'node' }],
    ['make test', 2, 'make: lcov: No such file or directory\n', { kind: 'program', name: 'lcov' }],
    ['npm test', 1, 'npm error Missing script: "test"\n', { kind: 'file', name: 'package.json' }],
    ['node t.js', 1, "Error: Cannot find module 'vitest'\n", { kind: 'module', name: 'vitest' }],
    ['make', 2, 'make: *** No targets.  no makefile found.\n', { kind: 'file', name: 'Makefile' }],
    ['x', 127, '', null],
    ['./c', 126, 'sh: 1: ./c: Permission denied\n', null],
  ])('is named for %s (%i): %s', (command, code, stdout, missing) => {
    const end = { kind: 'exited', code } as const;
    const plain = { name: 'validation', successExitCode: 0, durationMs: 1, parseTests: true };
    const check = judgeCheck({ ...plain, command, end, stdout, stderr: '', evidence: 'x' });
    expect(findSetupFault(check, declaredIn([packageJson]))?.missing).toEqual(missing);
  });
});
