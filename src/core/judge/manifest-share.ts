import { isRunnerName } from './runner-names.ts';
import { isTable, type Share, type ShareOf, type Shares } from './table-merge.ts';

/** A name that only metadata needs, unless a runner is found under it: a package can import itself by its name. */
const ownName: ShareOf = (_key, _base, loop) =>
  typeof loop === 'string' && isRunnerName(loop) ? 'judge' : 'product';
/** A program of the package; one with the name of a runner would run in its place. */
const program: ShareOf = (key) => (isRunnerName(key) ? 'judge' : 'product');
/** A version is the loop's; a runner from a folder, an address or under another name is another runner. */
const dependency: ShareOf = (key, _base, loop) =>
  isRunnerName(key) && isElsewhere(loop) ? 'judge' : 'dependencies';

const dependencyTable: Shares = { '': 'dependencies', '*': dependency };
const judgeTable: Shares = { '*': 'judge' };

function isElsewhere(spec: unknown): boolean {
  if (isTable(spec)) return ['path', 'git', 'url', 'package', 'file'].some((key) => key in spec);
  return typeof spec === 'string' && (spec.includes(':') || /^(?:[./~]|[\w-]+\/)/.test(spec));
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
     repository private publishConfig files main module browser type types typings typesVersions exports imports man
     directories sideEffects engines os cpu libc bin-links displayName publisher categories icon activationEvents
     contributes extensionKind unpkg jsdelivr style sass react-native esnext es2015 customElements`,
  ),
  ...all(
    'dependencies',
    `bundleDependencies bundledDependencies peerDependenciesMeta dependenciesMeta overrides resolutions workspaces
     catalog catalogs pnpm trustedDependencies allowScripts packageExtensions`,
  ),
  name: ownName,
  bin: { '': 'product', '*': program },
  dependencies: dependencyTable,
  devDependencies: dependencyTable,
  peerDependencies: dependencyTable,
  optionalDependencies: dependencyTable,
  scripts: judgeTable,
};

export const denoJson: Shares = {
  ...all('product', 'name version license exports publish'),
  ...all(
    'dependencies',
    'imports scopes importMap workspace patch links lock nodeModulesDir vendor',
  ),
  tasks: judgeTable,
};

export const composerJson: Shares = {
  ...all(
    'product',
    `name description version type keywords homepage readme time license authors support funding abandoned archive bin
     autoload extra non-feature-branches`,
  ),
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
    ...all('dependencies', 'dependencies optional-dependencies requires-python'),
    name: ownName,
    scripts: { '*': program },
    'entry-points': entryPoints,
  },
  'build-system': 'dependencies',
  'dependency-groups': 'dependencies',
  tool: {
    ...all(
      'product',
      `setuptools setuptools_scm setuptools-scm flit maturin scikit-build scikit-build-core cibuildwheel versioningit
       poetry-dynamic-versioning versioneer bumpversion bumpver commitizen towncrier semantic_release briefcase
       cython hatch-vcs meson-python git-cliff`,
    ),
    poetry: {
      '*': 'product',
      ...all('dependencies', 'dependencies dev-dependencies group extras source requires-poetry'),
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
        `sources index dev-dependencies workspace override-dependencies constraint-dependencies conflicts environments
         required-environments dependency-groups default-groups`,
      ),
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
  replace: 'dependencies',
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
