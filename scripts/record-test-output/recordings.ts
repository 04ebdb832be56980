import { printing } from './printing.ts';

/** One run of a runner over a sample suite. */
export type Recording = {
  readonly folder: string;
  readonly name: string;
  readonly suite: string;
  readonly command: string;
  /** What npm installs for it, with the version that is recorded. */
  readonly npm?: string;
  /** The program that must be there. */
  readonly needs?: string;
  readonly before?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the runner in the middle of its run. */
  readonly killAfterMs?: number;
};

type Common = Omit<Recording, 'name' | 'command'>;
type Case = string | (Partial<Recording> & { readonly command: string });

function each(common: Common, cases: Readonly<Record<string, Case>>): Recording[] {
  return Object.entries(cases).map(([name, entry]) =>
    typeof entry === 'string' ? { ...common, name, command: entry } : { ...common, name, ...entry },
  );
}

const colour = { FORCE_COLOR: '1', NO_COLOR: '', TERM: 'xterm-256color' };
const esm = 'echo \'{"type":"module"}\' > package.json';

const javascript: readonly Recording[] = [
  ...each(
    { folder: 'bun', suite: 'bun', npm: 'bun@1.4.4' },
    {
      pass: 'bun test pass',
      mixed: 'bun test mixed',
      colour: { command: 'bun test mixed', env: colour },
      load: 'bun test load pass',
      noise: 'bun test noise',
      unhandled: 'bun test unhandled',
      empty: 'bun test empty',
      none: 'bun test nowhere',
      dots: 'bun test --dots mixed pass',
      bail: 'bun test --bail mixed',
      several: 'bun test pass mixed',
      filtered: 'bun test -t adds pass mixed',
      junit:
        'bun test --reporter=junit --reporter-outfile=out.xml mixed pass >/dev/null 2>&1; cat out.xml',
      killed: { command: 'exec bun test hang', killAfterMs: 1500 },
    },
  ),
  ...each(
    { folder: 'bun', suite: 'bun', npm: 'bun@1.0.0' },
    { 'v1.0-mixed': 'bun test mixed', 'v1.0-pass': 'bun test pass' },
  ),
  ...each(
    { folder: 'deno', suite: 'deno', npm: 'deno@2.9.6' },
    {
      pass: 'deno test pass_test.js',
      mixed: 'deno test mixed_test.js',
      several: 'deno test pass_test.js mixed_test.js',
      colour: { command: 'deno test mixed_test.js', env: { ...colour, NO_COLOR: '' } },
      load: 'deno test load_test.js pass_test.js',
      throws: 'deno test throws_test.js pass_test.js',
      leak: 'deno test leak_test.js',
      empty: 'deno test empty_test.js',
      none: 'deno test nowhere_test.js',
      dot: 'deno test --reporter=dot mixed_test.js pass_test.js',
      tap: 'deno test --reporter=tap mixed_test.js',
      junit: 'deno test --reporter=junit mixed_test.js pass_test.js',
      filtered: 'deno test --filter adds mixed_test.js',
      killed: { command: 'exec deno test hang_test.js', killAfterMs: 2000 },
    },
  ),
  ...each(
    { folder: 'ava', suite: 'ava', npm: 'ava@7.0.0', before: esm },
    {
      pass: 'ava pass.js',
      mixed: 'ava mixed.js',
      several: 'ava pass.js mixed.js',
      colour: { command: 'ava mixed.js', env: colour },
      load: 'ava load.js pass.js',
      hooks: 'ava hooks.js',
      unhandled: 'ava unhandled.js',
      empty: 'ava empty.js pass.js',
      none: 'ava nowhere.js',
      noise: 'ava noise.js',
      tap: 'ava --tap mixed.js',
      twins: 'ava --serial twins-one.js twins-two.js',
      killed: { command: 'exec ava serial-hang.js', killAfterMs: 4000 },
    },
  ),
  ...each(
    {
      folder: 'ava',
      suite: 'ava',
      npm: 'ava@3.15.0',
      before: `echo '{"type":"module","ava":{"files":["*.js"]}}' > package.json`,
    },
    {
      'v3-mixed': 'ava mixed.js',
      'v3-pass': 'ava pass.js',
      'v3-verbose': 'ava --verbose pass.js load.js',
    },
  ),
  ...each(
    { folder: 'tap', suite: 'tap', npm: 'tap@21.8.0' },
    {
      'base-pass': 'tap -Rbase --disable-coverage pass.test.cjs',
      'base-mixed': 'tap -Rbase --disable-coverage mixed.test.cjs',
      'base-colour': { command: 'tap -Rbase --disable-coverage mixed.test.cjs', env: colour },
      'base-load': 'tap -Rbase --disable-coverage load.test.cjs pass.test.cjs',
      'base-empty': 'tap -Rbase --disable-coverage empty.test.cjs pass.test.cjs',
      'terse-mixed': 'tap --disable-coverage -Rterse mixed.test.cjs',
      'tap-mixed': 'tap --disable-coverage -Rtap mixed.test.cjs pass.test.cjs',
      'junit-mixed': 'tap --disable-coverage -Rjunit mixed.test.cjs',
    },
  ),
  ...each(
    { folder: 'tap', suite: 'tap', npm: 'tap@16.3.10' },
    {
      'v16-mixed': 'tap -Rbase --no-coverage mixed.test.cjs',
      'v16-pass': 'tap -Rbase --no-coverage pass.test.cjs',
      'v16-tap': 'tap --no-coverage -Rtap mixed.test.cjs',
    },
  ),
  ...each(
    { folder: 'tape', suite: 'tape', npm: 'tape@5.10.2' },
    {
      pass: 'tape pass.cjs',
      mixed: 'tape mixed.cjs',
      throws: 'tape throws.cjs',
      empty: 'tape empty.cjs',
      todo: 'tape todo.cjs',
    },
  ),
  ...each(
    { folder: 'tape', suite: 'tape', npm: 'tape@4.17.0' },
    { 'v4-mixed': 'tape mixed.cjs', 'v4-todo': 'tape todo.cjs' },
  ),
  ...each(
    { folder: 'jasmine', suite: 'jasmine', npm: 'jasmine@7.0.0' },
    {
      pass: 'jasmine --no-color pass.spec.cjs',
      mixed: 'jasmine --no-color mixed.spec.cjs',
      colour: { command: 'jasmine --color mixed.spec.cjs', env: colour },
      load: 'jasmine --no-color load.spec.cjs pass.spec.cjs',
      'after-all': 'jasmine --no-color after-all.spec.cjs',
      focused: 'jasmine --no-color focused.spec.cjs pass.spec.cjs',
      empty: 'jasmine --no-color empty.spec.cjs',
      killed: {
        command: 'exec jasmine --no-color --random=false hang.spec.cjs',
        killAfterMs: 1500,
      },
    },
  ),
  ...each(
    { folder: 'jasmine', suite: 'jasmine', npm: 'jasmine@3.99.0' },
    {
      'v3-mixed': 'jasmine --no-color mixed.spec.cjs',
      'v3-load': 'jasmine --no-color load.spec.cjs pass.spec.cjs',
      'v3-after-all': 'jasmine --no-color after-all.spec.cjs',
    },
  ),
  ...each(
    { folder: 'uvu', suite: 'uvu', npm: 'uvu@0.5.6', before: esm },
    {
      pass: 'uvu . pass.js',
      mixed: 'uvu . mixed.js',
      several: 'uvu . "(pass|mixed).js"',
      colour: { command: 'uvu . mixed.js -c', env: colour },
      load: 'uvu . "(load|pass).js"',
      noise: 'uvu . noise.js',
      empty: 'uvu . empty.js',
      plain: 'node mixed.js',
    },
  ),
  ...each(
    { folder: 'qunit', suite: 'qunit', npm: 'qunit@3.0.0' },
    {
      pass: 'qunit pass.cjs',
      mixed: 'qunit mixed.cjs',
      load: 'qunit load.cjs pass.cjs',
      empty: 'qunit empty.cjs',
      colour: { command: 'qunit mixed.cjs', env: colour },
    },
  ),
  ...each(
    { folder: 'qunit', suite: 'qunit', npm: 'qunit@2.9.3' },
    { 'v2-mixed': 'qunit mixed.cjs', 'v2-load': 'qunit load.cjs pass.cjs' },
  ),
  ...each(
    { folder: 'playwright', suite: 'playwright', npm: '@playwright/test@1.65.0', before: esm },
    {
      pass: 'playwright test pass',
      mixed: 'playwright test mixed',
      line: 'playwright test --reporter=line mixed pass',
      dot: 'playwright test --reporter=dot mixed pass',
      list: 'playwright test --reporter=list mixed pass',
      github: 'playwright test --reporter=github mixed',
      junit: 'playwright test --reporter=junit mixed',
      colour: { command: 'playwright test --reporter=list mixed', env: colour },
      flaky: 'playwright test --retries=1 flaky',
      serial: 'playwright test --reporter=list serial',
      load: 'playwright test load pass',
      timeout: 'playwright test --reporter=list timeout pass',
      empty: 'playwright test empty',
      none: 'playwright test nowhere',
      bail: 'playwright test -x --workers=1 mixed pass',
      killed: {
        command: 'exec playwright test --reporter=list --workers=1 hang',
        killAfterMs: 5000,
      },
    },
  ),
  ...each(
    { folder: 'playwright', suite: 'playwright', npm: '@playwright/test@1.20.2', before: esm },
    {
      'v1.20-mixed': 'playwright test mixed',
      'v1.20-list': 'playwright test --reporter=list pass',
    },
  ),
];

