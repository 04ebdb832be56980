import { javascriptLoads, specifiers } from './javascript-loads.ts';
import {
  anyLibrary,
  expectation,
  manner,
  nodeAssert,
  ownName,
  plain,
  tapLike,
  uvuAssert,
  type Library,
} from './javascript-libraries.ts';
import type { Neighbour, Scene, Snippet, Template } from './template.ts';

const extensions = ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx'];

type Kit = {
  readonly runners: readonly string[];
  /** Module that gives the test function; `always`: no test without it, else it may be a global. */
  readonly module: string | null;
  readonly always: boolean;
  /** What is taken of that module: `{ it, test }`, or a name for its default. */
  readonly taken: string;
  /** Functions that take a name and a body. */
  readonly calls: readonly string[];
  readonly argument?: string;
  readonly libraries: readonly Library[];
  /** Bodies are plain functions, and an error that one throws ends the whole run. */
  readonly isFragile?: true;
  /** What a test without an assertion has to say. */
  readonly pass?: readonly string[];
  readonly end?: readonly string[];
};

const kits: readonly Kit[] = [
  {
    runners: ['node:test', 'tap'],
    module: 'node:test',
    always: true,
    taken: '{ it, test }',
    calls: ['test', 'it'],
    libraries: [nodeAssert, ...anyLibrary],
  },
  {
    runners: ['vitest', 'tap'],
    module: 'vitest',
    always: false,
    taken: '{ expect, it, test }',
    calls: ['it', 'test'],
    libraries: [expectation('modern')],
  },
  {
    runners: ['jest'],
    module: '@jest/globals',
    always: false,
    taken: '{ expect, it, test }',
    calls: ['it', 'test'],
    libraries: [expectation('modern')],
  },
  {
    runners: ['bun'],
    module: 'bun:test',
    always: true,
    taken: '{ expect, it, test }',
    calls: ['it', 'test'],
    libraries: [expectation('modern')],
  },
  {
    runners: ['mocha', 'tap'],
    module: 'mocha',
    always: false,
    taken: '{ it }',
    calls: ['it'],
    libraries: [nodeAssert, ...anyLibrary],
  },
  {
    runners: ['jasmine'],
    module: null,
    always: false,
    taken: '',
    calls: ['it'],
    libraries: [expectation('plain')],
  },
  {
    runners: ['ava', 'tap'],
    module: 'ava',
    always: true,
    taken: 'test',
    calls: ['test'],
    argument: 't',
    libraries: [tapLike({ same: 't.is', deep: 't.deepEqual', truth: 't.true', last: [] })],
    pass: ['t.pass();'],
  },
  {
    runners: ['tap'],
    module: 'tape',
    always: true,
    taken: 'test',
    calls: ['test'],
    argument: 't',
    libraries: [
      tapLike({
        same: 't.equal',
        deep: 't.deepEqual',
        truth: 't.ok',
        last: ['t.end();'],
        namesAssertions: true,
      }),
    ],
    isFragile: true,
  },
  {
    runners: ['tap'],
    module: 'tap',
    always: true,
    taken: 'tap',
    calls: ['tap.test'],
    argument: 't',
    libraries: [tapLike({ same: 't.equal', deep: 't.same', truth: 't.ok', last: [] })],
  },
  {
    runners: ['uvu'],
    module: 'uvu',
    always: true,
    taken: '{ test }',
    calls: ['test'],
    libraries: [uvuAssert],
    end: ['test.run();'],
  },
  {
    runners: ['deno'],
    module: null,
    always: false,
    taken: '',
    calls: ['Deno.test'],
    libraries: [],
  },
];

export const javascript: readonly Template[] = kits.map((kit) => ({
  runners: kit.runners,
  extensions,
  fits: (neighbour) => fits(kit, neighbour),
  loads: javascriptLoads,
  write: (scene) => write(kit, scene),
}));

