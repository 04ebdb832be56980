import { cargo } from './cargo.ts';
import { goTest } from './go-test.ts';
import { jest } from './jest.ts';
import { mocha } from './mocha.ts';
import { nodeTest } from './node-test.ts';
import { pytest } from './pytest.ts';
import type { Runner } from './runner.ts';
import { tap } from './tap.ts';
import { vitest } from './vitest.ts';

/** Every runner whose output is understood. A new one is a file beside this and a line here. */
export const runners: readonly Runner[] = [
  nodeTest,
  tap,
  vitest,
  jest,
  mocha,
  pytest,
  cargo,
  goTest,
];
