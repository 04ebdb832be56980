import { withoutComments, type Syntax } from './source-code.ts';
import type { ChangedFile } from './test-source.ts';
import type { Violation } from './violation.ts';

type Family = {
  readonly files: RegExp;
  readonly syntax: Syntax;
  /** Words that take tests or results away; more of them than on the base is a weaker judge. */
  readonly weakening: readonly string[];
  /** Keys that say which files are tests; another value is another judge. */
  readonly selecting: readonly string[];
};

const script: Syntax = {
  lineComment: ['//'],
  blockComment: [['/*', '*/']],
  longText: ['`'],
  text: ['"', "'"],
};
const hash: Syntax = { lineComment: ['#', ';'], blockComment: [], longText: [], text: ['"', "'"] };
const markup: Syntax = { lineComment: [], blockComment: [['<!--', '-->']], longText: [], text: [] };

const javascriptWords = [
  'exclude',
  'testPathIgnorePatterns',
  'modulePathIgnorePatterns',
  'coveragePathIgnorePatterns',
  'passWithNoTests',
  'pass-with-no-tests',
  'testNamePattern',
  'dangerouslyIgnoreUnhandledErrors',
  'forbidOnly: false',
  'setupFiles',
  'setupFilesAfterEnv',
  'globalSetup',
  'globalTeardown',
  'testIgnore',
  'grepInvert',
];

const families: readonly Family[] = [
  {
    files: /^(?:vitest|jest|playwright|cypress|karma|ava|wdio)\.(?:config|workspace)\.\w{1,4}$/,
    syntax: script,
    weakening: javascriptWords,
    selecting: ['include', 'testMatch', 'testRegex', 'testDir', 'roots'],
  },
  {
    files: /^vite\.config\.\w{1,4}$|^\.(?:mocharc|nycrc|c8rc|taprc)(?:\.\w{1,5})?$|^package\.json$/,
    syntax: { ...script, lineComment: ['//'] },
    weakening: javascriptWords,
    selecting: ['testMatch', 'testRegex', 'spec'],
  },
  {
    files: /^\.?(?:pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini|coveragerc|noxfile\.py)$/,
    syntax: hash,
    weakening: ['--ignore', '--deselect', 'collect_ignore', 'norecursedirs', 'omit', '-p no:'],
    selecting: ['testpaths', 'python_files', 'python_functions', 'python_classes', 'addopts'],
  },
  {
    files: /^conftest\.py$/,
    syntax: { ...hash, lineComment: ['#'] },
    weakening: [
      'collect_ignore',
      'pytest_ignore_collect',
      'pytest_collection_modifyitems',
      'pytest_collection_finish',
      'pytest_deselected',
      'pytest_sessionfinish',
      'pytest_runtest_makereport',
      'pytest_runtest_protocol',
      'pytest_runtest_call',
      'pytest_runtest_setup',
      'pytest_pyfunc_call',
      'pytest_report_teststatus',
      'pytest_terminal_summary',
      'exitstatus',
      'mark.skip',
      'mark.xfail',
      '_exit(',
      'sys.exit(',
    ],
    selecting: [],
  },
  {
    files: /^Cargo\.toml$/,
    syntax: { ...hash, lineComment: ['#'] },
    weakening: ['autotests = false', 'test = false', 'harness = false', 'doctest = false'],
    selecting: [],
  },
  {
    files: /^\.(?:npmrc|yarnrc|yarnrc\.yml|rspec)$/,
    syntax: hash,
    weakening: ['script-shell', 'node-options', 'ignore-scripts', 'yarn-path', 'yarnPath', '--tag'],
    selecting: [],
  },
  {
    files: /^(?:phpunit\.xml(?:\.dist)?|pom\.xml|build\.gradle(?:\.kts)?|\.?codecov\.ya?ml)$/,
    syntax: { ...markup, lineComment: ['//'] },
    weakening: ['skipTests', 'maven.test.skip', '<exclude>', 'ignoreFailures', 'testFailureIgnore'],
    selecting: [],
  },
];

