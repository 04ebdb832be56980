import type { Syntax } from './source-code.ts';

/** How a language writes tests, as far as seeing them in a source file needs it. Every pattern is bounded. */
export type TestLanguage = {
  readonly extensions: readonly string[];
  readonly syntax: Syntax;
  /** A test or a group of tests: `name`, or `quote` before it; `mark` is a prefix or suffix of the word. */
  readonly declaration: RegExp;
  /** What the lines of attributes above must say for a declaration to be a test. */
  readonly attribute: RegExp | null;
  /** What keeps a test from running or counting, in its attributes or its body. */
  readonly skip: RegExp;
  /** What makes a runner leave out all the others. */
  readonly only: RegExp;
  /** Tests stand in every source file, not only in files named for them. */
  readonly anywhere?: true;
};

const cLike: Syntax = {
  lineComment: ['//'],
  blockComment: [['/*', '*/']],
  longText: ['`'],
  text: ['"', "'"],
};
/** A single quote starts a lifetime or a character there. */
const rustLike: Syntax = { ...cLike, longText: [], text: ['"'] };
const hash: Syntax = { lineComment: ['#'], blockComment: [], longText: [], text: ['"', "'"] };
const python: Syntax = {
  ...hash,
  blockComment: [
    ['"""', '"""'],
    ["'''", "'''"],
  ],
};
const never = /(?!)/;

