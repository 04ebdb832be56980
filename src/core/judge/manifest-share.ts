import { classify, isInChecks } from './classify.ts';
import { isRunnerName } from './runner-names.ts';
import { isTable, type Judges, type Share, type ShareOf, type Shares } from './table-merge.ts';

/** A name that only metadata needs, unless the tests find something else under it: a package can import itself by its name. */
const ownName: ShareOf = (_key, _base, loop, judges) =>
  typeof loop === 'string' && judges(loop) ? 'judge' : 'product';
/** A program of the package; one with the name of a runner would run in its place. */
const program: ShareOf = (key) => (isRunnerName(key) ? 'judge' : 'product');
/** A version is the loop's; what judges, from a folder, an address or under another name, is another judge. */
const dependency: ShareOf = (key, base, loop, judges) =>
  judges(nameOf(key)) && isElsewhere(loop) && !isProductFolder(base) ? 'judge' : 'dependencies';
/** The same for a list of requirements. */
const requirements: ShareOf = (_key, base, loop, judges) => {
  const old = Array.isArray(base) ? base : [];
  const isOdd = (each: unknown): boolean =>
    typeof each === 'string' &&
    !old.includes(each) &&
    each.includes('@') &&
    judges(/^[\w.-]{1,80}/.exec(each)?.[0].toLowerCase() ?? '');
  return Array.isArray(loop) && loop.some(isOdd) ? 'judge' : 'dependencies';
};
/** A specifier that means something else than product on the base means the same ever after. */
const mapping: ShareOf = (_key, base) =>
  base === undefined || targetsOf(base).every(isProductPath) ? 'product' : 'judge';
/** A folder for a namespace that judges. */
const namespace: ShareOf = (key, _base, _loop, judges) =>
  judges(key.split('\\')[0]?.toLowerCase() ?? '') ? 'judge' : 'product';

const dependencyTable: Shares = { '': 'dependencies', '*': dependency };
const requirementLists: Shares = { '': requirements, '*': requirements };
const judgeTable: Shares = { '*': 'judge' };

/** `chai@4`, `parent>chai` and `chai:1.0` are about `chai`. */
function nameOf(key: string): string {
  const last = key.split('>').at(-1) ?? '';
  const at = last.slice(1).search(/[@:]/);
  return at === -1 ? last : last.slice(0, at + 1);
}

function isElsewhere(spec: unknown): boolean {
  if (isTable(spec)) {
    return (
      ['path', 'git', 'url', 'package', 'file'].some((key) => key in spec) ||
      Object.values(spec).some((each) => typeof each === 'string' && isElsewhere(each))
    );
  }
  return typeof spec === 'string' && (spec.includes(':') || /^(?:[./~]|[\w-]+\/)/.test(spec));
}

/** Whether a dependency is a folder of the repository that is product: it may move. */
function isProductFolder(spec: unknown): boolean {
  const target = isTable(spec) ? spec['path'] : spec;
  if (typeof target !== 'string' || !isElsewhere(spec)) return false;
  const path = target.replace(/^(?:file|link|portal|workspace):/, '');
  return path !== target || isTable(spec)
    ? isProductPath(`./${path.replace(/^\.\//, '')}/index`)
    : false;
}

/** What a specifier may mean, whatever the conditions. */
function targetsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(targetsOf);
  return isTable(value) ? Object.values(value).flatMap(targetsOf) : [];
}

function isProductPath(path: string): boolean {
  if (!path.startsWith('./')) return false;
  const plain = path.slice(2);
  return classify(plain) === null && !isInChecks(plain.split('/').slice(0, -1));
}

function all(share: Share, keys: string): Shares {
  return Object.fromEntries(
    keys
      .trim()
      .split(/\s+/)
      .map((key) => [key, share]),
  );
}

/** npm, pnpm, yarn and bun. Everything that is not named configures a tool: `scripts`, `jest`, `eslintConfig` … */
export const packageJson: Shares = {
  ...all(
    'product',
    `version description keywords homepage bugs license licenses author contributors maintainers funding
     repository private publishConfig files main module browser type types typings typesVersions exports man
     directories sideEffects engines os cpu libc bin-links displayName publisher categories icon activationEvents
     contributes extensionKind unpkg jsdelivr style sass react-native esnext es2015 customElements`,
  ),
  ...all(
    'dependencies',
    `bundleDependencies bundledDependencies peerDependenciesMeta dependenciesMeta workspaces trustedDependencies
     allowScripts packageExtensions`,
  ),
  imports: { '': 'product', '*': mapping },
  overrides: dependencyTable,
  resolutions: dependencyTable,
  catalog: dependencyTable,
  catalogs: { '': 'dependencies', '*': dependencyTable },
  pnpm: {
    '': 'dependencies',
    '*': 'dependencies',
    overrides: dependencyTable,
    patchedDependencies: 'judge',
  },
  name: ownName,
  bin: { '': 'product', '*': program },
  dependencies: dependencyTable,
  devDependencies: dependencyTable,
  peerDependencies: dependencyTable,
  optionalDependencies: dependencyTable,
  scripts: judgeTable,
};

