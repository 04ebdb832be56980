/** What tools that run others write before each line: when it came, and who wrote it. */

const digit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/**
 * Leaves out the time a CI service writes before each line, and the job and step of `gh run view --log`.
 * No runner's own lines begin like that.
 */
export function withoutTime(line: string): string {
  const first = line.charCodeAt(0);
  if (first === 0x5b) return line.replace(bracketedTime, '');
  if (digit(first) || first === 0xfeff)
    return line[4] === '-' || first === 0xfeff ? line.replace(time, '') : line;
  const tab = line.indexOf('\t');
  return tab === -1 || tab > 200 ? line : line.replace(jobAndTime, '');
}

const time =
  /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)(?: \d\d[OE][ +]| |$)/;
const jobAndTime =
  /^[^\t]{1,200}\t[^\t]{1,200}\t\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z /;
const bracketedTime =
  /^\[(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\] /;

export type Channel = { readonly name: string; readonly rest: string };

const maxName = 120;
const levels = /^\[(?:INFO|ERROR|WARNING|WARN|DEBUG|TRACE|FATAL|\d+\/\d+|gw\d+|error|info|warn)\]$/;

/**
 * The writer of a line and what it wrote: `app:test: ` of turbo, `packages/a test: ` of pnpm, `web-1  | ` of compose,
 * `[0] ` of concurrently, `[a]: ` of yarn, `#12 3.4 ` of a Docker build. Null for a line of no writer.
 */
export function readChannel(line: string, isMonorepo: boolean): Channel | null {
  const first = line.charCodeAt(0);
  if (first === 0x5b) return readBracket(line, 0);
  if (first === 0x27a4) return line.startsWith('➤ YN0000: [') ? readBracket(line, 10) : null;
  if (first === 0x23) return split(line, /^#\d+ \d+\.\d+ ?/.exec(line)?.[0].length ?? 0, '#');
  const end = endOfWord(line, 0);
  if (end === 0 || end >= maxName) return null;
  if (line[end] === ':') return readTask(line, end, isMonorepo);
  return line[end] === ' ' ? readSpaced(line, end) : null;
}

function split(line: string, length: number, name: string): Channel | null {
  if (length === 0) return null;
  const own = name === '#' ? line.slice(0, line.indexOf(' ')) : name;
  return { name: own, rest: line.slice(length) };
}

function endOfWord(line: string, from: number): number {
  let i = from;
  while (i < maxName && isWord(line.charCodeAt(i))) i++;
  return i;
}

/** Letters, digits and `@ _ - . /` */
function isWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x2d && code <= 0x39) ||
    (code >= 0x40 && code <= 0x5a) ||
    code === 0x5f
  );
}

function readBracket(line: string, from: number): Channel | null {
  const end = line.indexOf(']', from);
  if (end === -1 || end > maxName || endOfWord(line, from + 1) === from + 1) return null;
  const name = line.slice(from, end + 1);
  if (levels.test(name) || !/^\[[@\w/.:-]+ *\]$/.test(name)) return null;
  return { name, rest: line.slice(end + 1).replace(/^(?: *\||:)? ?/, '') };
}

/** `app:test: text`; with lerna and nx also `app: text` */
function readTask(line: string, colon: number, isMonorepo: boolean): Channel | null {
  let end = colon;
  let parts = 0;
  while (line[end] === ':' && isWord(line.charCodeAt(end + 1))) {
    end = endOfWord(line, end + 1);
    parts++;
  }
  const isEnd = line[end] === ':' && (line[end + 1] === ' ' || end + 1 === line.length);
  if (!isEnd || (parts === 0 && !isMonorepo)) return null;
  return { name: line.slice(0, end), rest: line.slice(end + 2) };
}

/** `packages/a test: text`, `web-1   | text` */
function readSpaced(line: string, space: number): Channel | null {
  let next = space;
  while (line[next] === ' ' && next < maxName) next++;
  const name = line.slice(0, space);
  if (line[next] === '|') {
    const isText = line[next + 1] === ' ' || next + 1 === line.length;
    return isText && /[a-zA-Z]/.test(name) ? { name, rest: line.slice(next + 2) } : null;
  }
  if (next !== space + 1) return null;
  let end = next;
  while (end < maxName && (isWord(line.charCodeAt(end)) || line[end] === ':')) end++;
  const task = line.slice(next, end);
  if (!task.endsWith(':') || !task.includes('test')) return null;
  return { name: line.slice(0, end - 1), rest: line.slice(end + 1) };
}

/** Lerna and nx write the name of the package alone, which is told from other lines only by their own. */
export function tellsMonorepo(line: string): boolean {
  const first = line.charCodeAt(0);
  if (first === 0x6c) return /^lerna (?:info|notice|success|ERR!) /.test(line);
  return line.startsWith('> nx run ') || line.startsWith(' NX   ');
}