export const testLanguages: readonly TestLanguage[] = [
  {
    extensions: ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx'],
    syntax: cLike,
    declaration:
      /(?<![\w$.])(?:t\.|ctx\.)?(?<mark>[xf]?)(?:test|it|specify|describe|context|suite)(?<marks>(?:\.\w{1,24}){0,3})\s{0,8}\(\s{0,200}(?<quote>['"`])/g,
    attribute: null,
    skip: /\b(?:skip|todo)\s{0,4}:\s{0,4}(?:true\b|['"`])|\b(?:t|this|ctx|context|test|it)\.(?:skip|todo|fixme|pending)\s{0,4}\(|\bpending\s{0,4}\(/,
    only: /\bonly\s{0,4}:\s{0,4}true\b/,
  },
  {
    extensions: ['py'],
    syntax: python,
    declaration:
      /^[ \t]{0,80}(?:(?:async[ \t]{1,8})?def[ \t]{1,8}(?<name>test\w{0,200})|class[ \t]{1,8}(?<group>Test\w{0,200}|\w{1,200}Tests?|\w{1,200}TestCase))\b/gm,
    attribute: null,
    skip: /\bmark\.(?:skip|skipif|xfail)\b|@(?:unittest\.)?(?:skip\w{0,8}|expectedFailure)\b|\bpytest\.(?:skip|xfail|exit|importorskip)\s{0,4}\(|\bskipTest\s{0,4}\(|\bSkipTest\b|\b__test__\s{0,4}=\s{0,4}False/,
    only: /\bmark\.only\b/,
  },
  {
    extensions: ['rs'],
    syntax: rustLike,
    declaration: /\bfn[ \t]{1,8}(?<name>\w{1,200})[ \t]{0,8}[(<]/g,
    attribute: /#\[(?:\w{1,40}::){0,4}(?:test|rstest|quickcheck|test_case|proptest)\b/,
    skip: /#\[(?:ignore|should_panic)\b|#\[cfg\(any\(\)\)\]|#\[cfg_attr\([^\n]{0,200}\bignore\b/,
    only: never,
    anywhere: true,
  },
  {
    extensions: ['go'],
    syntax: cLike,
    declaration: /^func[ \t]{1,8}(?<name>(?:Test|Fuzz|Example)\w{0,200})[ \t]{0,8}\(/gm,
    attribute: null,
    skip: /\b\w{1,12}\.(?:Skip|Skipf|SkipNow)\s{0,4}\(/,
    only: never,
  },
  {
    extensions: ['java', 'kt', 'scala', 'groovy', 'cs'],
    syntax: { ...cLike, longText: [] },
    declaration:
      /\b(?:void|fun|def|Task)[ \t]{1,8}`?(?<name>\w{1,200}|[^`\n]{1,200}(?=`))`?[ \t]{0,8}\(/g,
    attribute:
      /@(?:\w{1,40}\.){0,6}(?:Test|ParameterizedTest|RepeatedTest|Property)\b|\[(?:Fact|Theory|Test|TestCase|TestMethod)\b/,
    skip: /@(?:Disabled|Ignore)\w{0,24}\b|\[Ignore\b|\bSkip\s{0,4}=|\bassume(?:True|False|That)\s{0,4}\(|\bassumptions?\./i,
    only: never,
  },
  {
    extensions: ['rb'],
    syntax: hash,
    declaration:
      /(?<![\w.$:])(?:(?<mark>[xf]?)(?:it|specify|describe|context|test|example|scenario)[ \t]{0,4}\(?[ \t]{0,4}(?<quote>['"])|def[ \t]{1,8}(?<name>test_\w{1,200}))/g,
    attribute: null,
    skip: /(?<![\w.:])(?:skip|pending)(?![\w:])|,\s{0,4}:?(?:skip|pending)\b/,
    only: /\bfocus:\s{0,4}true|,\s{0,4}:focus\b/,
  },
  {
    extensions: ['php'],
    syntax: { ...cLike, lineComment: ['//'], longText: [] },
    declaration: /\bfunction[ \t]{1,8}(?<name>test\w{0,200})[ \t]{0,8}\(/g,
    attribute: null,
    skip: /\bmarkTest(?:Skipped|Incomplete)\b/,
    only: never,
  },
  {
    extensions: ['exs'],
    syntax: hash,
    declaration: /(?<![\w.@])(?:test|describe)[ \t]{1,4}(?<quote>")/g,
    attribute: null,
    skip: /@(?:module|describe)?tag[ \t]{1,4}:?skip\b/,
    only: never,
  },
  {
    extensions: ['bats'],
    syntax: { ...hash, text: ['"', "'"] },
    declaration: /^@test[ \t]{1,8}(?<quote>["'])/gm,
    attribute: null,
    skip: /^[ \t]{0,80}skip\b/m,
    only: never,
  },
  {
    extensions: ['cc', 'cpp', 'cxx'],
    syntax: { ...cLike, longText: [] },
    declaration: /\b(?:TYPED_)?TEST(?:_F|_P|_CASE)?\s{0,4}\(\s{0,40}(?<name>[^()\n]{1,200})\)/g,
    attribute: null,
    skip: /\bGTEST_SKIP\b|\bDISABLED_/,
    only: never,
  },
];

const testFolders = new Set(['test', 'tests', '__tests__', 'spec', 'specs', 'e2e']);
/** Samples that tests read are no tests. */
const sampleFolders = new Set(['fixtures', '__fixtures__', 'testdata', '__snapshots__', 'samples']);

/** The language whose tests a file may hold; null when it is no file of tests. */
export function testLanguageOf(path: string): TestLanguage | null {
  const segments = path.split('/');
  const name = segments.at(-1) ?? '';
  const extension = name.slice(name.lastIndexOf('.') + 1);
  const language = testLanguages.find(({ extensions }) => extensions.includes(extension));
  if (language === undefined) return null;
  const folders = segments.slice(0, -1);
  if (folders.some((folder) => sampleFolders.has(folder))) return null;
  const isNamed =
    /(?:^|[._-])(?:test|tests|spec)\.\w{1,5}$|^test[_-]|(?:Test|Tests|Spec)\.\w{1,6}$/.test(name);
  const isTest = isNamed || extension === 'bats' || folders.some((each) => testFolders.has(each));
  return isTest || language.anywhere === true ? language : null;
}