/** Tests that print what another runner prints, and tests of the same name. */
const printed: readonly Recording[] = [
  ...each(
    { folder: 'mocha', suite: 'mocha', npm: 'mocha@12.0.3' },
    {
      'noise-spec': 'mocha noise.test.js',
      'noise-dot': 'mocha --reporter dot noise.test.js',
      'noise-min': 'mocha --reporter min noise.test.js',
      'noise-pass': 'mocha noise-pass.test.js',
    },
  ),
  ...each(
    { folder: 'mocha', suite: 'twins', npm: 'mocha@12.0.3' },
    { twins: 'mocha *.test.js', 'twins-dot': 'mocha --reporter dot *.test.js' },
  ),
  ...each(
    { folder: 'jest', suite: 'twins', npm: 'jest@30.5.2', before: 'echo "{}" > package.json' },
    { twins: 'jest -i' },
  ),
  ...each(
    { folder: 'node-test', suite: 'node' },
    {
      'dot-flat': 'node --test --test-reporter=dot flat.test.mjs',
      'junit-flat': 'node --test --test-reporter=junit flat.test.mjs',
    },
  ),
];

/** Older releases of runners whose present ones are recorded in more detail. */
const olderReleases: readonly Recording[] = [
  ...['24.9.0', '26.6.3', '29.7.0'].flatMap((version) =>
    each(
      { folder: 'jest', suite: 'jest', npm: `jest@${version}` },
      prefixed(`v${Number.parseInt(version, 10)}`, {
        several: 'echo "{}" > package.json; jest',
        verbose: 'echo "{}" > package.json; jest --verbose mixed pass',
      }),
    ),
  ),
  ...['0.34.6', '1.6.1', '2.1.9', '3.2.7'].flatMap((version) =>
    each(
      { folder: 'vitest', suite: 'vitest', npm: `vitest@${version}` },
      prefixed(`v${Number.parseInt(version, 10)}`, {
        several: 'vitest run',
        verbose: 'vitest run --reporter=verbose mixed pass',
        pass: { command: 'vitest run pass', env: colour },
      }),
    ),
  ),
  ...['5.2.0', '8.4.0', '10.8.2'].flatMap((version) =>
    each(
      { folder: 'mocha', suite: 'jest', npm: `mocha@${version}` },
      prefixed(`v${Number.parseInt(version, 10)}`, {
        mixed: 'mocha mixed.test.js pass.test.js',
        dot: 'mocha --reporter dot mixed.test.js',
        load: 'mocha load.test.js',
      }),
    ),
  ),
  ...['18.20.8', '20.20.2', '22.23.3'].flatMap((version) =>
    each(
      { folder: 'node-test', suite: 'node', npm: `node@${version}` },
      prefixed(`v${Number.parseInt(version, 10)}`, {
        spec: 'node_modules/.bin/node --test --test-reporter=spec mixed.test.mjs pass.test.mjs',
        tap: 'node_modules/.bin/node --test --test-reporter=tap mixed.test.mjs pass.test.mjs',
        dot: 'node_modules/.bin/node --test --test-reporter=dot mixed.test.mjs pass.test.mjs',
      }),
    ),
  ),
];

