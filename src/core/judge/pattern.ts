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

type Glob = { readonly parts: readonly string[]; readonly pattern: Pattern };
export type Matcher = (folders: readonly string[], name: string, inSources: boolean) => Told | null;

/** One look at a path for a whole table: exact names by a map, globs one after the other. Earlier patterns win. */
export function compile(patterns: readonly Pattern[]): Matcher {
  const exact = new Map<string, Pattern[]>();
  const globs: Glob[] = [];
  const paths: { readonly segments: readonly (readonly string[])[]; readonly pattern: Pattern }[] =
    [];
  const folders = new Map<string, Pattern>();
  for (const pattern of patterns) {
    for (const name of words(pattern.names)) {
      if (name.includes('*')) globs.push({ parts: name.split('*'), pattern });
      else exact.set(name, [...(exact.get(name) ?? []), pattern]);
    }
    for (const glob of words(pattern.paths)) {
      paths.push({ segments: glob.split('/').map((each) => each.split('*')), pattern });
    }
    for (const folder of words(pattern.folders)) {
      if (!folders.has(folder)) folders.set(folder, pattern);
    }
  }
  return (inFolders, name, inSources) => {
    const counts = (pattern: Pattern) => pattern.outsideSources !== true || !inSources;
    const named = exact.get(name)?.find(counts);
    if (named !== undefined) return told(named);
    for (const folder of inFolders) {
      const found = folders.get(folder) ?? folders.get(folder.toLowerCase());
      if (found !== undefined && counts(found)) return told(found);
    }
    for (const { parts, pattern } of globs) {
      if (matchesParts(name, parts) && counts(pattern)) return told(pattern);
    }
    for (const { segments, pattern } of paths) {
      if (endsWith([...inFolders, name], segments) && counts(pattern)) return told(pattern);
    }
    return null;
  };
}

function words(text = ''): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function told({ kind, reason }: Pattern): Told {
  return { kind, reason };
}

function endsWith(path: readonly string[], segments: readonly (readonly string[])[]): boolean {
  const offset = path.length - segments.length;
  return (
    offset >= 0 && segments.every((parts, index) => matchesParts(path[offset + index] ?? '', parts))
  );
}

/** Whether a name is the parts of a glob with anything between them. */
export function matchesParts(name: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (name.length < first.length + last.length) return false;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}