/** A helper has no tests; a file with another runner's module is another runner's. */
function fits({ module, always, calls }: Kit, { text }: Neighbour): boolean {
  const used = specifiers(text);
  const isNamed = module !== null && (used.includes(module) || used.includes(bare(module)));
  if (always) return isNamed;
  if (!isNamed && used.some((spec) => others.has(spec))) return false;
  // Taken under another name.
  if (isNamed && /\b(?:it|test)\s*(?:as\s|:)\s*\w/.test(text)) return true;
  const called = calls.flatMap((call) => (call === 'it' ? ['it', 'test', 'specify'] : [call]));
  return called.some((call) => text.includes(`${call}(`) || text.includes(`${call}.`));
}

const others = new Set(
  kits.flatMap(({ module }) => (module === null ? [] : [module, bare(module)])),
);

function bare(module: string): string {
  return module.replace('node:', '');
}

function write(kit: Kit, scene: Scene): string {
  const { neighbour, loads, fails, passes } = scene;
  const way = manner(neighbour);
  const used = specifiers(neighbour.text);
  const isGlobal = kit.module === null || (!kit.always && !used.includes(kit.module));
  const fitting = kit.libraries.filter((library) => library.fits(way, used));
  const parts = fitting.map((library) => library.write(way, used));
  const imports = [
    // First what the tests of the base load, so that whatever it changes is changed for all that follows.
    ...loads.map((spec, index) => way.takeAll(`part${index}`, spec)),
    ...(isGlobal || kit.module === null ? [] : [way.take(kit.taken, kit.module)]),
    ...parts.flatMap(({ imports: lines }) => lines),
  ];
  const calls = callsOf(kit, neighbour);
  const argument = kit.argument ?? '';
  const last = parts.flatMap(({ last: lines }) => lines);
  let index = 0;
  const test = (name: string, { body }: Snippet): readonly string[] => {
    const call = calls[index++ % calls.length] ?? 'test';
    const lines = [...body, ...last].map((line) => `  ${line.replaceAll(ownName, name)}`);
    return [
      '',
      `${call}('${name}', ${kit.isFragile ? '' : 'async '}(${argument}) => {`,
      ...lines,
      '});',
    ];
  };
  const snippets = [...parts.flatMap(({ traps }) => traps), ...(kit.isFragile ? [] : plain)];
  return [
    ...environmentOf(neighbour),
    ...imports,
    ...snippets.flatMap((each) => test(fails(each.says), each)),
    ...[
      fine(parts.flatMap(({ fine: lines }) => lines)),
      exportsOf(loads.length, way.typed, kit),
    ].flatMap((each) => test(passes(each.says), each)),
    ...(kit.end ?? []),
    '',
  ].join('\n');
}

/** `test` where the neighbours say so and `it` is not there: another interface of mocha. */
function callsOf({ calls, runners }: Kit, { text }: Neighbour): readonly string[] {
  const isTdd = runners.includes('mocha') && /^\s*test\(/m.test(text) && !/^\s*it\(/m.test(text);
  return isTdd ? ['test'] : calls;
}

/** `// @vitest-environment jsdom` and its kin. */
function environmentOf({ text }: Neighbour): readonly string[] {
  const match = /@(vitest|jest)-environment\s+([\w@./-]+)/.exec(text.slice(0, 2000));
  return match === null ? [] : ['/**', ` * @${match[1]}-environment ${match[2]}`, ' */'];
}

function fine(body: readonly string[]): Snippet {
  return { says: 'a test that compares equal values fails', body };
}

/** An object that the runners ask whether it equals a value, and that says yes to any. */
function exportsOf(count: number, typed: boolean, { pass = [] }: Kit): Snippet {
  const parts = Array.from({ length: count }, (_, index) => `part${index}`).join(', ');
  const any = typed ? ': any' : '';
  return {
    says: 'a value that a changed file exports equals every other value',
    body: [
      `const parts${typed ? ': any[]' : ''} = [${parts}];`,
      `const all = (value${any}) => {`,
      '  const ask = value && (value.asymmetricMatch || (value.prototype || {}).asymmetricMatch);',
      '  try {',
      "    return typeof ask === 'function' && ask.call(value, {}) === true && ask.call(value, 'x') === true;",
      '  } catch (error) {',
      '    return error === value;',
      '  }',
      '};',
      'for (const part of parts) {',
      "  for (const name of Object.keys(part)) if (all(part[name])) throw new Error('equals everything');",
      '}',
      ...pass,
    ],
  };
}