function prefixed(prefix: string, cases: Readonly<Record<string, Case>>): Record<string, Case> {
  return Object.fromEntries(
    Object.entries(cases).map(([name, entry]) => [`${prefix}-${name}`, entry]),
  );
}

const python: readonly Recording[] = [
  ...each(
    { folder: 'pytest', suite: 'pytest', needs: 'pytest' },
    {
      'very-quiet': 'pytest -qq --tb=no test_mixed.py',
      'very-quiet-reports': 'pytest -qq test_mixed.py test_pass.py',
      'very-quiet-pass': 'pytest -qq --tb=no test_pass.py',
      'very-quiet-load': 'pytest -qq --tb=no test_load.py test_pass.py',
      'very-quiet-exitfirst': 'pytest -qq --tb=no -x test_mixed.py',
    },
  ),
  ...each(
    { folder: 'unittest', suite: 'unittest', needs: 'python3' },
    {
      pass: 'python3 -m unittest test_pass',
      mixed: 'python3 -m unittest test_mixed',
      verbose: 'python3 -m unittest -v test_mixed test_pass',
      quiet: 'python3 -m unittest -q test_pass',
      load: 'python3 -m unittest test_load test_pass',
      classes: 'python3 -m unittest test_classes',
      'classes-verbose': 'python3 -m unittest -v test_classes',
      'prints-summary': 'python3 -m unittest test_summary',
      'prints-summary-verbose': 'python3 -m unittest -v test_summary',
      'prints-summary-buffer': 'python3 -m unittest -b test_summary',
      empty: 'python3 -m unittest test_empty',
      failfast: 'python3 -m unittest -f test_mixed',
      buffer: 'python3 -m unittest -b test_mixed',
      killed: { command: 'exec python3 -m unittest -v test_hang', killAfterMs: 1500 },
      'killed-dots': { command: 'exec python3 -m unittest test_hang', killAfterMs: 1500 },
    },
  ),
  ...each(
    {
      folder: 'unittest',
      suite: 'unittest',
      needs: 'pyenv',
      env: { FORCE_COLOR: '1', NO_COLOR: '', PYENV_VERSION: '3.13.0' },
    },
    {
      'v3.13-verbose': 'python3 -m unittest -v test_mixed',
      'v3.13-classes': 'python3 -m unittest test_classes',
      'v3.13-empty': 'python3 -m unittest test_empty',
    },
  ),
  ...each(
    { folder: 'unittest', suite: 'unittest', needs: 'pyenv', env: { PYENV_VERSION: '2.7.18' } },
    { 'v2.7-mixed': 'python -m unittest -v test_mixed' },
  ),
  ...each(
    { folder: 'nose2', suite: 'nose2', needs: 'nose2-3' },
    {
      pass: 'nose2-3 test_pass',
      mixed: 'nose2-3 test_mixed',
      verbose: 'nose2-3 -v test_mixed',
      load: 'nose2-3',
      empty: 'nose2-3 test_empty',
    },
  ),
];

