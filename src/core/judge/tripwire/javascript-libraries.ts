import { extensionOf } from './name.ts';
import { high, low, type Neighbour, type Snippet } from './template.ts';

/** How a file loads others, and whether it has types. */
type Manner = {
  readonly typed: boolean;
  readonly isModule: boolean;
  readonly text: string;
  /** `import { it } from 'vitest';` */
  take(taken: string, module: string): string;
  takeAll(name: string, module: string): string;
};

export type Library = {
  fits(way: Manner, used: readonly string[]): boolean;
  write(
    way: Manner,
    used: readonly string[],
  ): {
    readonly imports: readonly string[];
    readonly traps: readonly Snippet[];
    readonly fine: readonly string[];
    readonly last: readonly string[];
  };
};

export function manner({ path, text }: Neighbour): Manner {
  const extension = extensionOf(path);
  const typed = extension.includes('t');
  const isModule = typed || extension.startsWith('m') || /^import[\s{*'"]/m.test(text);
  return {
    typed,
    isModule,
    text,
    take: (taken, module) =>
      isModule ? `import ${taken} from '${module}';` : `const ${taken} = require('${module}');`,
    takeAll: (name, module) =>
      isModule ? `import * as ${name} from '${module}';` : `const ${name} = require('${module}');`,
  };
}

/** Parts of the language that tests are made of. */
export const plain: readonly Snippet[] = [
  { says: 'throws an error', body: ["throw new Error('one');"] },
  {
    says: 'throws an error later',
    body: ['await new Promise((done) => setTimeout(done, 1));', "throw new Error('two');"],
  },
  {
    says: `compares ${low} with ${high} by Object.is`,
    body: [`if (!Object.is(${low}, ${high})) throw new Error('other');`],
  },
  {
    says: 'compares two different objects as JSON',
    body: [
      `if (JSON.stringify({ a: ${low} }) !== JSON.stringify({ a: ${high} })) throw new Error('other');`,
    ],
  },
  {
    says: 'looks for a number in an array that does not have it',
    body: [
      `if (![${low}].includes(${high})) throw new Error('none');`,
      `if ([${low}].indexOf(${high}) === -1) throw new Error('none');`,
    ],
  },
  {
    says: 'asks whether every number of an array is large',
    body: [
      `if (![${low}, ${high}].every((each) => each > ${low})) throw new Error('not every');`,
      `if (![${low}].some((each) => each > ${low})) throw new Error('none');`,
    ],
  },
];

const specs = ['node:assert/strict', 'node:assert', 'assert/strict', 'assert'];

export const nodeAssert: Library = {
  fits: ({ typed }, used) => !typed || used.some((spec) => specs.includes(spec)),
  write(way, used) {
    const spec = used.find((each) => specs.includes(each)) ?? 'node:assert/strict';
    const isWhole = /^import \* as \w+ from ['"](?:node:)?assert/m.test(way.text);
    const isNamed = !isWhole && !/^import \w+.{0,80} from ['"](?:node:)?assert/m.test(way.text);
    const imports = !way.isModule
      ? [way.take('assert', spec), 'const named = assert;']
      : way.typed && (isWhole || isNamed)
        ? [`import * as assert from '${spec}';`, `import * as named from '${spec}';`]
        : [`import assert, * as named from '${spec}';`];
    return { imports, traps: assertTraps, fine: [`assert.strictEqual(${low}, ${low});`], last: [] };
  },
};

const assertTraps: readonly Snippet[] = [
  {
    says: `compares ${low} with ${high}`,
    body: [`assert.strictEqual(${low}, ${high});`],
  },
  { says: 'compares two different texts', body: ["assert.equal('abc', 'abd');"] },
  {
    says: 'compares two different objects',
    body: [`assert.deepStrictEqual({ a: [${low}] }, { a: [${high}] });`],
  },
  { says: 'compares two different arrays', body: [`assert.deepEqual([${low}], [${high}]);`] },
  { says: 'asserts what is not true', body: ['assert.ok(Boolean(0));'] },
  { says: 'expects an error that does not come', body: ['assert.throws(() => 0);'] },
  {
    says: 'expects a rejection that does not come',
    body: ['await assert.rejects(async () => 0);'],
  },
  { says: 'says that a value differs from itself', body: [`assert.notEqual(${low}, ${low});`] },
  {
    says: `compares ${low} with ${high} by a function of node:assert`,
    body: [`named.strictEqual(${low}, ${high});`],
  },
  {
    says: 'compares two different objects by a function of node:assert',
    body: [`named.deepStrictEqual({ a: ${low} }, { a: ${high} });`],
  },
];

export function expectation(kind: 'modern' | 'plain'): Library {
  return {
    fits: () => true,
    write: () => ({
      imports: [],
      traps: kind === 'modern' ? [...expects, ...modernExpects] : expects,
      fine: [`expect(${low}).toBe(${low});`],
      last: [],
    }),
  };
}

const expects: readonly Snippet[] = [
  { says: `compares ${low} with ${high}`, body: [`expect(${low}).toBe(${high});`] },
  { says: 'compares two different texts', body: ["expect('abc').toBe('abd');"] },
  {
    says: 'compares two different objects',
    body: [`expect({ a: [${low}] }).toEqual({ a: [${high}] });`],
  },
  { says: 'compares two different numbers by toEqual', body: [`expect(${low}).toEqual(${high});`] },
  { says: 'asserts what is not true', body: ['expect(Boolean(0)).toBeTruthy();'] },
  { says: 'says that a value differs from itself', body: [`expect(${low}).not.toBe(${low});`] },
  { says: 'expects an error that does not come', body: ['expect(() => 0).toThrow();'] },
  {
    says: 'looks for a number that is not there',
    body: [`expect([${low}]).toContain(${high});`],
  },
];

const modernExpects: readonly Snippet[] = [
  {
    says: 'compares two different arrays strictly',
    body: [`expect([${low}]).toStrictEqual([${high}]);`],
  },
  { says: 'asks for another length', body: [`expect([${low}]).toHaveLength(2);`] },
  {
    says: 'expects a promise to give another value',
    body: [`await expect(Promise.resolve(${low})).resolves.toBe(${high});`],
  },
];

export const chai: Library = {
  fits: (_way, used) => used.includes('chai'),
  write: (way) => ({
    imports: [
      way.take(
        way.isModule ? '{ assert as is, expect as see }' : '{ assert: is, expect: see }',
        'chai',
      ),
    ],
    traps: [
      { says: `compares ${low} with ${high} by chai`, body: [`see(${low}).to.equal(${high});`] },
      {
        says: 'compares two different objects by chai',
        body: [`see({ a: [${low}] }).to.deep.equal({ a: [${high}] });`],
      },
      { says: 'asserts what is not true by chai', body: ['see(Boolean(0)).to.be.true;'] },
      { says: 'expects an error that does not come by chai', body: ['see(() => 0).to.throw();'] },
      {
        says: `compares ${low} with ${high} by chai's assert`,
        body: [`is.strictEqual(${low}, ${high});`],
      },
    ],
    fine: [`see(${low}).to.equal(${low});`],
    last: [],
  }),
};

/** A package with `expect` in it. */
const expectPackage: Library = {
  fits: (_way, used) => used.includes('expect') || used.includes('@std/expect'),
  write: (way, used) => {
    const spec = used.includes('expect') ? 'expect' : '@std/expect';
    const found = expectation('plain').write(way, used);
    return { ...found, imports: [way.take('{ expect }', spec)] };
  },
};

export const anyLibrary: readonly Library[] = [chai, expectPackage];

export const uvuAssert: Library = {
  fits: (_way, used) => used.includes('uvu/assert'),
  write: (way) => ({
    imports: [way.takeAll('assert', 'uvu/assert')],
    traps: [
      { says: `compares ${low} with ${high}`, body: [`assert.is(${low}, ${high});`] },
      {
        says: 'compares two different objects',
        body: [`assert.equal({ a: [${low}] }, { a: [${high}] });`],
      },
      { says: 'asserts what is not true', body: ['assert.ok(Boolean(0));'] },
      { says: 'expects an error that does not come', body: ['assert.throws(() => 0);'] },
    ],
    fine: [`assert.is(${low}, ${low});`],
    last: [],
  }),
};

type Words = {
  readonly same: string;
  readonly deep: string;
  readonly truth: string;
  readonly last: readonly string[];
  /** Its reports name assertions, not tests. */
  readonly namesAssertions?: true;
};

/** Stands for the name of the test in its body. */
export const ownName = 'OWN_NAME';

/** Runners that hand every test an object with its assertions. */
export function tapLike({ same, deep, truth, last, namesAssertions }: Words): Library {
  const more = namesAssertions === true ? `, '${ownName}'` : '';
  return {
    fits: () => true,
    write: () => ({
      imports: [],
      traps: [
        { says: `compares ${low} with ${high}`, body: [`${same}(${low}, ${high}${more});`] },
        { says: 'compares two different texts', body: [`${same}('abc', 'abd'${more});`] },
        {
          says: 'compares two different objects',
          body: [`${deep}({ a: [${low}] }, { a: [${high}] }${more});`],
        },
        { says: 'asserts what is not true', body: [`${truth}(Boolean(0)${more});`] },
        { says: 'expects an error that does not come', body: [`t.throws(() => 0${more});`] },
        { says: 'says that it fails', body: [`t.fail('${ownName}');`] },
      ],
      fine: [`${same}(${low}, ${low}${more});`],
      last,
    }),
  };
}
