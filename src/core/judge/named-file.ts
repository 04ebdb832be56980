import { classify, isInChecks, isInSources } from './classify.ts';
import type { Mention } from './mention.ts';
import type { Told } from './pattern.ts';
import { declaresTests, looksLikeCheck, textMentions } from './text-mention.ts';

const checking = new Set(
  `check checks checker verify verifies verification verifier validate validation validator accept acceptance judge grade grader gate gates
   test tests tester testing spec specs suite lint linter ci e2e smoke selftest selfcheck qa typecheck coverage assert assertions ensure audit
   runtests testrun precommit prepush regression conformance compliance eval evals`.split(/\s+/),
);
const expecting = new Set(
  'expected expect golden goldens want wanted reference ref baseline case cases snapshot snapshots approved correct oracle fixture fixtures truth'.split(
    ' ',
  ),
);
/** Names of programs that are products: the check runs what was built. */
const entries = new Set(
  'main app index cli server program prog solution __main__ wsgi asgi daemon worker'.split(' '),
);
const documents = /\.(?:md|mdx|rst|adoc|txt|html?)$/i;
const shellFile = /\.(?:sh|bash|zsh|ksh|bats|ps1|cmd|bat)$/;
const code =
  /\.(?:[cm]?[jt]sx?|py|rb|php|go|rs|java|kt|scala|cs|c|cc|cpp|cxx|h|hpp|pl|lua|swift|ex|exs|erl|hs|ml|clj|dart|jl|r|vue|svelte)$/i;

/**
 * What a file that a check names is. A check names its judge and what it judges, and only the first may be put back:
 *
 * - what is loaded before the tests or configures them judges, wherever it stands;
 * - a name or a folder that speaks of checking judges (`scripts/verify.mjs`, `bin/test`);
 * - what a shell runs judges, unless it stands among the sources or another program looks at its output;
 * - what a shell takes in (`. ./x.sh`) judges in the same way, unless it has functions that check nothing: the check calls
 *   them as it would call imported ones;
 * - another program judges when it stands outside of the sources, is not an entry of a product (`main.py`), is not told
 *   to test itself, nobody looks at its output, and its text on the base checks something. One that the base does not
 *   have judges: the loop wrote it;
 * - what a runner is given are tests, unless it stands among the sources or tests only itself;
 * - data judges when it is compared with or its name says that it is expected.
 */
export function tellNamed(
  path: string,
  { role, isSubject }: Mention,
  by: string,
  read: () => string | null | undefined,
): Told | null {
  const known = classify(path);
  if (known !== null) return known;
  const folders = path.split('/');
  const name = folders.pop() ?? '';
  const [inSources, inChecks] = [isInSources(folders), isInChecks(folders)];
  const speaks = inChecks || speaksOf(name, checking);
  const text = role === 'run' || role === 'test' || role === 'source' ? read() : null;
  switch (role) {
    case 'load':
      return script(`loaded by ${by}`);
    case 'config':
      return inSources && code.test(name) ? null : { kind: 'config', reason: `configures ${by}` };
    case 'shell':
      return speaks || (!inSources && !isSubject) ? script(`run by ${by}`) : null;
    case 'source':
      if (speaks) return script(`run by ${by}`);
      if (inSources || isSubject) return null;
      return typeof text === 'string' && isFunctionLibrary(text) ? null : script(`run by ${by}`);
    case 'run':
      if (speaks) return script(`run by ${by}`);
      if (inSources || isSubject || entries.has(stemOf(name))) return null;
      if (shellFile.test(name) || text === undefined || text === null)
        return script(`run by ${by}`);
      return isShellText(text) || looksLikeCheck(text) ? script(`run by ${by}`) : null;
    case 'test':
      if (speaks) return { kind: 'test', reason: `tests run by ${by}` };
      if (inSources || isSubject || !code.test(name)) return null;
      if (typeof text === 'string' && !testsOthers(text)) return null;
      return { kind: 'test', reason: `tests run by ${by}` };
    case 'data':
      return inSources ? null : { kind: 'data', reason: `read by ${by}` };
    case 'argument':
      if (isSubject || inSources) return null;
      if (expects(path) && !code.test(name)) return { kind: 'data', reason: `read by ${by}` };
      return speaks && !documents.test(name) ? script(`named by ${by}`) : null;
  }
}

function script(reason: string): Told {
  return { kind: 'script', reason };
}

/** How a judging file names another one: imports it, has a runner load it, or mentions it. */
export type Naming = 'import' | 'load' | 'string';

/**
 * Whether a file that a judging one names belongs to it. A check imports what it checks, so that an import alone does not
 * tell: the file has to stand beside it outside of the sources, or speak of checking. Configuration checks nothing: what
 * it imports belongs to it, unless it stands among the sources.
 */
