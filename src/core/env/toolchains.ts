/**
 * Caches that are named after their content, or checked against a lock file or checksums before they are used. Tools fill them
 * while an agent works, and nothing is run from them.
 */
const checkedCaches: readonly string[] = [
  '.cache/Cypress',
  '.cache/deno',
  '.cache/go-build',
  '.cache/ms-playwright',
  '.cache/pip',
  '.cache/pnpm',
  '.cache/puppeteer',
  '.cache/uv',
  '.cache/yarn',
  '.cargo/git/db',
  '.cargo/registry/cache',
  '.cargo/registry/index',
  '.composer/cache',
  '.local/share/pnpm/store',
  '.npm/_cacache',
  '.pnpm-store',
  '.yarn/berry/cache',
  'go/pkg/mod/cache',
];
/** What toolchains write for themselves and do not run. */
const ownNotes: readonly string[] = [
  '.nvm/.cache',
  '.pyenv/cache',
  '.pyenv/sources',
  '.rustup/downloads',
  '.rustup/tmp',
  '.sdkman/tmp',
  '.volta/tmp',
];
const unchecked = new Set([...checkedCaches, ...ownNotes]);

/** Whether what changes in a folder of the home, given relative to it, is of no consequence for what a check says. */
export function isHarmless(folder: string): boolean {
  return unchecked.has(folder) || folder.endsWith('/share/doc') || folder.endsWith('/share/man');
}

/** Compiled Python: in a clean place it is compiled anew, wherever it lies. */
export function isCompiledPython(name: string): boolean {
  return name === '__pycache__' || name.endsWith('.pyc');
}

const packageFolders = new Set([
  'site-packages',
  'dist-packages',
  'node_modules',
  'gems',
  'specifications',
  'extensions',
  'versions',
  'toolchains',
  'installs',
  'candidates',
  'bin',
  'shims',
]);

/** Whether a folder holds packages or versions beside each other: one that comes in leaves the others as they are. */
export function holdsPackages(folder: string): boolean {
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  return packageFolders.has(name) || (name.startsWith('@') && folder.includes('node_modules/'));
}

/** Modules that Python loads before any program. */
export function isLoadedFirst(name: string): boolean {
  return name === 'sitecustomize.py' || name === 'usercustomize.py';
}

/**
 * Whether a `.pth` file runs something. Paths in it are looked at last and stand in front of nothing; what installs a project to
 * be edited has one line of its own kind.
 */
export function runsCode(pth: string): boolean {
  return pth
    .split('\n')
    .map((line) => line.trim())
    .some((line) => /^import[ \t]/.test(line) && !editable.test(line));
}
const editable =
  /^import __editable___\w{1,200}_finder; __editable___\w{1,200}_finder\.install\(\)$/;

/**
 * Folders below a home that hold toolchains and downloaded packages, and no configuration: a clean home has these and nothing
 * else of the user's. What can start or redirect a program (`.npmrc`, `.cargo/config.toml`, `.m2/settings.xml`) is not here.
 */
export const toolchainFolders: readonly string[] = [
  '.asdf',
  '.bun',
  '.cache/Cypress',
  '.cache/deno',
  '.cache/go-build',
  '.cache/ms-playwright',
  '.cache/pip',
  '.cache/pnpm',
  '.cache/puppeteer',
  '.cache/uv',
  '.cache/yarn',
  '.cargo/bin',
  '.cargo/git',
  '.cargo/registry',
  '.composer/cache',
  '.deno',
  '.dotnet',
  '.elan',
  '.fnm',
  '.gem',
  '.ghcup',
  '.gradle/caches',
  '.gradle/wrapper',
  '.hex',
  '.ivy2/cache',
  '.julia',
  '.juliaup',
  '.local/bin',
  '.local/lib',
  '.local/share/fnm',
  '.local/share/gem',
  '.local/share/mise',
  '.local/share/pnpm',
  '.local/share/rtx',
  '.local/share/uv',
  '.m2/repository',
  '.m2/wrapper',
  '.mix',
  '.npm/_cacache',
  '.nuget/packages',
  '.nvm',
  '.opam',
  '.phpenv',
  '.pnpm-store',
  '.pub-cache',
  '.pyenv',
  '.rbenv',
  '.rustup',
  '.rvm',
  '.sbt/boot',
  '.sdkman',
  '.stack',
  '.swiftpm',
  '.virtualenvs',
  '.volta',
  '.yarn/berry/cache',
  'go/pkg/mod',
  'go/bin',
  'perl5',
];
