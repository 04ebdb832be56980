import { closeSync, fstatSync, readSync, type Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import {
  indexKnowledge,
  noKnowledge,
  type KnowledgeFile,
  type ProjectKnowledge,
} from '../../core/memory/knowledge.ts';
import { escapedName } from '../../core/text/file-name.ts';
import { matchesAny } from '../../core/text/glob.ts';
import type { KnowledgeFiles, KnowledgeRequest } from '../../ports/knowledge.ts';
import type { Project } from '../../ports/workspace.ts';
import { openPlainFile } from './small-file.ts';
import { parseKnowledge, type ParsedKnowledge } from './knowledge-text.ts';
import { isThroughLink } from './through-link.ts';

/** A file is read up to here; what people write for others to read is shorter. */
const maxBytes = 128 * 1024;
const maxFiles = 200;
const maxFolders = 5000;
const maxDepth = 20;
const maxTold = 10;
/** Never looked into: versions, dependencies, and what belongs to the engine. */
const skipped: ReadonlySet<string> = new Set(['.git', 'node_modules', '.loopwright', '.venv']);

/** Two sets of globs of full size, for instance of two loop types. */
const maxKnown = 2 * maxFiles + 2;

/** What was read before: every prompt asks for all files, which seldom change. */
type Memo = {
  readonly texts: Map<string, { readonly mark: string; readonly text: string }>;
  readonly parsed: Map<string, { readonly text: string; readonly parsed: ParsedKnowledge }>;
};

/** What cannot be used is told, and never ends a loop. */
type Warn = (text: string) => void;

type Source = {
  list(globs: readonly string[]): Promise<readonly string[]>;
  /** Texts by path; null: it is not there, or cannot be used. */
  read(files: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
};

/** Knowledge of a project: of its checkout, or of a revision where an agent works in the checkout itself. */
export function createKnowledgeFiles(project: Project): KnowledgeFiles {
  const memo: Memo = { texts: new Map(), parsed: new Map() };
  return {
    async read(request, signal) {
      if (request.globs.length === 0 && request.map === null) return noKnowledge;
      const { revision } = request;
      const warnings: string[] = [];
      const source =
        revision !== null && project.kind === 'git'
          ? sourceAt(project, revision, signal)
          : checkout(project.root, memo.texts, (text) => warnings.push(text));
      return collect(source, request, memo.parsed, warnings);
    },
  };
}

async function collect(
  source: Source,
  { globs, map, isMapNamed }: KnowledgeRequest,
  known: Memo['parsed'],
  warnings: string[],
): Promise<ProjectKnowledge> {
  const found = globs.length === 0 ? [] : (await source.list(globs)).filter((each) => each !== map);
  const names = found.slice(0, maxFiles);
  if (found.length > maxFiles) {
    warnings.push(
      `more than ${maxFiles} knowledge files match memory.knowledge: the rest is not used`,
    );
  }
  const texts = await source.read(map === null ? names : [...names, map]);
  const files: KnowledgeFile[] = [];
  for (const name of names) {
    const text = texts.get(name) ?? null;
    if (text === null) continue;
    if (Buffer.byteLength(text) >= maxBytes) {
      warnings.push(
        `knowledge file ${escapedName(name)} is larger than ${maxBytes / 1024} KB: it is not used`,
      );
      continue;
    }
    const parsed = await parsedOnce(known, name, text);
    files.push(parsed.file);
    if (parsed.fault !== null) warnings.push(parsed.fault);
  }
  const overview = map === null ? null : (texts.get(map) ?? null);
  if (map !== null && overview === null && isMapNamed) {
    const name = escapedName(map);
    const isTold = warnings.some((text) => text.startsWith(`${name} `));
    if (!isTold) warnings.push(`memory.map: there is no plain file ${name}`);
  }
  return {
    files,
    map: overview === null || overview.trim() === '' ? null : overview,
    warnings: [...new Set(warnings)],
  };
}

/** Parsed and indexed again only when the text is another; one at a time, so that others get their turn in between. */
async function parsedOnce(
  known: Memo['parsed'],
  name: string,
  text: string,
): Promise<ParsedKnowledge> {
  const before = known.get(name);
  if (before?.text === text) return before.parsed;
  const parsed = await parseKnowledge(name, text);
  indexKnowledge(parsed.file);
  remember(known, name, { text, parsed });
  return parsed;
}

function remember<T>(known: Map<string, T>, name: string, value: T): void {
  if (known.size >= maxKnown && !known.has(name)) known.clear();
  known.set(name, value);
}

function sourceAt(project: Project, revision: string, signal: AbortSignal): Source {
  return {
    async list(globs) {
      const all = await project.listAt(revision, signal);
      return all.filter((name) => isMarkdown(name) && matchesAny(name, globs)).toSorted();
    },
    read: (files) => project.readSeveralAt(revision, files, maxBytes, signal),
  };
}

function checkout(root: string, known: Memo['texts'], warn: Warn): Source {
  return {
    list: (globs) => listFolder(root, globs, warn),
    async read(files) {
      const texts = new Map<string, string | null>();
      for (const name of files) texts.set(name, readInside(root, name, known, warn));
      return texts;
    },
  };
}

/** Folders in the order of their names; links are not followed, and told where a glob means them. */
async function listFolder(
  root: string,
  globs: readonly string[],
  warn: Warn,
): Promise<readonly string[]> {
  const found: string[] = [];
  const unusable: string[] = [];
  const open = startsOf(globs);
  for (let looked = 0; open.length > 0 && looked < maxFolders; looked++) {
    const folder = open.shift() ?? '';
    for (const entry of await entriesOf(root, folder, warn)) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !skipped.has(entry.name) && depthOf(name) < maxDepth)
        open.push(name);
      if (entry.isFile() && isMarkdown(name) && matchesAny(name, globs)) found.push(name);
      if (!entry.isFile() && !entry.isDirectory() && isMeant(entry, name, globs))
        unusable.push(`${escapedName(name)} is ${kindOf(entry)}: it is not used`);
    }
  }
  for (const text of unusable.slice(0, maxTold)) warn(text);
  if (unusable.length > maxTold)
    warn(
      `${unusable.length - maxTold} more files that memory.knowledge means are links or no plain files`,
    );
  if (open.length > 0)
    warn(`memory.knowledge spans more than ${maxFolders} folders: the rest is not looked into`);
  return [...new Set(found)].toSorted();
}