const others: readonly Recording[] = [
  ...each(
    { folder: 'rspec', suite: 'rspec', needs: 'rspec' },
    {
      pass: 'rspec spec/pass_spec.rb',
      mixed: 'rspec spec/mixed_spec.rb',
      documentation: 'rspec --format documentation spec/mixed_spec.rb spec/pass_spec.rb',
      colour: { command: 'rspec --force-color spec/mixed_spec.rb', env: colour },
      fixed: 'rspec spec/fixed_spec.rb',
      load: 'rspec spec/load_spec.rb spec/pass_spec.rb',
      hooks: 'rspec spec/hooks_spec.rb',
      after: 'rspec spec/after_spec.rb',
      empty: 'rspec spec/empty_spec.rb',
      missing: 'rspec spec/nowhere_spec.rb',
      failfast: 'rspec --fail-fast spec/mixed_spec.rb',
      profile: 'rspec --profile 2 spec/pass_spec.rb spec/mixed_spec.rb',
      killed: { command: 'exec rspec spec/hang_spec.rb', killAfterMs: 2500 },
    },
  ),
  ...each(
    { folder: 'minitest', suite: 'minitest', needs: 'ruby' },
    {
      pass: 'ruby pass.rb --seed 1',
      mixed: 'ruby mixed.rb --seed 1',
      verbose: 'ruby mixed.rb --seed 1 --verbose',
      spec: 'ruby spec.rb --seed 1 -v',
      empty: 'ruby empty.rb',
      load: 'ruby load.rb',
      several: 'ruby pass.rb --seed 1; ruby mixed.rb --seed 2',
      'test-unit': 'ruby test_unit.rb',
      'test-unit-verbose': 'ruby test_unit.rb -v',
      killed: { command: 'exec ruby hang.rb', killAfterMs: 2500 },
    },
  ),
  ...each(
    { folder: 'phpunit', suite: 'phpunit', needs: 'phpunit' },
    {
      pass: 'phpunit PassTest.php',
      mixed: 'phpunit MixedTest.php',
      verbose: 'phpunit -v MixedTest.php',
      testdox: 'phpunit --testdox MixedTest.php',
      colour: 'phpunit --colors=always MixedTest.php',
      risky: 'phpunit RiskyTest.php',
      several:
        'rm LoadTest.php HangTest.php EmptyTest.php; phpunit --test-suffix Test.php --filter "Pass|Risky" .',
      teamcity: 'phpunit --teamcity PassTest.php',
      junit: 'phpunit --log-junit out.xml MixedTest.php > /dev/null; cat out.xml',
      load: 'phpunit LoadTest.php',
      empty: 'phpunit EmptyTest.php',
      none: 'phpunit --filter Nowhere PassTest.php',
      'stop-on-failure': 'phpunit --stop-on-failure MixedTest.php',
      debug: 'phpunit --debug PassTest.php',
      killed: { command: 'exec phpunit HangTest.php', killAfterMs: 2500 },
    },
  ),
  ...each(
    { folder: 'exunit', suite: 'exunit', needs: 'elixir' },
    {
      pass: 'elixir pass_test.exs',
      mixed: 'elixir mixed_test.exs',
      trace: 'sed -i "s/seed: 0/seed: 0, trace: true/" *.exs; elixir mixed_test.exs',
      colour: 'sed -i "s/seed: 0/seed: 0, colors: [enabled: true]/" *.exs; elixir mixed_test.exs',
      'setup-all': 'elixir setup_all_test.exs',
      load: 'elixir load_test.exs',
      empty: 'elixir empty_test.exs',
      killed: { command: 'exec elixir hang_test.exs', killAfterMs: 5000 },
    },
  ),
  ...each(
    { folder: 'bats', suite: 'bats', needs: 'bats' },
    {
      pass: 'bats pass.bats',
      mixed: 'bats mixed.bats',
      pretty: 'bats --pretty mixed.bats',
      'pretty-pass': 'bats --pretty pass.bats',
      tap13: 'bats --formatter tap13 mixed.bats',
      junit: 'bats --formatter junit mixed.bats',
      timing: 'bats --timing mixed.bats pass.bats',
      load: 'bats load.bats pass.bats',
      'setup-file': 'bats setup-file.bats',
      empty: 'bats empty.bats',
      killed: { command: 'exec bats hang.bats', killAfterMs: 2000 },
    },
  ),
  ...each(
    { folder: 'prove', suite: 'prove', needs: 'prove' },
    {
      pass: 'prove t/pass.t t/skips.t',
      mixed: 'prove t/mixed.t t/pass.t',
      all: 'prove t/pass.t t/mixed.t t/dies.t t/skipall.t t/load.t t/empty.t',
      verbose: 'prove -v t/mixed.t t/pass.t t/skipall.t',
      colour: 'prove --color -v t/mixed.t t/pass.t',
      quiet: 'prove -q t/mixed.t t/pass.t',
      'very-quiet': 'prove -Q t/pass.t t/skips.t',
      timer: 'prove --timer t/pass.t t/skips.t',
      dies: 'prove t/dies.t',
      load: 'prove t/load.t',
      empty: 'prove t/empty.t',
      'skip-all': 'prove t/skipall.t',
      'skips-verbose': 'prove -v t/skips.t',
      jobs: 'prove -j2 t/pass.t t/mixed.t t/skips.t',
      plan: 'prove t/plan.t t/pass.t',
      'plan-very-quiet': 'prove -Q t/plan.t t/pass.t',
      'todo-verbose': 'prove -v t/todo.t t/pass.t',
      'bail-jobs': 'prove -j2 t/bail.t t/pass.t',
      twins: 'prove t/twins.t',
      killed: { command: 'exec prove t/pass.t t/hang.t', killAfterMs: 1500 },
    },
  ),
  ...each(
    { folder: 'tap', suite: 'prove', needs: 'perl' },
    {
      'raw-todo-crlf': 'perl t/todo.t | sed "s/$/\\r/"',
      'raw-broken-off': 'perl t/plan.t; perl t/pass.t',
      'raw-several': 'perl t/pass.t; perl t/mixed.t; perl t/todo.t',
      'raw-twins': 'perl t/twins.t',
    },
  ),
  ...each(
    {
      folder: 'ctest',
      suite: 'cmake',
      needs: 'ctest',
      before: 'cmake -S . -B build && cmake --build build -j2',
    },
    {
      all: 'cd build && ctest',
      pass: 'cd build && ctest -R pass',
      verbose: 'cd build && ctest -V -R "gtest|plain.(pass|fail|skipped|disabled)"',
      'extra-verbose': 'cd build && ctest -VV -R "pass"',
      'on-failure': 'cd build && ctest --output-on-failure',
      quiet: 'cd build && ctest -Q',
      progress: 'cd build && ctest --progress -R "gtest|plain.pass"',
      skipped: 'cd build && ctest -R "pass|skipped|disabled"',
      parallel: 'cd build && ctest -j2 -R "gtest|plain.(pass|fail)"',
      none: 'cd build && ctest -R nowhere',
      junit: 'cd build && ctest --output-junit out.xml > /dev/null; cat out.xml',
      repeat: 'cd build && ctest --repeat until-pass:2 -R "plain.(pass|fail)"',
      killed: {
        command:
          'cd build && sed -i "s/sleep\\" \\"20\\"/sleep\\" \\"9\\"/; s/TIMEOUT \\"1\\"/TIMEOUT \\"60\\"/" CTestTestfile.cmake && exec ctest -R plain',
        killAfterMs: 2000,
      },
    },
  ),
  ...each(
    {
      folder: 'gtest',
      suite: 'cmake',
      needs: 'cmake',
      before: 'cmake -S . -B build && cmake --build build -j2',
    },
    {
      pass: 'build/gtest_pass',
      mixed: 'build/gtest_mixed',
      colour: 'build/gtest_mixed --gtest_color=yes',
      brief: 'build/gtest_mixed --gtest_brief=1',
      disabled: 'build/gtest_mixed --gtest_also_run_disabled_tests',
      repeat: 'build/gtest_mixed --gtest_repeat=2',
      shuffle: 'build/gtest_mixed --gtest_shuffle --gtest_random_seed=7',
      filtered: 'build/gtest_mixed --gtest_filter=Parser.Adds',
      none: 'build/gtest_pass --gtest_filter=Nowhere.*',
      'skip-only': 'build/gtest_mixed --gtest_filter=*.Skipped',
      crash: { command: 'build/gtest_mixed', env: { CRASH: '1' } },
      killed: { command: 'exec build/gtest_mixed', env: { HANG: '1' }, killAfterMs: 1000 },
      xml: 'build/gtest_mixed --gtest_output=xml:out.xml > /dev/null; cat out.xml',
      several: 'build/gtest_pass; build/gtest_mixed',
    },
  ),
  ...each(
    {
      folder: 'catch2',
      suite: 'cmake',
      needs: 'cmake',
      before: 'cmake -S . -B build && cmake --build build -j2',
    },
    {
      pass: 'build/catch_pass',
      mixed: 'build/catch_mixed',
      colour: 'build/catch_mixed --use-colour yes',
      compact: 'build/catch_mixed -r compact',
      success: 'build/catch_pass -s',
      'compact-pass': 'build/catch_pass -r compact',
      durations: 'build/catch_mixed -d yes',
      junit: 'build/catch_mixed -r junit',
      empty: 'build/catch_empty',
      none: 'build/catch_pass nowhere',
      crash: { command: 'build/catch_mixed', env: { CRASH: '1' } },
    },
  ),
  ...each(
    { folder: 'maven', suite: 'maven', needs: 'mvn' },
    {
      pass: maven('-Dtest=PassTest'),
      mixed: maven('-Dtest=MixedTest,PassTest'),
      all: maven(''),
      ignore: maven('-Dmaven.test.failure.ignore=true'),
      colour: maven('-Dstyle.color=always'),
      quiet: maven('-q'),
      skipped: maven('-DskipTests'),
      none: maven('-Dtest=Nowhere'),
      compile: `echo broken >> src/test/java/sample/PassTest.java; ${maven('')}`,
      junit: `${maven('')} > /dev/null; cat target/surefire-reports/TEST-sample.MixedTest.xml`,
    },
  ),
  ...each(
    { folder: 'go', suite: 'go', needs: 'go' },
    {
      'json-pass': 'go test -json ./pass ./none ./example',
      'json-mixed': 'go test -json ./mixed ./pass',
      'json-all': 'go test -json ./...',
      'json-panic': 'go test -json ./panics',
      'json-broken': 'go test -json ./broken ./pass',
      'example-v': 'go test -v ./example ./pass',
      bench: 'go test -bench . ./example',
      cover: 'go test -cover ./pass ./none ./mixed',
      'mixed-v': 'go test -v ./mixed ./pass ./none',
      'panic-v': 'go test -v ./panics',
      'panic-plain': 'go test ./panics ./pass',
      'vet-broken': 'go test ./broken',
    },
  ),
];

/** Packages that say what other packages say, or fail without a failing test. */
const goPackages: readonly Recording[] = each(
  { folder: 'go', suite: 'go-prints', needs: 'go' },
  {
    'prints-v': 'go test -v ./prints ./pass',
    'main-v': 'go test -v ./mainfail ./pass',
    'main-json': 'go test -json ./mainfail ./pass',
    'main-plain': 'go test ./mainfail ./pass',
  },
);

/** Debian's Maven works offline from the repository of its packages. */
function maven(flags: string): string {
  return `mvn -o -B -Dmaven.repo.local=/usr/share/maven-repo ${flags} test`;
}

export const recordings: readonly Recording[] = [
  ...javascript,
  ...printed,
  ...printing,
  ...olderReleases,
  ...python,
  ...others,
  ...goPackages,
];