/** In an import map, a name is a dependency or a part of the product. */
function imported(key: string, base: unknown, loop: unknown, judges: Judges): Share {
  if (mapping(key, base, loop, judges) === 'product') return 'dependencies';
  return dependency(key, base, loop, judges);
}

export const denoJson: Shares = {
  ...all('product', 'name version license exports publish'),
  ...all('dependencies', 'importMap workspace patch links lock nodeModulesDir vendor'),
  imports: { '': 'dependencies', '*': imported },
  scopes: { '': 'dependencies', '*': { '': 'dependencies', '*': imported } },
  tasks: judgeTable,
};

export const composerJson: Shares = {
  ...all(
    'product',
    `name description version type keywords homepage readme time license authors support funding abandoned archive bin
     extra non-feature-branches`,
  ),
  autoload: { '': 'product', '*': { '': 'product', '*': namespace } },
  ...all(
    'dependencies',
    'conflict replace provide suggest repositories minimum-stability prefer-stable',
  ),
  require: dependencyTable,
  'require-dev': dependencyTable,
  scripts: judgeTable,
};

/** Entry points load a package's own code into pytest. */
const entryPoints: Shares = { '*': 'product', pytest11: 'judge' };

export const pyproject: Shares = {
  project: {
    '*': 'product',
    'requires-python': 'dependencies',
    dependencies: requirements,
    'optional-dependencies': requirementLists,
    name: ownName,
    scripts: { '*': program },
    'entry-points': entryPoints,
  },
  'build-system': 'dependencies',
  'dependency-groups': requirementLists,
  tool: {
    ...all(
      'product',
      `setuptools setuptools_scm setuptools-scm flit maturin scikit-build scikit-build-core cibuildwheel versioningit
       poetry-dynamic-versioning versioneer bumpversion bumpver commitizen towncrier semantic_release briefcase
       cython hatch-vcs meson-python git-cliff`,
    ),
    poetry: {
      '*': 'product',
      ...all('dependencies', 'extras source requires-poetry'),
      dependencies: dependencyTable,
      'dev-dependencies': dependencyTable,
      group: { '*': { '*': 'dependencies', dependencies: dependencyTable } },
      name: ownName,
      scripts: { '*': program },
      plugins: entryPoints,
    },
    pdm: {
      '*': 'product',
      ...all('dependencies', 'dev-dependencies source resolution'),
      scripts: judgeTable,
      options: 'judge',
    },
    hatch: { ...all('product', 'build version metadata publish'), envs: judgeTable },
    uv: {
      ...all('product', 'package build-backend'),
      ...all(
        'dependencies',
        `index dev-dependencies workspace override-dependencies constraint-dependencies conflicts environments
         required-environments dependency-groups default-groups`,
      ),
      sources: dependencyTable,
    },
    rye: { ...all('dependencies', 'dev-dependencies sources workspace'), scripts: judgeTable },
  },
};

/** Of one target: whether it is tested, and by what. */
const targetTests = all('judge', 'test doctest bench harness');

export const cargoToml: Shares = {
  package: { '*': 'product', ...all('judge', 'autotests autobenches build'), name: ownName },
  project: 'judge',
  lib: { '*': 'product', ...targetTests },
  features: 'product',
  badges: 'product',
  bin: targets,
  example: targets,
  dependencies: dependencyTable,
  'dev-dependencies': dependencyTable,
  'build-dependencies': dependencyTable,
  target: {
    '*': { '*': 'judge', dependencies: dependencyTable, 'dev-dependencies': dependencyTable },
  },
  patch: { '*': dependencyTable },
  replace: dependencyTable,
  workspace: {
    ...all('product', 'members exclude default-members resolver package metadata'),
    dependencies: dependencyTable,
    lints: judgeTable,
  },
  profile: judgeTable,
  lints: judgeTable,
};

/** Programs and examples are the loop's, unless the list says something about their tests. */
function targets(_key: string, base: unknown, loop: unknown): Share {
  const speaks = [base, loop].some(
    (list) =>
      Array.isArray(list) &&
      list.some((each) => isTable(each) && Object.keys(targetTests).some((key) => key in each)),
  );
  return speaks ? 'judge' : 'product';
}