/** A link may stand for a folder of files. */
function isMeant(entry: Dirent, name: string, globs: readonly string[]): boolean {
  if (isMarkdown(name)) return matchesAny(name, globs);
  return entry.isSymbolicLink() && matchesAny(`${name}/a.md`, globs);
}

function kindOf(entry: Dirent): string {
  if (entry.isSymbolicLink()) return 'a link, or below one';
  return entry.isFIFO() ? 'a pipe' : 'no plain file';
}

/** The folders to look into: the part of each glob before its first pattern; all of the project for a bare name. */
function startsOf(globs: readonly string[]): string[] {
  const starts = globs.map((glob) => {
    const parts = glob.replace(/^\.\//, '').split('/');
    const fixed = parts.findIndex((part) => /[*?]/.test(part));
    return parts.slice(0, fixed === -1 ? Math.max(0, parts.length - 1) : fixed).join('/');
  });
  const outer = starts.filter(
    (start) => !starts.some((other) => other !== start && isBelow(start, other)),
  );
  return [...new Set(outer)];
}

function isBelow(folder: string, other: string): boolean {
  return other === '' || folder.startsWith(`${other}/`);
}

function depthOf(name: string): number {
  return name.split('/').length;
}

async function entriesOf(root: string, folder: string, warn: Warn) {
  try {
    const entries = await readdir(path.join(root, folder), { withFileTypes: true });
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // A folder that a glob names need not exist, and may go while it is looked for.
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') warn(unreadable(folder, error));
    return [];
  }
}

/** The beginning of a file that is where its name says. */
function readInside(root: string, name: string, known: Memo['texts'], warn: Warn): string | null {
  const file = path.join(root, name);
  try {
    if (isThroughLink(root, name)) {
      warn(`${escapedName(name)} is a link, or below one: it is not used`);
      return null;
    }
    return readHead(file, name, known);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') warn(unreadable(name, error));
    return null;
  }
}

function readHead(file: string, name: string, known: Memo['texts']): string | null {
  const handle = openPlainFile(file);
  if (handle === null) return null;
  try {
    const { ino, size: length, mtimeNs, ctimeNs } = fstatSync(handle, { bigint: true });
    const mark = [ino, length, mtimeNs, ctimeNs].join(' ');
    const before = known.get(name);
    if (before?.mark === mark) return before.text;
    const bytes = Buffer.alloc(maxBytes);
    let size = 0;
    for (let read = -1; read !== 0 && size < maxBytes; size += read) {
      read = readSync(handle, bytes, size, maxBytes - size, null);
    }
    const text = bytes.toString('utf8', 0, size);
    remember(known, name, { mark, text });
    return text;
  } finally {
    closeSync(handle);
  }
}

function isMarkdown(name: string): boolean {
  return /\.(?:md|markdown)$/i.test(name);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

function unreadable(name: string, error: unknown): string {
  return `${escapedName(name)} cannot be read (${String(codeOf(error) ?? error)}): it is not used`;
}
