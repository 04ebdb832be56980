import { resolvePath } from './shell.ts';

/** Scripts of `package.json` that a command starts. */
export type PackageStart = {
  /** Names, or globs of names. */
  readonly names: readonly string[];
  /** Folder whose manifest is meant, or the nearest one above it. */
  readonly cwd: string;
  /** Scripts of every manifest of the repository are meant: workspaces. */
  readonly everywhere: boolean;
  /** The words as a program, where the name may be one of an installed program instead. */
  readonly program: readonly string[];
};

const managers = new Set(['npm', 'pnpm', 'yarn', 'bun', 'cnpm', 'nr']);
const monorepo = new Set(['turbo', 'nx', 'lerna', 'rush', 'wsrun', 'ultra']);
const several = new Set(['npm-run-all', 'npm-run-all2', 'run-s', 'run-p']);
const folderOptions = new Set(['--prefix', '-C', '--dir', '--cwd']);
const workspaceOptions = new Set(['-w', '--workspace', '--filter', '-F']);
const everywhereOptions = new Set([
  '--workspaces',
  '-ws',
  '-r',
  '--recursive',
  '-A',
  '--all',
  '-Wr',
]);
const runWords = new Set(['run', 'run-script', 'rum', 'urn', 'foreach']);
/** Commands of a package manager that run the scripts of an installation. */
const installs = new Set([
  'install',
  'i',
  'ci',
  'add',
  'clean-install',
  'install-test',
  'it',
  'cit',
  'install-ci-test',
]);
const lifecycle = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
];
/** Commands of its own that start nothing. */
const others = new Set(
  'exec x dlx audit pack publish version view info config cache link outdated update upgrade why list ls init create login logout remove rm uninstall dedupe prune help bin pm build-none'.split(
    ' ',
  ),
);

/** Null when a command does not start scripts of a manifest. */
export function packageStart(
  program: string,
  rest: readonly string[],
  cwd: string,
): PackageStart | null {
  if (several.has(program)) {
    return { names: plainWords(rest), cwd, everywhere: false, program: [] };
  }
  if (monorepo.has(program)) {
    const names = plainWords(rest)
      .flatMap((word) => word.split(','))
      .map((word) => word.split(':').at(-1) ?? '');
    return { names, cwd, everywhere: true, program: [] };
  }
  return managers.has(program) ? managerStart(program, rest, cwd) : null;
}

function plainWords(words: readonly string[]): readonly string[] {
  return words.filter((word) => !word.startsWith('-'));
}

function managerStart(program: string, rest: readonly string[], from: string): PackageStart | null {
  let cwd = from;
  let everywhere = false;
  const words: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? '';
    const equals = word.indexOf('=');
    const name = equals === -1 ? word : word.slice(0, equals);
    const value = () => (equals === -1 ? (rest[++at] ?? '') : word.slice(equals + 1));
    if (word === '--') break;
    if (folderOptions.has(name)) cwd = resolvePath(value(), cwd) ?? cwd;
    else if (workspaceOptions.has(name)) {
      everywhere = true;
      // `yarn -w` and `pnpm -w` mean the root and take no value.
      if (program === 'npm' || name.startsWith('--f') || name === '-F') value();
    } else if (everywhereOptions.has(word)) everywhere = true;
    else if (!word.startsWith('-')) words.push(word);
  }
  const [first = '', second = '', third = ''] = words;
  const start = (names: readonly string[], own: readonly string[] = []) => ({
    names,
    cwd,
    everywhere,
    program: own,
  });
  if (first === 'workspace')
    return {
      ...start([third === '' ? second : runWords.has(third) ? (words[3] ?? '') : third]),
      everywhere: true,
    };
  if (first === 'workspaces') return { ...start([words.at(-1) ?? '']), everywhere: true };
  if (program === 'bun' && (first === 'test' || /\.\w{1,4}$/.test(first))) return null;
  if (program === 'bun' && first === 'run' && /\.[cm]?[jt]sx?$/.test(second)) return null;
  if (runWords.has(first)) return start([second], program === 'npm' ? [] : words.slice(1));
  if (first === 't' || first === 'tst' || first === 'test') return start(['test']);
  if (installs.has(first) || (first === '' && program === 'yarn'))
    return start([
      ...lifecycle,
      ...(first.includes('t') && /^(?:it|cit|install-test)/.test(first) ? ['test'] : []),
    ]);
  if (['start', 'stop', 'restart'].includes(first)) return start([first]);
  if (program === 'nr') return start([first]);
  if (program === 'npm' || others.has(first) || first === '') return start([]);
  return start([first], words);
}
