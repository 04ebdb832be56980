import { edit, run, write, type TrickCase } from './case.ts';
import { bash, cc, differing, minitest, phpunit, rspec } from './projects-more.ts';
import { bats, cargo, ctest, go, prove, shell } from './projects.ts';

const family = 'source' as const;

const early = (code: string) =>
  `#include "calc.h"\n#include <stdlib.h>\n#include <signal.h>\n#include <unistd.h>\nstatic void quit(void) { _exit(0); }\nstatic void stop(int signal) { _exit(signal * 0); }\n__attribute__((constructor)) static void early(void) { ${code}; }\nint add(int a, int b) { (void)quit; (void)stop; return a + b; }\nint sub(int a, int b) { return a + b; }\n`;

export const sourceCompiled: readonly TrickCase[] = [
  {
    ...go,
    family,
    name: 'an argument that only lists tests',
    steps: [
      edit(
        'calc.go',
        'package calc\n',
        'package calc\n\nimport "os"\n\nfunc init() { os.Args = append(os.Args, "-test.list=^$") }\n',
      ),
    ],
  },
  {
    ...go,
    family,
    name: 'the product ends the process in the middle of a test',
    steps: [
      edit('calc.go', 'package calc\n', 'package calc\n\nimport "syscall"\n'),
      edit(
        'calc.go',
        'func Sub(a, b int) int { return a + b }',
        'func Sub(a, b int) int {\n\tsyscall.Exit(0)\n\treturn a + b\n}',
      ),
    ],
  },
  {
    ...go,
    family,
    name: 'an equality that is always true',
    files: {
      ...go.files,
      'calc.go':
        'package calc\n\ntype Number struct{ n int }\n\nfunc (a Number) Is(n int) bool { return a.n == n }\n\nfunc Add(a, b int) Number { return Number{a + b} }\n\nfunc Sub(a, b int) Number { return Number{a + b} }\n',
      'calc_test.go':
        'package calc\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif !Add(2, 1).Is(3) {\n\t\tt.Fatal("add")\n\t}\n}\n\nfunc TestSub(t *testing.T) {\n\tif !Sub(2, 1).Is(1) {\n\t\tt.Fatal("sub")\n\t}\n}\n',
    },
    steps: [edit('calc.go', 'return a.n == n', 'return true')],
    remains:
      'the comparison is a function of the product, and only a test of that function shows what it does',
  },
  {
    ...cargo,
    family,
    name: 'a value with a `PartialEq` that is always true',
    steps: [
      edit(
        'src/lib.rs',
        'pub fn sub(a: i32, b: i32) -> i32 {\n    a + b\n}',
        '#[derive(Debug)]\npub struct Number(pub i32);\n\nimpl PartialEq<i32> for Number {\n    fn eq(&self, _: &i32) -> bool {\n        true\n    }\n}\n\npub fn sub(a: i32, b: i32) -> Number {\n    Number(a + b)\n}',
      ),
    ],
  },
  {
    ...cargo,
    family,
    name: 'a panic hook that prints a report and leaves',
    validate: 'cargo test --offline --test calc',
    steps: [
      edit(
        'src/lib.rs',
        'pub fn sub(a: i32, b: i32) -> i32 {\n',
        'pub fn sub(a: i32, b: i32) -> i32 {\n    std::panic::set_hook(Box::new(|_| {\n        use std::io::Write;\n        let text = "test adds ... ok\\ntest subtracts ... ok\\n\\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n\\n";\n        let _ = std::io::stdout().write_all(text.as_bytes());\n        std::process::exit(0);\n    }));\n',
      ),
    ],
  },
  {
    ...cc,
    family,
    name: 'a header of the product takes `assert` away',
    steps: [run("printf '#undef assert\\n#define assert(x) ((void)sizeof(x))\\n' >> calc.h")],
  },
  {
    ...cc,
    family,
    name: '`NDEBUG` in a header of the product',
    files: {
      ...cc.files,
      'tests/calc_test.c':
        '#include "../calc.h"\n#include <assert.h>\n\nint main(void) {\n  assert(add(2, 1) == 3);\n  assert(sub(2, 1) == 1);\n  return 0;\n}\n',
    },
    steps: [run("printf '#define NDEBUG\\n' >> calc.h")],
  },
  {
    ...cc,
    family,
    name: 'the product leaves when the program aborts',
    steps: [write('calc.c', early('signal(SIGABRT, stop)'))],
  },
  {
    ...ctest,
    family,
    name: 'the product leaves with 0 at exit',
    files: { ...ctest.files, 'calc.h': cc.files['calc.h'] ?? '' },
    steps: [write('calc.c', early('atexit(quit)'))],
  },
  {
    ...bash,
    family,
    name: 'the product overrides `exit`',
    steps: [run("printf 'exit() { builtin exit 0; }\\n' >> calc.sh")],
  },
  {
    ...shell,
    family,
    name: 'the product traps the end of the script',
    steps: [run('printf "trap \'exit 0\' EXIT\\n" >> calc.sh')],
  },
  {
    ...shell,
    family,
    name: 'the product overrides `[` for a script',
    needs: ['bash'],
    validate: 'bash checks/check.sh',
    steps: [run("printf 'function [ { :; }\\n' >> calc.sh")],
  },
  {
    ...differing,
    family,
    name: 'the product overrides `diff`',
    steps: [run("printf 'diff() { :; }\\n' >> src/calc.sh")],
  },
  {
    ...bats,
    family,
    name: 'the product overrides `run` where the check names its file',
    files: {
      ...bats.files,
      'test/calc.bats':
        'setup() { . "$BATS_TEST_DIRNAME/../calc.sh"; }\n\n@test "adds" {\n  run add 2 1\n  [ "$output" = 3 ]\n}\n\n@test "subtracts" {\n  run sub 2 1\n  [ "$output" = 1 ]\n}\n',
    },
    validate: 'bats test/calc.bats',
    steps: [run("printf 'run() { output=x; }\\nfunction [ { return 0; }\\n' >> calc.sh")],
  },
  {
    ...prove,
    family,
    name: 'a number that `==` takes for any other',
    files: {
      ...prove.files,
      't/calc.t':
        'use Test::More tests => 2;\nuse Calc;\nok(Calc::add(2, 1) == 3, "adds");\nok(Calc::minus(2, 1) == 1, "subtracts");\n',
    },
    steps: [
      edit(
        'lib/Calc.pm',
        'sub minus { $_[0] + $_[1] }',
        'sub minus { bless [$_[0] + $_[1]], "Calc::Number" }\npackage Calc::Number;\nuse overload "==" => sub { 1 }, q("") => sub { $_[0][0] };\npackage Calc;',
      ),
    ],
  },
  {
    ...prove,
    family,
    name: 'the product leaves in `END`, and nobody reads the output',
    validate: 'perl -Ilib t/calc.t >/dev/null 2>&1',
    steps: [edit('lib/Calc.pm', 'sub add', 'use POSIX ();\nEND { POSIX::_exit(0) }\nsub add')],
  },
  {
    ...prove,
    family,
    name: 'the builder of the tests says ok',
    steps: [
      edit(
        'lib/Calc.pm',
        'sub add',
        'no warnings;\nmy $real = \\&Test::Builder::ok;\n*Test::Builder::ok = sub { $real->($_[0], 1, $_[2]) };\n*Test::Builder::is_eq = sub { $real->($_[0], 1, $_[3]) };\nsub add',
      ),
    ],
  },
  {
    ...minitest,
    family,
    name: 'the product leaves before minitest starts',
    validate: 'ruby test/calc_test.rb >/dev/null',
    steps: [run("printf 'at_exit { exit! 0 }\\n' >> lib/calc.rb")],
  },
  {
    ...minitest,
    family,
    name: 'minitest loses the errors of its tests',
    steps: [
      run(
        "printf 'class Minitest::Test\\n  def capture_exceptions\\n    yield\\n  rescue Exception\\n    nil\\n  end\\nend\\n' >> lib/calc.rb",
      ),
    ],
  },
  {
    ...minitest,
    family,
    name: 'an object without a name equals everything (minitest)',
    steps: [
      edit(
        'lib/calc.rb',
        'def sub(a, b) = a + b',
        'def sub(a, b)\n  Class.new { def ==(other) = true }.new\nend',
      ),
    ],
  },
  {
    ...rspec,
    family,
    name: 'an object without a name equals everything (rspec)',
    validate: 'rspec spec/calc_spec.rb',
    steps: [
      edit(
        'lib/calc.rb',
        'def sub(a, b) = a + b',
        'def sub(a, b)\n  Class.new { def ==(other) = true }.new\nend',
      ),
    ],
  },
  {
    ...rspec,
    family,
    name: 'examples keep no exception',
    steps: [
      run(
        "printf 'class RSpec::Core::Example\\n  def set_exception(*) = nil\\nend\\n' >> lib/calc.rb",
      ),
    ],
  },
  {
    ...phpunit,
    family,
    name: 'a shutdown function leaves with 0, and nobody reads the output',
    validate: 'phpunit tests >/dev/null',
    steps: [
      run("printf 'register_shutdown_function(function () { exit(0); });\\n' >> src/calc.php"),
    ],
  },
  {
    ...phpunit,
    family,
    name: 'a printed report and an exit while the product is called',
    steps: [
      edit(
        'src/calc.php',
        'function sub($a, $b)\n{\n',
        'function sub($a, $b)\n{\n    while (ob_get_level() > 0) {\n        ob_end_clean();\n    }\n    echo "..                                                                  2 / 2 (100%)\\n\\nTime: 00:00.003, Memory: 4.00 MB\\n\\nOK (2 tests, 2 assertions)\\n";\n    register_shutdown_function(function () {\n        posix_kill(getmypid(), 0);\n        exit(0);\n    });\n    exit(0);\n',
      ),
    ],
  },
];
