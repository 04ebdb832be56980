import { isInChecks } from './classify.ts';
import { isForAsserting } from './named-file.ts';
import type { JudgeFile } from './judge.ts';
import { cHeaders, perlLibrary, pythonLibrary, rubyLibrary } from './library-names.ts';
import type { ManifestNames } from './manifest-names.ts';
import { isRunnerName } from './runner-names.ts';
import { usesPackage, type UsedNames } from './used-names.ts';

type Tree = {
  /** What the judge of the base takes from elsewhere. */
  readonly used: UsedNames;
  /** Names of packages that manifests of the base ask for. */
  readonly asked: ReadonlySet<string>;
  readonly base: readonly string[];
  /** Files of tests and scripts of the base. */
  readonly tests: readonly string[];
  /** Files that the loop has and the base has not. */
  readonly added: readonly string[];
};

const maxAdded = 5000;

/**
 * Files that the loop added and that stand in front of something the base's judge takes from elsewhere: a module of the
 * standard library or of a dependency, or a header of the system. On the base the name means the library; with the file
 * it means the loop's. A name that means nothing on the base is a file that the task is about.
 */
export function findShadows({ used, asked, base, tests, added }: Tree): readonly JudgeFile[] {
  if (added.length === 0) return [];
  const known = withFolders(base);
  const folders = [...foldersOf(base, tests)];
  const isPackage = (folder: string): boolean =>
    known.has(`${folder}/__init__.py`) || used.python.has(folder.split('/').at(-1) ?? '');
  const modules = folders.filter((folder) => folder === '' || !isPackage(folder));
  const libraries: readonly Library[] = [
    { names: used.python, folders: modules, pathsOf: pythonPaths, isForeign: of(pythonLibrary) },
    { names: used.ruby, folders, pathsOf: (name) => [`${name}.rb`], isForeign: of(rubyLibrary) },
    { names: used.perl, folders, pathsOf: perlPaths, isForeign: of(perlLibrary) },
    { names: used.headers, folders, pathsOf: (name) => [name], isForeign: of(cHeaders) },
  ];
  const fronts = new Map<string, string>();
  for (const library of libraries) {
    for (const name of library.names) {
      if (!library.isForeign(name, asked)) continue;
      const paths = library.pathsOf(name);
      const places = library.folders.flatMap((folder) => paths.map((path) => join(folder, path)));
      if (places.some((place) => known.has(place))) continue;
      for (const place of places) fronts.set(place, name);
    }
  }
  return added.slice(0, maxAdded).flatMap((path): readonly JudgeFile[] => {
    const place = [path, ...parentsOf(path)].find((each) => fronts.has(each));
    if (place === undefined) return [];
    const name = fronts.get(place) ?? '';
    const reason = `stands in front of \`${name}\`, which tests take from elsewhere`;
    return [{ path, kind: 'config', reason }];
  });
}

/**
 * Packages of the repository that the base's judge uses to judge: their folder is one of checks or is named for asserting.
 * Other packages that tests use are what they test.
 */
export function helpOf({ local }: ManifestNames, used: UsedNames): ManifestNames['local'] {
  return local.filter(
    ([name, folder]) =>
      usesPackage(used, name) && (isInChecks(folder.split('/')) || isForAsserting(folder)),
  );
}

/** The files of such packages. */
export function helpFiles(
  help: ManifestNames['local'],
  files: readonly string[],
): readonly JudgeFile[] {
  const folders = help.map(([, folder]) => folder);
  if (folders.length === 0) return [];
  return files.flatMap((path): readonly JudgeFile[] => {
    const folder = folders.find((each) => path.startsWith(`${each}/`));
    return folder === undefined
      ? []
      : [{ path, kind: 'script', reason: `of ${folder}, which tests use` }];
  });
}

/** Vendored files of a package that the base's judge uses: they judge, whoever else uses them. */
export function isUsedVendor(path: string, used: UsedNames): boolean {
  const segments = path.split('/');
  const at = segments.findIndex((each) => /^(?:vendor|third_party|third-party)$/.test(each));
  if (at === -1) return false;
  const inside = segments.slice(at + 1, -1);
  return inside.some(
    (name, index) =>
      usesPackage(used, inside.slice(0, index + 1).join('/')) ||
      usesPackage(used, name.replace(/-[\d.]+$/, '')),
  );
}

type Library = {
  readonly names: ReadonlySet<string>;
  /** Where its files are looked for. */
  readonly folders: readonly string[];
  readonly pathsOf: (name: string) => readonly string[];
  readonly isForeign: (name: string, asked: ReadonlySet<string>) => boolean;
};

function of(library: ReadonlySet<string>): Library['isForeign'] {
  return (name, asked) => {
    const first = name.split(/[/.]|::/)[0] ?? '';
    const plain = first.replaceAll('_', '-').toLowerCase();
    const names = [name, first, plain];
    return (
      library.has(name) ||
      library.has(first) ||
      isRunnerName(plain) ||
      names.some((each) => asked.has(each))
    );
  };
}

/** A path with a slash at its end is a folder. */
function pythonPaths(name: string): readonly string[] {
  return [`${name}.py`, `${name}/`, `${name}.so`, `${name}.pyc`];
}

function perlPaths(name: string): readonly string[] {
  return [`${name.replaceAll('::', '/')}.pm`];
}

const rootFolders = /^(?:src|lib|libs|include|inc|python|source|sources)$/;

/**
 * Folders that interpreters and compilers look into: the root, folders of sources whose name says no more than that, and
 * those that tests are in or beside.
 */
function foldersOf(base: readonly string[], tests: readonly string[]): ReadonlySet<string> {
  const found = new Set(['', 'src', 'lib', 'include']);
  for (const path of base) {
    const segments = path.split('/').slice(0, -1);
    const last = segments.findLastIndex((each) => rootFolders.test(each));
    if (last !== -1 && last < 4) found.add(segments.slice(0, last + 1).join('/'));
  }
  for (const path of tests) {
    const segments = path.split('/').slice(0, -1);
    const first = segments.findIndex((each) =>
      /^(?:t|(?:__)?(?:tests?|specs?)(?:__)?)$/.test(each),
    );
    found.add(segments.slice(0, first === -1 ? undefined : first).join('/'));
  }
  return found;
}

function withFolders(paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.flatMap((path) => [path, ...parentsOf(path)]));
}

/** `a/b/c` is in `a/` and in `a/b/`. */
function parentsOf(path: string): readonly string[] {
  const segments = path.split('/').slice(0, -1);
  return segments.map((_, index) => `${segments.slice(0, index + 1).join('/')}/`);
}

function join(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`;
}
