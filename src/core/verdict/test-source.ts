import { withoutComments } from './source-code.ts';
import { testLanguageOf, type TestLanguage } from './test-language.ts';
import type { Violation } from './violation.ts';

/** One file before and after the work of the loop; null when it is not there. */
export type ChangedFile = {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
};

/** A test or a group of tests as its source shows it. */
export type SourceTest = {
  readonly name: string;
  readonly isSkipped: boolean;
  readonly isOnly: boolean;
  /** Calls that look as if they could fail the test; those that cannot (`assert(true)`) do not count. */
  readonly assertions: number;
  /** Places where a failing assertion is caught and forgotten. */
  readonly swallowed: number;
};

export type TestSource = {
  readonly tests: readonly SourceTest[];
  /** The whole file is kept from running. */
  readonly isSkipped: boolean;
  /** Calls that end the process of the runner. */
  readonly exits: number;
  readonly assertions: number;
  /** Tests that a later one with the same name stands in front of. */
  readonly overridden: readonly string[];
};

const maxTests = 5000;
const attributeLines = 20;
const attributeChars = 4000;

const trivial =
  /\b(?:assert(?:\.(?:ok|strictEqual|equal))?|expect|ok|t\.(?:ok|true|pass|truthy)|assertTrue|assert_eq!|assert!)\s{0,4}\(\s{0,4}(?:true|True|1)?\s{0,4}(?:,\s{0,4}(?:true|True|1)\s{0,4})?\)(?:\.to(?:Be|Equal|BeTruthy|StrictEqual)\((?:true|1)?\))?|\bassert[ \t]{1,4}(?:True|1)\b|\bassert\b[^\n]{0,300}\bor[ \t]{1,4}(?:True|1)\b[^\n]{0,80}|\b(?:assert|expect)\b[^\n]{0,300}\|\|[ \t]{0,4}true\b[^\n]{0,80}/g;
