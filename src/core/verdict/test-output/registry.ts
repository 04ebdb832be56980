import { ava } from './ava.ts';
import { bats } from './bats.ts';
import { bun } from './bun.ts';
import { cargoNextest } from './cargo-nextest.ts';
import { cargo } from './cargo.ts';
import { catch2 } from './catch2.ts';
import { ctest } from './ctest.ts';
import { deno } from './deno.ts';
import { dotnet } from './dotnet.ts';
import { exunit } from './exunit.ts';
import { goJson } from './go-json.ts';
import { goTest } from './go-test.ts';
import { gtest } from './gtest.ts';
import { jasmine } from './jasmine.ts';
import { jest } from './jest.ts';
import { maven } from './maven.ts';
import { minitest } from './minitest.ts';
import { mocha } from './mocha.ts';
import { nodeTap } from './node-tap.ts';
import { nodeTest } from './node-test.ts';
import { phpunit } from './phpunit.ts';
import { playwright } from './playwright.ts';
import { prove } from './prove.ts';
import { pytestSugar } from './pytest-sugar.ts';
import { pytest } from './pytest.ts';
import { rspec } from './rspec.ts';
import type { Runner } from './runner.ts';
import { tap } from './tap.ts';
import { unittest } from './unittest.ts';
import { uvu } from './uvu.ts';
import { vitest } from './vitest.ts';

/** Every runner whose console output is understood. A new one is a file beside this and a line here. */
export const runners: readonly Runner[] = [
  nodeTest,
  tap,
  vitest,
  jest,
  mocha,
  playwright,
  bun,
  deno,
  ava,
  nodeTap,
  jasmine,
  uvu,
  pytest,
  pytestSugar,
  unittest,
  cargo,
  cargoNextest,
  goTest,
  goJson,
  rspec,
  minitest,
  phpunit,
  exunit,
  ctest,
  gtest,
  catch2,
  bats,
  prove,
  maven,
  dotnet,
];

/** Other names a person may know a runner by, and runners that also print TAP; anything else is its own name. */
const families: Readonly<Record<string, readonly string[]>> = {
  'node:test': ['node:test', 'tap'],
  node: ['node:test', 'tap'],
  vitest: ['vitest', 'tap'],
  mocha: ['mocha', 'tap'],
  deno: ['deno', 'tap'],
  ava: ['ava', 'tap'],
  tape: ['tap'],
  qunit: ['tap'],
  nose2: ['unittest'],
  go: ['go test'],
  bats: ['bats', 'tap'],
  prove: ['prove', 'tap'],
  surefire: ['maven'],
  dotnet: ['dotnet test'],
};

/** The name of the report in XML, which is not a runner. */
export const junitName = 'junit';

/** Every name that `runnersOf` takes. */
export const runnerNames: readonly string[] = [
  ...new Set([...runners.map(({ name }) => name), ...Object.keys(families), junitName]),
];

/** The runners behind a name; none for one that is not known. */
export function runnersOf(name: string): readonly Runner[] {
  const names = families[name] ?? [name];
  return runners.filter((runner) => names.includes(runner.name));
}
