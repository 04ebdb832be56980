import { lazy } from '../lazy.ts';
import { compile, type Matcher, type Told } from './pattern.ts';
import {
  configs,
  data,
  dependencies,
  installed,
  manifests,
  shadowingModules,
  testFolders,
  tests,
} from './pattern-table.ts';
import { isRunnerName } from './runner-names.ts';

/** The tables take a moment, and most commands never look at them. */
const matchers = lazy(() => ({
  installed: compile(installed),
  data: compile(data),
  dependencies: compile(dependencies),
  testFolders: compile(testFolders),
  tests: compile(tests),
  configs: compile(configs),
  manifests: compile(manifests),
}));

/** What the folders of a file say; the same for all files of a folder. */
type Place = {
  readonly folders: readonly string[];
  readonly inSources: boolean;
  readonly vendored: Told | null;
  readonly told: (matcher: Matcher) => Told | null;
  readonly isTest: boolean;
};

/** What a path alone tells of a file: what it judges by, or null when it is product as far as one can see. */
export function classify(path: string): Told | null {
  return createClassify()(path);
}

/** Whether a path is that of a test, or of something beside tests. */
export function isTestFile(path: string): boolean {
  return classify(path)?.kind === 'test';
}

/** The same for many paths, which share what their folders tell. */
export function createClassify(): (path: string) => Told | null {
  const places = new Map<string, Place>();
  return (path) => {
    const slash = path.lastIndexOf('/');
    const folder = path.slice(0, Math.max(0, slash));
    const place = places.get(folder) ?? placeOf(folder);
    places.set(folder, place);
    return tell(place, path.slice(slash + 1));
  };
}

function placeOf(folder: string): Place {
  const folders = folder === '' ? [] : folder.split('/');
  const inSources = isInSources(folders);
  const byMatcher = new Map(
    Object.values(matchers()).map((each) => [each, each.folder(folders, inSources)]),
  );
  return {
    folders,
    inSources,
    vendored: vendored(folders),
    told: (matcher) => byMatcher.get(matcher) ?? null,
    isTest: folders.some(isTestFolder),
  };
}

function tell(place: Place, name: string): Told | null {
  return (
    place.vendored ??
    match(matchers().installed, place, name) ??
    match(matchers().data, place, name) ??
    match(matchers().dependencies, place, name) ??
    shadowing(place.folders, name) ??
    testOf(place, name) ??
    match(matchers().configs, place, name) ??
    match(matchers().manifests, place, name)
  );
}

function match(matcher: Matcher, place: Place, name: string): Told | null {
  const { folders, inSources } = place;
  return (
    matcher.exact(name, inSources) ?? place.told(matcher) ?? matcher.glob(folders, name, inSources)
  );
}

/**
 * Whether a file among the sources may be one of tests by its name, which is common for product there: `go-test.ts`,
 * `test-runner.js`. Its text on the base tells.
 */
export function mayBeTest(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (documents.test(name)) return false;
  return /^tests?[-_.].{0,80}\.[a-z]{1,4}$|-(?:tests?|spec)\.[a-z]{1,4}$|(?:Spec|Tests?)\.[cm]?[jt]sx?$|^tests?\.[a-z]{1,4}$/.test(
    name,
  );
}

const sourceFolders = new Set(
  'src lib libs app bin pkg cmd internal source sources include commands command components models views controllers routes pages'.split(
    ' ',
  ),
);
const checkFolders = new Set(
  'scripts script tools tool ci .ci hack checks check qa verify verification validation acceptance smoke build-tools devtools dev .github .husky .githooks benchmark benchmarks'.split(
    ' ',
  ),
);

/** The first folder on the way to a file that says what it is for. */
export function isInSources(folders: readonly string[]): boolean {
  const found = folders.find((each) => sourceFolders.has(each) || checkFolders.has(each));
  return found !== undefined && sourceFolders.has(found);
}

export function isInChecks(folders: readonly string[]): boolean {
  const found = folders.find((each) => sourceFolders.has(each) || checkFolders.has(each));
  return found !== undefined && checkFolders.has(found);
}

/** Documents have names such as `how-to-test.md`. */
const documents = /\.(?:md|mdx|rst|adoc|html?|pdf)$/i;
/** Descriptions of interfaces stand in folders named `spec` as well. */
const descriptions = /\.(?:proto|graphql|gql|raml|png|svg)$|^(?:openapi|swagger|asyncapi)\b/i;
/** Commands of a program, one of which may be called `test`. */
const commandFolders = new Set(['commands', 'command', 'cmd', 'subcommands', 'cli']);

function testOf(place: Place, name: string): Told | null {
  const inside = match(matchers().testFolders, place, name);
  if (inside !== null || place.isTest) {
    const isSpec = place.folders.some((each) => /^specs?$/i.test(each));
    const isDocument = documents.test(name) || descriptions.test(name);
    if (!isSpec || !isDocument) return inside ?? { kind: 'test', reason: 'in a folder of tests' };
  }
  if (documents.test(name)) return null;
  const isCommand =
    /^tests?\.[a-z]{1,4}$/.test(name) && place.folders.some((each) => commandFolders.has(each));
  return isCommand ? null : match(matchers().tests, place, name);
}

/** `Shop.Tests`, `unit-tests`, `my_test`, `AppUITests`. */
function isTestFolder(folder: string): boolean {
  return /[._-](?:tests?|specs?)$/i.test(folder) || /[a-z0-9](?:Tests?|Specs?)$/.test(folder);
}

function vendored(folders: readonly string[]): Told | null {
  const at = folders.findIndex((each) =>
    ['vendor', 'third_party', 'third-party', 'extern', 'external', 'deps', 'submodules'].includes(
      each,
    ),
  );
  if (at === -1) return null;
  const inside = folders.slice(at + 1);
  if (inside.some((each) => isRunnerName(each)))
    return { kind: 'config', reason: 'a vendored runner' };
  return folders[at] === 'vendor' && inside.length > 0
    ? { kind: 'dependencies', reason: 'vendored dependencies' }
    : null;
}

/** At the root, a module or a folder of it with a name that Python looks for before the installed ones. */
function shadowing(folders: readonly string[], name: string): Told | null {
  const [first = name] = folders;
  const isPython = name.endsWith('.py') || name.endsWith('.so') || name.endsWith('.pyc');
  const module = folders.length === 0 ? name.slice(0, Math.max(0, name.indexOf('.'))) : first;
  if (!isPython || folders.length > 2 || !shadowingModules.has(module)) return null;
  return { kind: 'config', reason: `stands in front of Python's own \`${module}\`` };
}
