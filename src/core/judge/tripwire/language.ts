import type { Notation } from './literal.ts';

/** How tests of a language compare a value with one that stands in the test. Patterns are for lines without their indent. */
export type Language = {
  readonly extensions: readonly string[];
  readonly notation: Notation;
  /** Computes the first, and is the second. */
  readonly keep: (actual: string, value: string) => string;
  /** Lines that say a word on the error stream when a statement went through, and go on when it did not. */
  readonly mark?: (statement: string, word: string) => readonly string[];
  /** Names have to be used: what is compared is computed in every form. */
  readonly alwaysKeeps?: true;
  /** `assert.equal(`, `assert(`: two values or a condition in brackets. */
  readonly calls: RegExp;
  /** `assert_equal `, `assert `: the same up to the end of the line. */
  readonly words?: RegExp;
  /** What may stand between `expect(x)` and the value. */
  readonly chains?: RegExp;
  /** `if (`: a condition whose failing part ends the test. */
  readonly conditions?: RegExp;
  /** `raise 'x' unless `. */
  readonly guards?: RegExp;
  readonly operators: readonly string[];
  readonly joints: readonly string[];
  /** Starts a comment, up to the end of the line. */
  readonly comment: '//' | '#';
  /** A colon opens a block. */
  readonly hasColons?: true;
};

const plain = { hasCharacters: false, isShell: false };
const characters = { hasCharacters: true, isShell: false };
const symbols = ['&&', '||', '?'];
const equals = ['===', '!==', '==', '!='];

