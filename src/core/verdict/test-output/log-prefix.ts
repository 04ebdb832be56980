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
  if (tab === -1 || tab > 200 || !line.includes('Z ', tab)) return line;
  return line.replace(jobAndTime, '');
}

const time =
  /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)(?: \d\d[OE][ +]| |$)/;
const jobAndTime =
  /^[^\t]{1,200}\t[^\t]{1,200}\t\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z /;
const bracketedTime =
  /^\[(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\] /;

export type Channel = { readonly name: string; readonly rest: string };

/** `app:test: ` of turbo, `[0] ` of concurrently, `web-1  | ` of compose, … */
const channels: readonly RegExp[] = [
  /^(@?[\w./-]*[a-zA-Z][\w./-]*(?::[\w.-]+)+): ?(.*)$/,
  /^(@?[\w./-]+ [\w:.-]*test[\w:.-]*): ?(.*)$/,
  /^([\w.-]*[a-zA-Z][\w.-]*) +\| ?(.*)$/,
  /^(?:➤ YN0000: )?(\[[@\w/.:-]+ *\])(?: *\||:)? ?(.*)$/,
  /^(#\d+) \d+\.\d+ ?(.*)$/,
];

const monorepo = /^(@?[\w./-]*[a-zA-Z][\w./-]*): (.*)$/;
const levels = /^\[(?:INFO|ERROR|WARNING|WARN|DEBUG|TRACE|FATAL|\d+\/\d+|gw\d+|error|info|warn)\]$/;

/** The writer of a line and what it wrote; null for a line of no writer. */
export function readChannel(line: string, isMonorepo: boolean): Channel | null {
  const first = line.charCodeAt(0);
  // Indented lines, rules and marks are never prefixed; most lines leave here.
  if (first === 0x20 || first === 0x3d || first === 0x2d || first > 0x27c0) return null;
  const head = line.slice(0, 120);
  if (!/[:|\]]|^#\d/.test(head)) return null;
  for (const pattern of channels) {
    const match = pattern.exec(line);
    if (match !== null && !levels.test(match[1] ?? ''))
      return { name: match[1] ?? '', rest: match[2] ?? '' };
  }
  const match = isMonorepo ? monorepo.exec(line) : null;
  return match === null ? null : { name: match[1] ?? '', rest: match[2] ?? '' };
}

/** Lerna and nx write the name of the package alone, which is told from other lines only by their own. */
export function tellsMonorepo(line: string): boolean {
  const first = line.charCodeAt(0);
  if (first === 0x6c) return /^lerna (?:info|notice|success|ERR!) /.test(line);
  return (first === 0x3e || first === 0x20) && /^ *> nx run |^ *NX {3}/.test(line);
}