export function tellImported(
  path: string,
  from: string,
  kind: Told['kind'],
  naming: Naming,
): Told | null {
  const known = classify(path);
  if (known !== null) return known;
  const folders = path.split('/');
  const name = folders.pop() ?? '';
  const told: Told = { kind: 'script', reason: `loaded by ${from}` };
  if (documents.test(name) && !(name.endsWith('.txt') && kind === 'config')) return null;
  const inSources = isInSources(folders);
  if (kind === 'test') return !inSources && helpsTests(path, name, naming) ? told : null;
  const isData = !code.test(name);
  const isExempting = isData && speaksOf(name, exempting);
  const speaks = isInChecks(folders) || speaksOf(name, checking) || expects(path) || isExempting;
  if (naming === 'string' && kind === 'config' && isData && !inSources) return told;
  if (naming === 'load' && kind === 'config') return inSources && !isSetup(name) ? null : told;
  if (speaks && !inSources) return told;
  if (naming === 'string') return null;
  if (kind === 'config')
    return isSetup(name) || (!inSources && !entries.has(stemOf(name))) ? told : null;
  const home = from.slice(0, Math.max(0, from.lastIndexOf('/')));
  const isBeside = home !== '' && path.startsWith(`${home}/`) && !isInSources(home.split('/'));
  return isBeside ? told : null;
}

/** Names of lists of what a check lets pass. */
const exempting = new Set(
  `known ignore ignored ignores allow allowed allowlist whitelist exception exceptions exclude excluded excludes exclusions exempt
   exempted exemptions skip skips skipped skiplist suppress suppressed suppressions todo waived waivers quarantine quarantined flaky
   xfail threshold thresholds budget budgets`.split(/\s+/),
);
const asserting = new Set(
  `assert asserts assertion assertions expect expects expectation expectations matcher matchers testing testutil testutils testlib
   testkit testhelper testhelpers fixture fixtures mock mocks stub stubs`.split(/\s+/),
);

/** Whether the name of a file or folder says that it helps to assert. */
export function isForAsserting(path: string): boolean {
  return speaksOf(path.slice(path.lastIndexOf('/') + 1), asserting);
}

/**
 * What a test loads is mostly what it tests, also where its name speaks of checking (`validator.py`). Help for asserting is
 * not, nor is data whose name says that it is expected.
 */
function helpsTests(path: string, name: string, naming: Naming): boolean {
  if (code.test(name)) return naming !== 'string' && speaksOf(name, asserting);
  return expects(path) || speaksOf(name, exempting);
}

const settingUp = new Set(
  'setup teardown mock mocks stub stubs helper helpers polyfill polyfills register hooks environment reporter'.split(
    ' ',
  ),
);

function isSetup(name: string): boolean {
  return speaksOf(name, settingUp) || speaksOf(name, checking);
}

/** Whether a file or one of its folders is named for what is expected. */
function expects(path: string): boolean {
  const segments = path.split('/');
  return segments.some((each) => speaksOf(each, expecting));
}

function stemOf(name: string): string {
  const dot = name.indexOf('.', 1);
  return dot === -1 ? name : name.slice(0, dot);
}

/** Whether one of the words that a name consists of is among the given ones. */
function speaksOf(name: string, words: ReadonlySet<string>): boolean {
  return stemOf(name)
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[\s._-]+/)
    .some((word) => words.has(word.toLowerCase()));
}

/** A file with tests of something else; one that only has its own inside is product. */
function testsOthers(text: string): boolean {
  const { imports, modules } = textMentions(text);
  if (imports.length > 0) return true;
  if (!declaresTests(text)) return looksLikeCheck(text);
  return modules.some((each) => !/^(?:unittest|pytest|doctest)/.test(each));
}

/** Has functions, and neither checks something nor changes how the shell that takes it in finds and ends programs. */
function isFunctionLibrary(text: string): boolean {
  return shellFunction.test(text) && !changesShell.test(text) && !looksLikeCheck(text);
}

const shellFunction = /^(?:function[ \t]{1,4}[\w:.-]{1,80}|[\w:.-]{1,80}[ \t]{0,4}\(\))/m;
const changesShell =
  /(?:^|[;&|{(\s])(?:export|alias|unalias|exec|trap|eval|hash|enable|shopt|set \+\w|\w{0,40}PATH=|IFS=|LD_\w{1,40}=)/m;

export function isShellText(text: string): boolean {
  const [line = ''] = text.slice(0, 200).split('\n');
  return line.startsWith('#!') && /\b(?:sh|bash|zsh|dash|ksh)\b/.test(line);
}
