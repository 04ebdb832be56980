import {
  hasWorkspaces,
  packageManagerOf,
  readPackageJson,
  type PackageManager,
} from './package-json.ts';
import type { ProjectFolder } from './project-folder.ts';

/** What a fresh worktree needs before the checks can run in it. */
export type BroughtFiles = {
  readonly link: readonly string[];
  readonly copy: readonly string[];
  /** Shell command once in a new worktree. */
  readonly setup: string | null;
  /** Why it is not simply linked; null when there is nothing to explain. */
  readonly because: string | null;
  /** Ignored files that may hold secrets: named, not proposed. */
  readonly secrets: readonly string[];
};

const maxDepth = 3;
const maxEntries = 20;

/** A link is instant and takes no space, so folders of dependencies are linked where that is safe. */
const linked = new Set(['node_modules/', '.venv/', 'venv/', 'Pods/', 'bower_components/']);
const copied = new Set([
  '.env.test',
  '.env.test.local',
  '.env.testing',
  '.pnp.cjs',
  '.pnp.loader.mjs',
  'local.properties',
]);
const secret = new Set(['.env', '.env.local', '.env.development', '.env.development.local']);

/** `ignored` are the paths that exist and that git ignores: only those are missing from a fresh worktree. */
export async function proposeFiles(
  folder: ProjectFolder,
  ignored: readonly string[],
): Promise<BroughtFiles> {
  const near = ignored.filter((name) => name.replace(/\/$/, '').split('/').length <= maxDepth);
  const pick = (names: ReadonlySet<string>): readonly string[] =>
    near.filter((name) => names.has(lastPart(name))).slice(0, maxEntries);
  const install = await installCommand(folder);
  const replaced = install?.replaces ?? new Set<string>();
  const { link, copy } = rootFolders(folder, ignored);
  return {
    link: [...pick(linked.difference(replaced)), ...link].map(withoutSlash),
    copy: [...pick(copied), ...copy].map(withoutSlash),
    setup: install?.command ?? null,
    because: install?.because ?? null,
    secrets: pick(secret).map(withoutSlash),
  };
}

type Install = {
  readonly command: string | null;
  readonly because: string;
  readonly replaces: ReadonlySet<string>;
};

const installs: Readonly<Record<PackageManager, string>> = {
  npm: 'npm ci --prefer-offline --no-audit --no-fund',
  pnpm: 'pnpm install --frozen-lockfile --prefer-offline',
  yarn: 'yarn install --frozen-lockfile',
  bun: 'bun install --frozen-lockfile',
};

const lockFiles = ['package-lock.json', 'npm-shrinkwrap.json'];

/** Installs what the `package.json` declares; null without one, or when it declares nothing. */
export async function installCommandOf(folder: ProjectFolder): Promise<string | null> {
  const manifest = await readPackageJson(folder);
  if (manifest === null) return null;
  const declared = { ...manifest.dependencies, ...manifest.devDependencies };
  if (Object.keys(declared).length === 0) return null;
  const manager = packageManagerOf(manifest, folder);
  const isLocked = manager !== 'npm' || lockFiles.some((file) => folder.names.has(file));
  return isLocked ? installs[manager] : 'npm install --no-audit --no-fund';
}

const pythonInstalls: readonly (readonly [file: string, command: string | null])[] = [
  // `uv run` makes the environment by itself.
  ['uv.lock', null],
  ['poetry.lock', 'poetry install'],
  ['pdm.lock', 'pdm install'],
  ['Pipfile.lock', 'pipenv sync --dev'],
];

/** Where a linked folder would lead back into the user's checkout, the worktree gets an installation of its own. */
async function installCommand(folder: ProjectFolder): Promise<Install | null> {
  const manifest = await readPackageJson(folder);
  if (manifest !== null && hasWorkspaces(manifest, folder)) {
    return {
      command: installs[packageManagerOf(manifest, folder)],
      because:
        'the packages in node_modules are links into your checkout, and the loop must test its own files',
      replaces: new Set(['node_modules/']),
    };
  }
  const python = pythonInstalls.find(([file]) => folder.names.has(file));
  if (python === undefined) return null;
  return {
    command: python[1],
    because:
      'a shared environment would import your checkout, and the loop must test its own files',
    replaces: new Set(['.venv/', 'venv/']),
  };
}

/** Folders whose meaning depends on the ecosystem. */
function rootFolders(
  { names }: ProjectFolder,
  ignored: readonly string[],
): Pick<BroughtFiles, 'link' | 'copy'> {
  const link: string[] = [];
  const copy: string[] = [];
  const vendor = ignored.find((name) => name === 'vendor/' || name === 'vendor/bundle/');
  // Composer's autoloader follows a link back to the checkout and would load the classes from there.
  if (vendor !== undefined) (names.has('composer.json') ? copy : link).push(vendor);
  if (names.has('mix.exs') && ignored.includes('deps/')) link.push('deps/');
  return { link, copy };
}

function lastPart(name: string): string {
  return /[^/]+\/?$/.exec(name)?.[0] ?? '';
}

function withoutSlash(name: string): string {
  return name.replace(/\/$/, '');
}