const javascript: Language = {
  extensions: ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx'],
  notation: plain,
  keep: (actual, value) => `(${actual}, ${value})`,
  mark: (statement, word) => [`try { ${statement}; process.stderr.write('${word}\\n'); } catch {}`],
  calls:
    /^(?:await )?(?:(?:assert|t|test|tap|chai\.assert|is|should)\.|[\w$]{1,40}\.(?=\w*[eE]qual))?(?:assert|ok|true|is|same|equals?|eq|strictEquals?|deepEquals?|deepStrictEquals?|eql|strictSame|deepLooseEqual|looseEqual|assert(?:Strict)?Equals|equal[A-Z]\w*|expectEqual|check|expectSame)\(/,
  chains:
    /^\.(?:(?:to|be|resolves|deep|is|and|that)\.)*(?:toBe|toEqual|toStrictEqual|equals?|eql?|eqls)\($/,
  conditions: /^if ?\(/,
  operators: equals,
  joints: symbols,
  comment: '//',
};

const python: Language = {
  extensions: ['py'],
  notation: plain,
  keep: (actual, value) => `(${actual}, ${value})[1]`,
  mark: (statement, word) => [
    'try:',
    `    ${statement}`,
    `    __import__("os").write(2, b"${word}\\n")`,
    'except BaseException:',
    '    pass',
  ],
  calls:
    /^(?:self\.|testing\.|np\.testing\.)?(?:assertEquals?|assert(?:List|Dict|Tuple|Set|MultiLine|Count)Equal|assertIs|assert_(?:array_)?equals?|assertTrue|check|expect_equal)\(/,
  words: /^assert /,
  conditions: /^if /,
  operators: ['==', '!='],
  joints: [' and ', ' or ', ' if '],
  comment: '#',
  hasColons: true,
};

const rust: Language = {
  extensions: ['rs'],
  notation: characters,
  keep: (actual, value) => `{ let _ = ${actual}; ${value} }`,
  calls: /^(?:assert|debug_assert)(?:_eq)?!\(/,
  operators: ['=='],
  joints: symbols,
  comment: '//',
};

const ruby: Language = {
  extensions: ['rb'],
  notation: plain,
  keep: (actual, value) => `[(${actual}), ${value}].last`,
  mark: (statement, word) => [
    'begin',
    `  ${statement}`,
    `  $stderr.puts '${word}'`,
    'rescue Exception',
    'end',
  ],
  calls: /^(?:assert|assert_equal|assert_same|must_equal)\(/,
  words: /^(?:assert|assert_equal|assert_same) /,
  chains: /^\.to (?:eq|eql|equal|be|match_array|eq_array)(?:\(| |\s==\s)$/,
  guards: /^(?:raise|abort|fail|exit)\b.* unless /,
  operators: ['==', '!='],
  joints: [...symbols, ' and ', ' or '],
  comment: '#',
};

const php: Language = {
  extensions: ['php'],
  notation: plain,
  keep: (actual, value) => `[${actual}, ${value}][1]`,
  calls: /^(?:(?:\$this->|self::|static::|Assert::)?assert(?:Same|Equals|True)?)\(/,
  conditions: /^if ?\(/,
  operators: equals,
  joints: symbols,
  comment: '//',
};

const perl: Language = {
  extensions: ['t', 'pl', 'pm'],
  notation: plain,
  keep: (actual, value) => `do { ${actual}; ${value} }`,
  mark: (statement, word) => [`eval { ${statement}; print STDERR "${word}\\n" };`],
  calls: /^(?:Test::More::)?(?:is|ok|is_deeply|cmp_ok)\(/,
  words: /^(?:is|ok) /,
  conditions: /^if ?\(/,
  guards: /^(?:die|exit)\b.* unless /,
  operators: ['==', '!=', ' eq ', ' ne '],
  joints: [...symbols, ' and ', ' or '],
  comment: '#',
};

const c: Language = {
  extensions: ['c', 'cc', 'cpp', 'cxx'],
  notation: characters,
  keep: (actual, value) => `((void)(${actual}), ${value})`,
  calls:
    /^(?:assert|ASSERT|REQUIRE|CHECK|ck_assert|TEST_ASSERT|TEST_CHECK|mu_assert|(?:EXPECT|ASSERT)_(?:EQ|TRUE)|CHECK_EQ|REQUIRE_EQ|ck_assert_int_eq|TEST_ASSERT_EQUAL(?:_INT)?|CU_ASSERT(?:_EQUAL)?|assert_int_equal)\(/,
  words: /^return /,
  conditions: /^if ?\(/,
  operators: ['==', '!='],
  joints: ['&&', '||'],
  comment: '//',
};

const go: Language = {
  extensions: ['go'],
  notation: characters,
  keep: (actual, value) =>
    `func() ${value.startsWith('"') ? 'string' : value.startsWith("'") ? 'rune' : /^(?:true|false)$/.test(value) ? 'bool' : value.includes('.') ? 'float64' : 'int'} { _ = ${actual}; return ${value} }()`,
  alwaysKeeps: true,
  calls: /^(?:assert|require)\.Equal\(/,
  conditions: /^if /,
  operators: ['!=', '=='],
  joints: symbols,
  comment: '//',
};

/** Read by its own words, see `readShell`. */
export const shell: Language = {
  extensions: ['sh', 'bash', 'bats'],
  notation: { hasCharacters: false, isShell: true },
  keep: (_actual, value) => value,
  calls: /^(?!)/,
  operators: [],
  joints: [],
  comment: '#',
};

const languages: readonly Language[] = [javascript, python, rust, ruby, php, perl, c, go, shell];

const programs: readonly (readonly [RegExp, Language])[] = [
  [/\b(?:ba|da|z|k)?sh\b/, shell],
  [/\bnode\b/, javascript],
  [/\bpython/, python],
  [/\bruby\b/, ruby],
  [/\bperl\b/, perl],
];

/** By the end of its name, or by the program that its first line names. */
export function languageOf(extension: string, text: string): Language | null {
  if (extension !== '') {
    return languages.find((each) => each.extensions.includes(extension)) ?? null;
  }
  const line = /^#!.{0,100}/.exec(text)?.[0] ?? '';
  return programs.find(([pattern]) => pattern.test(line))?.[1] ?? null;
}
