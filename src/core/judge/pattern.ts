import type { JudgeKind } from './judge.ts';

/**
 * Files that judge, told by their path. `names` are globs of the file's name at any depth, `paths` are globs of the end
 * of its path (`.cargo/config*`), `folders` are names of folders all of whose files are meant. Words are separated by
 * spaces; `*` stands for any characters but a slash.
 */
export type Pattern = {
  readonly kind: JudgeKind;
  /** What the file is, for people: "configuration of jest". */
  readonly reason: string;
  readonly names?: string;
  readonly paths?: string;
  readonly folders?: string;
  /** Not inside folders of sources, where such a name is common for product. */
  readonly outsideSources?: true;
};

export type Told = { readonly kind: JudgeKind; readonly reason: string };

/** A compiled table. Among patterns of one kind the first one wins; exact names win over folders, folders over globs. */
export type Matcher = {
  readonly exact: (name: string, inSources: boolean) => Told | null;
  readonly folder: (folders: readonly string[], inSources: boolean) => Told | null;
  readonly glob: (folders: readonly string[], name: string, inSources: boolean) => Told | null;
};

type Glob = { readonly parts: readonly string[]; readonly pattern: Pattern };
type PathGlob = { readonly segments: readonly Glob['parts'][]; readonly pattern: Pattern };

/**
 * Repositories have tens of thousands of files, so that a look at one costs a few lookups: names by a map, globs by how
 * they start or by the extension they end with, and paths by the folder before the name.
 */
export function compile(patterns: readonly Pattern[]): Matcher {
  const exact = new Map<string, Pattern[]>();
  const folders = new Map<string, Pattern>();
  const byStart = new Map<string, Glob[]>();
  const byExtension = new Map<string, Glob[]>();
  const inside: Glob[] = [];
  const byParent = new Map<string, PathGlob[]>();
  for (const pattern of patterns) {
    for (const name of words(pattern.names)) {
      if (!name.includes('*')) put(exact, name, pattern);
      else putGlob({ parts: name.split('*'), pattern });
    }
    for (const glob of words(pattern.paths)) {
      const segments = glob.split('/');
      const parts = segments.map((each) => each.split('*'));
      const parent = segments.at(-2) ?? '';
      put(byParent, parent.includes('*') ? '*' : parent, { segments: parts, pattern });
    }
    for (const folder of words(pattern.folders)) {
      if (!folders.has(folder)) folders.set(folder, pattern);
    }
  }
  return {
    exact: (name, inSources) =>
      told(exact.get(name)?.find((pattern) => counts(pattern, inSources))),
    folder: (inFolders, inSources) => {
      for (const folder of inFolders) {
        const found = folders.get(folder) ?? folders.get(folder.toLowerCase());
        if (found !== undefined && counts(found, inSources)) return told(found);
      }
      return null;
    },
    glob: (inFolders, name, inSources) => {
      const found =
        firstMatch(byStart.get(name.slice(0, 2)), name, inSources) ??
        firstMatch(byExtension.get(name.slice(name.lastIndexOf('.') + 1)), name, inSources) ??
        firstMatch(inside, name, inSources) ??
        firstPath(byParent.get(inFolders.at(-1) ?? ''), inFolders, name, inSources) ??
        firstPath(byParent.get('*'), inFolders, name, inSources);
      return told(found);
    },
  };

  function putGlob(glob: Glob): void {
    const [first = '', last = ''] = [glob.parts[0], glob.parts.at(-1)];
    if (first.length >= 2) put(byStart, first.slice(0, 2), glob);
    else if (last.includes('.')) put(byExtension, last.slice(last.lastIndexOf('.') + 1), glob);
    else inside.push(glob);
  }
}

function firstMatch(
  globs: readonly Glob[] | undefined,
  name: string,
  inSources: boolean,
): Pattern | undefined {
  if (globs === undefined) return undefined;
  for (const { parts, pattern } of globs) {
    if (matchesParts(name, parts) && counts(pattern, inSources)) return pattern;
  }
  return undefined;
}

function firstPath(
  globs: readonly PathGlob[] | undefined,
  folders: readonly string[],
  name: string,
  inSources: boolean,
): Pattern | undefined {
  if (globs === undefined) return undefined;
  const path = [...folders, name];
  return globs.find(
    ({ segments, pattern }) => counts(pattern, inSources) && endsWith(path, segments),
  )?.pattern;
}

function put<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

function counts({ outsideSources }: Pattern, inSources: boolean): boolean {
  return outsideSources !== true || !inSources;
}

function words(text = ''): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function told(pattern: Pattern | undefined): Told | null {
  return pattern === undefined ? null : { kind: pattern.kind, reason: pattern.reason };
}

function endsWith(path: readonly string[], segments: readonly Glob['parts'][]): boolean {
  const offset = path.length - segments.length;
  return (
    offset >= 0 && segments.every((parts, index) => matchesParts(path[offset + index] ?? '', parts))
  );
}

/** Whether a name is the parts of a glob with anything between them. */
export function matchesParts(name: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? '';
  if (parts.length === 1) return name === first;
  const last = parts[parts.length - 1] ?? '';
  const end = name.length - last.length;
  if (end < first.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (let index = 1; index < parts.length - 1; index++) {
    const part = parts[index] ?? '';
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= end;
}