const threshold =
  /\b(branches|functions|lines|statements|fail_under|fail-under|threshold|minimum|target)\b["']?\s{0,4}[:=]\s{0,4}["']?(\d{1,3}(?:\.\d{1,4})?)/g;

/** Whether a changed file may hold configuration of a runner, or a script that a check starts. */
export function isTestConfig(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return /^(?:GNUm|M|m)akefile$/.test(name) || families.some(({ files }) => files.test(name));
}

/** Files that describe a whole project, which builds may generate; a hidden one proves nothing. */
const manifests = /^(?:package\.json|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?)$/;

/** Whether a file does nothing but configure how tests run, so that a hidden one has no honest use. */
export function isRunnerConfig(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'GNUmakefile') return true;
  return !manifests.test(name) && families.some(({ files }) => files.test(name));
}

/** Configuration of runners and coverage that asks for less than on the base. */
export function weakenedConfig({ path, before, after }: ChangedFile): readonly Violation[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const family = families.find(({ files }) => files.test(name));
  if (family === undefined) return [];
  const [old, now] = [settingsText(name, before, family), settingsText(name, after, family)];
  const texts = [
    ...loweredThresholds(old, now),
    ...family.weakening.flatMap((word) =>
      count(now, word) > count(old, word) ? [`has a new \`${word}\``] : [],
    ),
    ...family.selecting.flatMap((key) =>
      valueOf(old, key) === valueOf(now, key) ? [] : [`has another \`${key}\``],
    ),
  ];
  return texts.map((text) => ({
    kind: 'weakened-config',
    subject: path,
    file: path,
    text: `${path} ${text}`,
  }));
}

/** Sections of `package.json` that configure a runner; the rest of that file is no test configuration. */
const packageSections = ['jest', 'vitest', 'mocha', 'ava', 'tap', 'nyc', 'c8'];

function settingsText(name: string, text: string | null, { syntax }: Family): string {
  if (text === null) return '';
  if (name !== 'package.json') return withoutComments(text, syntax);
  const parsed = parseObject(text);
  const sections = packageSections.flatMap((key) => (key in parsed ? [[key, parsed[key]]] : []));
  return sections.length === 0 ? '' : JSON.stringify(Object.fromEntries(sections), null, 1);
}

/** The object a JSON text holds; empty when it holds none. */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    // A manifest that cannot be read configures nothing; the checks that need it fail by themselves.
    return {};
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function loweredThresholds(old: string, now: string): readonly string[] {
  const [before, after] = [thresholdsOf(old), thresholdsOf(now)];
  return [...before].flatMap(([key, was]) => {
    const is = after.get(key);
    if (is === undefined) return [`has no threshold for \`${key}\` any more (it was ${was})`];
    return is < was ? [`lowers the threshold for \`${key}\` from ${was} to ${is}`] : [];
  });
}

/** The lowest value of each threshold. */
function thresholdsOf(text: string): Map<string, number> {
  const lowest = new Map<string, number>();
  for (const [, key = '', value = ''] of text.matchAll(threshold)) {
    lowest.set(key, Math.min(lowest.get(key) ?? Number.POSITIVE_INFINITY, Number(value)));
  }
  return lowest;
}

function count(text: string, word: string): number {
  return text.split(word).length - 1;
}

/** What stands after a key, up to the end of its list or line; empty when the key is not there. */
function valueOf(text: string, key: string): string {
  const values: string[] = [];
  for (let at = text.indexOf(key); at !== -1; at = text.indexOf(key, at + key.length)) {
    if (values.length >= 20) break;
    const rest = text.slice(at + key.length, at + key.length + 500);
    const head = /^["']?\s{0,4}[:=]\s{0,4}/.exec(rest);
    if (head === null) continue;
    const value = rest.slice(head[0].length);
    const end = value.startsWith('[') ? value.indexOf(']') + 1 : value.indexOf('\n');
    values.push((end > 0 ? value.slice(0, end) : value).replaceAll(/\s+/g, ' ').trim());
  }
  return values.join(' ');
}
