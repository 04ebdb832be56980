import { isManifest } from './manifest.ts';
import { compile, type Told } from './pattern.ts';
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

const matchers = {
  installed: compile(installed),
  data: compile(data),
  dependencies: compile(dependencies),
  testFolders: compile(testFolders),
  tests: compile(tests),
  configs: compile(configs),
  manifests: compile(manifests),
};

/** What a path alone tells of a file: what it judges by, or null when it is product as far as one can see. */
export function classify(path: string): Told | null {
  const folders = path.split('/');
  const name = folders.pop() ?? '';
  const inSources = isInSources(folders);
  const inVendor = vendored(folders);
  if (inVendor !== null) return inVendor;
  return (
    matchers.installed(folders, name, inSources) ??
    matchers.data(folders, name, inSources) ??
    matchers.dependencies(folders, name, inSources) ??
    testOf(folders, name, inSources) ??
    matchers.configs(folders, name, inSources) ??
    (isManifest(name) ? matchers.manifests(folders, name, inSources) : null) ??
    shadowing(folders, name)
  );
}

const sourceFolders = new Set(
  'src lib libs app bin pkg cmd internal source sources include commands command cli server client api core components models views controllers services routes pages'.split(
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

function testOf(folders: readonly string[], name: string, inSources: boolean): Told | null {
  const inside = matchers.testFolders(folders, name, inSources);
  if (inside !== null || folders.some(isTestFolder)) {
    const isSpec = folders.some((each) => /^specs?$/i.test(each));
    const isDocument = documents.test(name) || descriptions.test(name);
    if (!isSpec || !isDocument) return inside ?? { kind: 'test', reason: 'in a folder of tests' };
  }
  if (documents.test(name)) return null;
  const isCommand =
    /^tests?\.[a-z]{1,4}$/.test(name) && folders.some((each) => commandFolders.has(each));
  return isCommand ? null : matchers.tests(folders, name, inSources);
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
