import type { FileChanges } from '../../core/loop/changes.ts';
import type { Entry, Manifest } from './folder-manifest.ts';

export type ChangedEntry = {
  readonly path: string;
  readonly before: Entry | null;
  readonly after: Entry | null;
};

export function changedEntries(from: Manifest, to: Manifest): readonly ChangedEntry[] {
  const before = new Map(from.map((entry) => [entry.path, entry]));
  const after = new Map(to.map((entry) => [entry.path, entry]));
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return paths
    .map((path) => ({ path, before: before.get(path) ?? null, after: after.get(path) ?? null }))
    .filter((change) => !isSame(change.before, change.after));
}

/** A file that went and one with the same content that came are one rename. */
export function toFolderChanges(changed: readonly ChangedEntry[], lines: number): FileChanges {
  const deleted = new Map<string, string[]>();
  for (const { path, before, after } of changed) {
    if (before === null || after !== null) continue;
    deleted.set(identity(before), [...(deleted.get(identity(before)) ?? []), path]);
  }
  const created: string[] = [];
  const renamed: { from: string; to: string }[] = [];
  for (const { path, before, after } of changed) {
    if (before !== null || after === null) continue;
    const from = deleted.get(identity(after))?.shift();
    if (from === undefined) created.push(path);
    else renamed.push({ from, to: path });
  }
  const modified = changed.flatMap(({ path, before, after }) =>
    before !== null && after !== null ? [path] : [],
  );
  return { created, modified, deleted: [...deleted.values()].flat().toSorted(), renamed, lines };
}

/**
 * Added plus removed lines, as lines that one side has more often than the other. Linear in the size of the files;
 * a line that only moved does not count. Binary content counts nothing.
 */
export function countChangedLines(before: Buffer | null, after: Buffer | null): number {
  if (isBinary(before) || isBinary(after)) return 0;
  const balance = new Map<string, number>();
  for (const line of splitLines(before)) balance.set(line, (balance.get(line) ?? 0) - 1);
  for (const line of splitLines(after)) balance.set(line, (balance.get(line) ?? 0) + 1);
  return [...balance.values()].reduce((sum, count) => sum + Math.abs(count), 0);
}

/** A patch of one hunk: what differs between the common beginning and the common end. Applies, but is not minimal. */
export function renderPatch(path: string, before: Buffer | null, after: Buffer | null): string {
  const [oldName, newName] = [quoted(`a/${path}`), quoted(`b/${path}`)];
  const heading = `diff --git ${oldName} ${newName}\n${modeLine(before, after)}`;
  if (isBinary(before) || isBinary(after)) {
    return `${heading}Binary files ${oldName} and ${newName} differ\n`;
  }
  const hunk = renderHunk(splitLines(before), splitLines(after));
  if (hunk === '') return heading;
  const from = before === null ? '/dev/null' : oldName;
  const to = after === null ? '/dev/null' : newName;
  return `${heading}--- ${from}\n+++ ${to}\n${hunk}`;
}

function renderHunk(old: readonly string[], now: readonly string[]): string {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  const longest = Math.min(old.length, now.length) - start;
  while (end < longest && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  if (removed.length + added.length === 0) return '';
  return [
    `@@ -${range(start, removed)} +${range(start, added)} @@\n`,
    ...removed.map((line) => patchLine('-', line)),
    ...added.map((line) => patchLine('+', line)),
  ].join('');
}

function range(start: number, lines: readonly string[]): string {
  return `${lines.length === 0 ? start : start + 1},${lines.length}`;
}

function modeLine(before: Buffer | null, after: Buffer | null): string {
  if (before === null) return 'new file mode 100644\n';
  return after === null ? 'deleted file mode 100644\n' : '';
}

function quoted(name: string): string {
  const text = JSON.stringify(name);
  return text.slice(1, -1) === name ? name : text;
}

function patchLine(sign: string, line: string): string {
  return line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`;
}

function isSame(before: Entry | null, after: Entry | null): boolean {
  if (before === null || after === null) return before === after;
  return identity(before) === identity(after) && before.executable === after.executable;
}

function identity(entry: Entry): string {
  return `${entry.kind} ${entry.id}`;
}

function isBinary(content: Buffer | null): boolean {
  return content?.subarray(0, 8000).includes(0) === true;
}

/** Each line with its newline, so that a missing last one is a difference. */
function splitLines(content: Buffer | null): readonly string[] {
  if (content === null || content.length === 0) return [];
  const lines = content.toString('utf8').split('\n');
  const last = lines.pop();
  const ended = lines.map((line) => `${line}\n`);
  return last === undefined || last === '' ? ended : [...ended, last];
}
