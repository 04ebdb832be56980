import type { Check } from './report.ts';

/** Texts of manifests on the base: what they declare is there once the project is set up. */
export type Declared = (name: string) => boolean;

const maxLines = 400;
const maxLineChars = 400;

/**
 * Why a check could not run at all, in words; null when it ran, whatever it said. A test that fails because the code it asks for
 * is not written yet has run. A program, a declared dependency, a script or a makefile that is not there has not let it.
 */
export function setupFault(check: Check, declares: Declared): string | null {
  if (check.command === null || check.passed === true) return null;
  if (check.exitCode === 126) return `a program cannot be executed${quoted(check, notExecutable)}`;
  if (check.exitCode === 127) return `a program was not found${quoted(check, notFound)}`;
  if (check.reason?.startsWith('could not be started') === true) return check.reason;
  if (check.exitCode === null || (check.tests?.passed ?? 0) > 0) return null;
  for (const line of linesOf(check.output)) {
    const fault = faultIn(line, check.command, declares);
    if (fault !== null) return fault;
  }
  return null;
}

const notFound = [': not found', 'command not found', 'No such file or directory'];
const notExecutable = ['Permission denied', 'cannot execute'];

function quoted({ output }: Check, words: readonly string[]): string {
  const line = linesOf(output).find((each) => words.some((word) => each.includes(word)));
  return line === undefined ? '' : `: ${line.trim()}`;
}

function linesOf(output: string): readonly string[] {
  return output
    .split('\n', maxLines)
    .map((line) => line.slice(0, maxLineChars))
    .filter((line) => line.trim() !== '');
}

function faultIn(line: string, command: string, declares: Declared): string | null {
  const text = line.trim();
  if (missingScript.some((words) => text.includes(words))) return text;
  const isRule = text.includes('No rule to make target') && !text.includes('needed by');
  if (isRule || text.includes('no makefile found')) return text;
  const name = missingModule(text);
  if (name === null) return null;
  return isNamed(name, command) || declares(packageOf(name)) ? `${name} is not there` : null;
}

/** npm, yarn, pnpm, node --run; cargo and go without a project. */
const missingScript = [
  'Missing script:',
  "Couldn't find a script named",
  'could not find `Cargo.toml`',
  'go: cannot find main module',
  'Could not read package.json',
];

const moduleWords = [
  "Cannot find module '",
  "Cannot find package '",
  "No module named '",
  'No module named ',
  'cannot load such file -- ',
  "can't open file '",
  'cannot open ',
] as const;

/** The name behind the words that runtimes use when a module is not there; null when the line has none. */
function missingModule(line: string): string | null {
  for (const words of moduleWords) {
    const at = line.indexOf(words);
    if (at === -1) continue;
    const rest = line.slice(at + words.length);
    const name = /^[^\s'";,()]+/.exec(rest)?.[0] ?? '';
    if (name !== '') return name;
  }
  return null;
}

/** The file or module that the command itself starts. */
function isNamed(name: string, command: string): boolean {
  const last = name.split('/').at(-1) ?? name;
  return command.split(/[\s'"=;&|()]+/).some((word) => word === name || wordEnd(word) === last);
}

function wordEnd(word: string): string {
  return word.split('/').at(-1) ?? word;
}

/** `@scope/name/deep` → `@scope/name`; a path of the project itself is no package. */
function packageOf(name: string): string {
  if (name.startsWith('.') || name.startsWith('/')) return '';
  const parts = name.split('/');
  return name.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0]?.split('.')[0] ?? '');
}

/** Whether a name stands in one of the manifests as a word of its own. */
export function declaredIn(texts: readonly string[]): Declared {
  const words = new Set(
    texts.flatMap((text) => text.toLowerCase().split(/[^a-z0-9@/_.-]+/)).map(withoutVersion),
  );
  return (name) => {
    if (name === '') return false;
    const lower = name.toLowerCase();
    return words.has(lower) || words.has(lower.replaceAll('_', '-'));
  };
}

/** `pytest==8.0` and `"pytest>=8"` are split by their signs already; `name.` at an end is not. */
function withoutVersion(word: string): string {
  return word.replace(/\.+$/, '');
}

/** Manifests that declare what a project needs. */
export const manifestNames: readonly string[] = [
  'package.json',
  'pyproject.toml',
  'requirements.txt',
  'requirements-dev.txt',
  'setup.cfg',
  'setup.py',
  'Pipfile',
  'tox.ini',
  'Gemfile',
  'composer.json',
];

/** What to do about it, for people. */
export function setupHint(command: string): string {
  return `bring what \`${command}\` needs into the worktree with \`workspace.link\`, \`workspace.copy\` or \`workspace.setup\`; if the task is to make it run, set \`verify.baseline: allow-broken\``;
}