const assertion =
  /assert|expect|should|verif|check|require|ensure|throw|reject|equal|raise|fail|panic|match|\bt\.[a-z]{1,20}\s{0,4}\(|\bis\s{0,4}\(/gi;
const exit =
  /\bprocess\.(?:exit|reallyExit|abort|kill)\s{0,4}\(|\bprocess\.exitCode\s{0,4}=|\bos\._exit\s{0,4}\(|\bsys\.exit\s{0,4}\(|\bpytest\.exit\s{0,4}\(|\bprocess::exit\s{0,4}\(|\bos\.Exit\s{0,4}\(\s{0,4}0|\bSystem\.exit\s{0,4}\(/g;
/** The first thing the test does is to leave. */
const leavesFirst =
  /^[^{}\n]{0,200}\{\s{0,200}return\b[^\n(]{0,20}[;\n]|^[^\n]{0,200}:[ \t]{0,8}\n[ \t]{1,80}return\b/;

/** Reads the tests of a source file. Total: a file that is no source gives no tests. */
export function readTestSource(source: string, language: TestLanguage): TestSource {
  const code = withoutComments(source, language.syntax);
  const found = declarationsIn(code, language);
  const starts = found.map(({ index }, nth) => {
    const before = found[nth - 1];
    const from = before === undefined ? 0 : before.index + before[0].length;
    return Math.max(from, attributesStart(code, index));
  });
  const tests = found.flatMap((match, index): SourceTest[] => {
    const above = code.slice(starts[index] ?? match.index, match.index);
    if (language.attribute !== null && !language.attribute.test(above)) return [];
    const after = match.index + match[0].length;
    const body = code.slice(after, starts[index + 1] ?? code.length);
    const marks = `${match.groups?.['mark'] ?? ''}${match.groups?.['marks'] ?? ''}`;
    return [
      {
        name: nameOf(match, body),
        isSkipped: isSkipMark(marks) || language.skip.test(above) || language.skip.test(body),
        isOnly: isOnlyMark(marks) || language.only.test(body.slice(0, 500)),
        assertions: leavesFirst.test(body) ? 0 : countAssertions(body),
        swallowed: countSwallowed(body),
      },
    ];
  });
  const head = code.slice(0, starts[0] ?? code.length);
  return {
    tests,
    isSkipped: isFileSkipped(source, head, language),
    exits: code.match(exit)?.length ?? 0,
    assertions: countAssertions(code),
    overridden: language.extensions.includes('py') ? overriddenIn(code) : [],
  };
}

/** What was weakened in the test files among the changed ones. A test may move from one file to another. */
export function weakenedSources(files: readonly ChangedFile[]): readonly Violation[] {
  const pairs = files.flatMap((file) => {
    const language = testLanguageOf(file.path);
    if (language === null) return [];
    const read = (text: string | null) => (text === null ? null : readTestSource(text, language));
    return [{ path: file.path, before: read(file.before), after: read(file.after) }];
  });
  const now = new Map<string, SourceTest[]>();
  for (const { after } of pairs) {
    for (const test of after?.tests ?? [])
      now.set(test.name, [...(now.get(test.name) ?? []), test]);
  }
  return pairs.flatMap(({ path, before, after }) => [
    ...(before === null ? [] : before.tests.flatMap((test) => weakenedTest(path, test, now))),
    ...weakenedFile(path, before, after),
  ]);
}

function weakenedTest(
  path: string,
  before: SourceTest,
  now: Map<string, SourceTest[]>,
): readonly Violation[] {
  const after = now.get(before.name)?.shift();
  const found = (kind: Violation['kind'], text: string): readonly Violation[] => [
    { kind, subject: before.name, file: path, text: `the test "${before.name}" ${text}` },
  ];
  if (after === undefined) {
    return before.isSkipped ? [] : found('removed-test', `is gone from ${path}`);
  }
  if (after.isSkipped && !before.isSkipped) {
    return found('skipped-test', `is marked as skipped, todo or expected to fail in ${path}`);
  }
  if (before.assertions > 0 && after.assertions === 0) {
    return found('emptied-test', `asserts nothing any more in ${path}`);
  }
  if (after.swallowed > before.swallowed) {
    return found('emptied-test', `catches its own failing assertions in ${path}`);
  }
  return [];
}

function weakenedFile(
  path: string,
  before: TestSource | null,
  after: TestSource | null,
): readonly Violation[] {
  if (after === null) return [];
  const violations: Violation[] = [];
  const add = (kind: Violation['kind'], text: string) =>
    violations.push({ kind, subject: path, file: path, text: `${path} ${text}` });
  const onlyBefore = before?.tests.filter(({ isOnly }) => isOnly).length ?? 0;
  if (after.tests.filter(({ isOnly }) => isOnly).length > onlyBefore) {
    add('only', 'has a new `.only`: the runner leaves out all other tests');
  }
  if (after.exits > (before?.exits ?? 0))
    add('ends-runner', 'ends the process of the runner itself');
  if (before === null) return violations;
  for (const name of after.overridden.filter((each) => !before.overridden.includes(each))) {
    const text = `the test "${name}" is defined again in ${path}: only the last one runs`;
    violations.push({ kind: 'removed-test', subject: name, file: path, text });
  }
  if (after.isSkipped && !before.isSkipped) add('skipped-test', 'is kept from running as a whole');
  const isPlain = before.tests.length === 0 && after.tests.length === 0;
  if (isPlain && after.assertions < before.assertions) {
    add('emptied-test', `had ${before.assertions} assertions and has ${after.assertions} now`);
  }
  return violations;
}

function declarationsIn(code: string, { declaration }: TestLanguage): readonly RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of code.matchAll(declaration)) {
    if (found.push(match) >= maxTests) break;
  }
  return found;
}

function nameOf(match: RegExpMatchArray, body: string): string {
  const { name, group, quote } = match.groups ?? {};
  if (quote === undefined) return name ?? group ?? '';
  for (let at = 0; at < Math.min(body.length, 300); at++) {
    if (body[at] === '\\') at++;
    else if (body[at] === quote) return body.slice(0, at);
  }
  return body.slice(0, 300);
}

function isSkipMark(marks: string): boolean {
  return marks.startsWith('x') || /\.(?:skip|todo|fixme|fails|failing|skipIf|runIf)\b/.test(marks);
}

function isOnlyMark(marks: string): boolean {
  return marks.startsWith('f') || /\.only\b/.test(marks);
}

function countAssertions(body: string): number {
  return body.replaceAll(trivial, ' ').match(assertion)?.length ?? 0;
}

const emptyCatch =
  /\bcatch\s{0,4}(?:\([^()\n]{0,100}\)\s{0,4})?\{\s{0,200}\}|^[ \t]{0,80}except\b[^\n:]{0,100}:\s{0,200}pass\b/gm;
const maxTryChars = 4000;
const maxSwallowed = 50;

/** Only a `try` with an assertion inside: what cleans up may fail unseen. */
function countSwallowed(body: string): number {
  let count = 0;
  let seen = 0;
  for (const { index } of body.matchAll(emptyCatch)) {
    const before = body.slice(Math.max(0, index - maxTryChars), index);
    const start = before.lastIndexOf('try');
    if (start !== -1 && countAssertions(before.slice(start)) > 0) count++;
    if (++seen >= maxSwallowed) break;
  }
  return count;
}

/** Python takes the last of several functions with the same name in a class or module, and says nothing. */
function overriddenIn(code: string): readonly string[] {
  const defined =
    /^class[ \t]{1,8}(?<group>\w{1,200})|^(?<indent>[ \t]{0,80})(?:async[ \t]{1,8})?def[ \t]{1,8}(?<name>test\w{0,200})/gm;
  const seen = new Set<string>();
  const found = new Set<string>();
  let scope = '';
  for (const { groups } of code.matchAll(defined)) {
    const { group, indent = '', name = '' } = groups ?? {};
    if (group !== undefined) scope = group;
    else if (seen.has(`${indent === '' ? '' : scope} ${indent} ${name}`)) found.add(name);
    else seen.add(`${indent === '' ? '' : scope} ${indent} ${name}`);
  }
  return [...found];
}

/** Attributes and decorators above a declaration belong to it. */
function attributesStart(code: string, declaration: number): number {
  const floor = Math.max(0, declaration - attributeChars);
  const lines = code.slice(floor, declaration).split('\n');
  let start = declaration - (lines.pop() ?? '').length;
  for (const line of lines.toReversed().slice(0, attributeLines)) {
    const text = line.trim();
    if (text !== '' && !text.startsWith('@') && !text.startsWith('#[') && !text.startsWith('[')) {
      break;
    }
    start -= line.length + 1;
  }
  return Math.max(start, floor);
}

/** Markers that stand for themselves before the first test, and build tags. */
function isFileSkipped(source: string, head: string, language: TestLanguage): boolean {
  if (/^\/\/(?:go:build|[ \t]{1,4}\+build)\b/m.test(source.slice(0, 2000))) return true;
  if (/^#!\[cfg\((?:any\(\)|FALSE|not\(test\))/m.test(source.slice(0, 2000))) return true;
  return /\bpytestmark\s{0,4}=[^\n]{0,200}\bskip/.test(head) || isHeadSkipped(head, language);
}

function isHeadSkipped(head: string, { extensions, skip }: TestLanguage): boolean {
  return extensions.includes('py') && skip.test(head);
}
