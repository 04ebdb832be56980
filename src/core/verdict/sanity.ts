import type { Settings } from '../config/schema.ts';
import { formatByteSize } from '../config/byte-size.ts';
import { matchesAny } from '../text/glob.ts';
import type { Check } from './report.ts';
import { seenCheck } from './seen-check.ts';

export type WrittenFile = { readonly path: string; readonly bytes: number };

export type AddedLine = { readonly file: string; readonly line: number; readonly text: string };

const shownFindings = 20;

/** Debugging aids of the usual languages, as whole statements. Linear: no quantifier is nested. */
const debugPatterns: readonly RegExp[] = [
  /^\s*debugger;?\s*$/,
  /\bconsole\.(?:log|debug|trace)\(/,
  /\bbreakpoint\(\)/,
  /\b(?:i?pdb)\.set_trace\(/,
  /\bdbg!\(/,
  /\bbinding\.(?:pry|irb)\b/,
  /\bvar_dump\(/,
];

const todoPattern = /\b(?:TODO|FIXME|XXX|HACK)\b/;

const temporary = [
  '*.tmp',
  '*.temp',
  '*.bak',
  '*.orig',
  '*.rej',
  '*.swp',
  '*~',
  '.DS_Store',
  'npm-debug.log*',
];

/** Text where such words are meant to be. */
const prose = ['*.md', '*.txt', '*.rst', '*.adoc'];

/** L3: sizes can fail; everything else only warns. */
export function judgeSanity(
  limits: Settings['verify']['sanity'],
  files: readonly WrittenFile[],
  added: readonly AddedLine[],
): readonly Check[] {
  const code = added.filter(({ file }) => !matchesAny(file, prose));
  return [
    sizeCheck(limits, files),
    warning(
      'debug-leftovers',
      'debugging code was added',
      placesOf(code, (text) => debugPatterns.some((each) => each.test(text))),
    ),
    warning(
      'todo',
      'notes of open work were added',
      placesOf(code, (text) => todoPattern.test(text)),
    ),
    warning(
      'temporary-files',
      'temporary files were added',
      files.filter(({ path }) => matchesAny(path, temporary)).map(({ path }) => path),
    ),
  ];
}

function sizeCheck(limits: Settings['verify']['sanity'], files: readonly WrittenFile[]): Check {
  const above = (limit: number) => files.filter(({ bytes }) => limit > 0 && bytes > limit);
  const tooLarge = above(limits['max-file-size']);
  const large = above(limits['warn-file-size']);
  const shown = tooLarge.length > 0 ? tooLarge : large;
  const findings = shown.map(({ path, bytes }) => `${path}: ${formatByteSize(bytes)}`);
  return seenCheck({
    name: 'file-size',
    passed: tooLarge.length > 0 ? false : large.length > 0 ? null : true,
    findings: findings.slice(0, shownFindings),
    summary: `${tooLarge.length > 0 ? 'too large' : 'warning: large'}: ${findings[0] ?? ''}`,
  });
}

function warning(name: string, what: string, findings: readonly string[]): Check {
  return seenCheck({
    name,
    passed: findings.length === 0 ? true : null,
    findings: findings.slice(0, shownFindings),
    summary: `warning: ${what}: ${findings[0] ?? ''}${findings.length > 1 ? ` and ${findings.length - 1} more` : ''}`,
  });
}

function placesOf(
  lines: readonly AddedLine[],
  holds: (text: string) => boolean,
): readonly string[] {
  return lines
    .filter(({ text }) => holds(text.slice(0, 500)))
    .map(({ file, line, text }) => `${file}:${line}: ${text.trim().slice(0, 120)}`);
}

/** The added lines of a patch in git's format, with their numbers in the new file. Linear; anything else is passed over. */
export function addedLines(patch: string): readonly AddedLine[] {
  const found: AddedLine[] = [];
  let file: string | null = null;
  let number = 0;
  let left = 0;
  for (const text of patch.split('\n')) {
    if (left <= 0) {
      if (text.startsWith('+++ ')) file = patchedFile(text);
      const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(text);
      if (hunk !== null) {
        number = Number(hunk[1]);
        left = Number(hunk[2] ?? 1);
      }
      continue;
    }
    if (text.startsWith('-') || text.startsWith('\\')) continue;
    if (text.startsWith('+') && file !== null)
      found.push({ file, line: number, text: text.slice(1) });
    number++;
    left--;
  }
  return found;
}

/** `+++ b/src/app.ts`; names with odd bytes are quoted and end with a tab. */
function patchedFile(text: string): string | null {
  const name = text.slice(4).replace(/\t$/, '').replace(/^"|"$/g, '');
  return name === '/dev/null' ? null : name.replace(/^b\//, '');
}
