import { isCheckedFile } from '../judge/checked-file.ts';
import type { Check } from './report.ts';

/** Texts of manifests on the base: what they declare is there once the project is set up. */
export type Declared = (name: string) => boolean;

const maxLines = 400;
const maxLineChars = 400;

/** What a check could not run without: a program by its name or path, a module, or a file. */
export type MissingPart = {
  readonly kind: 'program' | 'module' | 'file';
  readonly name: string;
};

export type SetupFault = {
  /** Why the check could not run, for people. */
  readonly text: string;
  /** Null when the output does not name it. */
  readonly missing: MissingPart | null;
};

/** The same as `findSetupFault`, in words alone. */
export function setupFault(check: Check, declares: Declared): string | null {
  return findSetupFault(check, declares)?.text ?? null;
}

/**
 * Why a check could not run at all; null when it ran, whatever it said. A test that fails because the code it asks for
 * is not written yet has run. A program, a declared dependency, a script or a makefile that is not there has not let it.
 */
export function findSetupFault(check: Check, declares: Declared): SetupFault | null {
  if (check.command === null || check.passed === true) return null;
  if (check.exitCode === 126) {
    return unnamed(`a program cannot be executed${quoted(check, notExecutable)}`);
  }
  if (check.exitCode === 127) {
    const text = `a program was not found${quoted(check, notFound)}`;
    return { text, missing: programIn(text) };
  }
  if (check.reason?.startsWith('could not be started') === true) return unnamed(check.reason);
  if (check.exitCode === null || (check.tests?.passed ?? 0) > 0) return null;
  const lines = linesOf(check.output);
  for (const line of lines) {
    const fault = faultIn(line, check.command, declares);
    if (fault !== null) return fault;
  }
  if ((check.tests?.total ?? 0) > 0) return null;
  // Whatever is said after it is why the check failed.
  const last = lines.findLast((line) => !isEcho(line))?.trim() ?? '';
  return missingProgram(last) ?? missingFile(last, check.command);
}

function unnamed(text: string): SetupFault {
  return { text, missing: null };
}

/** The name before the words with which shells, `make` and `env` say that a program is not there. */
function programIn(text: string): MissingPart | null {
  const words = /([^\s:'"`‘’]{1,200})['"`’]?: (?:command not found|not found|No such file)/;
  const name = words.exec(text)?.[1];
  return name === undefined ? null : { kind: 'program', name };
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

function faultIn(line: string, command: string, declares: Declared): SetupFault | null {
  const text = line.trim();
  const part = missingParts.find(({ words }) => text.includes(words));
  if (part !== undefined) {
    const { file } = part;
    return { text, missing: file === undefined ? null : { kind: 'file', name: file } };
  }
  const isRule = text.includes('No rule to make target') && !text.includes('needed by');
  if (isRule || text.includes('no makefile found')) {
    return { text, missing: { kind: 'file', name: 'Makefile' } };
  }
  const module = nameAfter(text, moduleWords);
  if (module !== null && isModuleOfSetup(module, text, command, declares)) {
    const kind = isAbsolute(module) ? 'file' : 'module';
    return { text: `${module} is not there`, missing: { kind, name: module } };
  }
  return null;
}

/** npm, yarn, pnpm, npx; cargo and go without a project, or without what it declares. */
const missingParts: readonly { readonly words: string; readonly file?: string }[] = [
  { words: 'Missing script:', file: 'package.json' },
  { words: "Couldn't find a script named", file: 'package.json' },
  { words: 'Could not read package.json', file: 'package.json' },
  { words: 'npx canceled due to missing packages', file: 'node_modules' },
  { words: 'could not determine executable to run', file: 'node_modules' },
  { words: 'could not find `Cargo.toml`', file: 'Cargo.toml' },
  { words: 'error: no matching package named' },
  { words: 'error: failed to get `' },
  { words: 'go: cannot find main module', file: 'go.mod' },
  { words: 'go.mod file not found', file: 'go.mod' },
  { words: 'does not contain main module' },
];

/** A program that a script or a rule did not find. A path may be what the task is to make. */
function missingProgram(line: string): SetupFault | null {
  const found = /^(?:.{0,200}: )?([\w.+-]{1,80}): (?:command )?not found$/.exec(line);
  const made = /^make(?:\[\d+\])?: ([\w.+-]{1,80}): No such file or directory$/.exec(line);
  const name = (found ?? made)?.[1];
  if (name === undefined) return null;
  return { text: `a program was not found: ${line}`, missing: { kind: 'program', name } };
}

/** A file that the command gives to its program, and that is not what the task is to make. */
function missingFile(line: string, command: string): SetupFault | null {
  const file = nameAfter(line, fileWords);
  if (file === null || !isGiven(file, command) || isCheckedFile(command, file)) return null;
  return { text: `${file} is not there`, missing: { kind: 'file', name: file } };
}

/** How package managers and make pass on that something failed. */
function isEcho(line: string): boolean {
  return /^(?:npm |make(?:\[\d+\])?: (?:\*\*\*|Leaving|Entering)|error Command failed| ?ELIFECYCLE)/.test(
    line.trim(),
  );
}

const moduleWords = [
  "Cannot find module '",
  "Cannot find package '",
  "No module named '",
  'No module named ',
  'cannot load such file -- ',
] as const;
const fileWords = [
  'No such file or directory -- ',
  "can't open file '",
  'Cannot open file "',
  'cannot open ',
  'file or directory not found: ',
  'Test file "',
] as const;

/** The name behind the words that programs use when something is not there; null when the line has none. */
function nameAfter(line: string, phrases: readonly string[]): string | null {
  for (const words of phrases) {
    const at = line.indexOf(words);
    if (at === -1) continue;
    const rest = line.slice(at + words.length);
    const name = /^[^\s'";,()]+/.exec(rest)?.[0].replace(/:$/, '') ?? '';
    if (name !== '') return name;
  }
  return null;
}

/** A module that the command starts, or that a manifest declares; not one that the product itself has to have. */
function isModuleOfSetup(name: string, line: string, command: string, declares: Declared): boolean {
  const words = wordsOf(command);
  const isStarted = words.some((word, at) => words[at - 1] === '-m' && isSameModule(word, name));
  const isEntry = isAbsolute(name) && !line.includes('imported from') && isGiven(name, command);
  const isJudge = isEntry && !isCheckedFile(command, name);
  return isStarted || isJudge || declares(packageOf(name));
}

function isSameModule(word: string, name: string): boolean {
  return word === name || word.startsWith(`${name}.`);
}

/** Whether the command names a file. */
function isGiven(name: string, command: string): boolean {
  return wordsOf(command).some((word) => word === name || name.endsWith(`/${word}`));
}

function isAbsolute(name: string): boolean {
  return name.startsWith('/');
}

function wordsOf(command: string): readonly string[] {
  return command
    .split(/[\s'"=;&|()]+/)
    .map((word) => word.replace(/^\.\//, '').replace(/\/$/, ''))
    .filter((word) => word !== '');
}

/** `@scope/name/deep` → `@scope/name`; a path, or a part of a Python package that was found, is none. */
function packageOf(name: string): string {
  if (name.startsWith('.') || isAbsolute(name)) return '';
  const parts = name.split('/');
  if (name.startsWith('@')) return parts.slice(0, 2).join('/');
  const [first = ''] = parts;
  return parts.length === 1 && /^[a-z_]\w*\./i.test(first) && !first.endsWith('.js') ? '' : first;
}

const ownName =
  /^[ \t]{0,8}["']?(?:name|description|keywords|packages|py_modules)["']?[ \t]{0,4}[=:].{0,2000}$/gim;

/** Whether one of the manifests declares it: a word of its own, but not where the project itself is named. */
export function declaredIn(texts: readonly string[]): Declared {
  const words = new Set(
    texts
      .map((text) => dependencyNames(text) ?? text.replaceAll(ownName, ''))
      .flatMap((text) => text.toLowerCase().split(/[^a-z0-9@/_.-]+/))
      .map(withoutVersion),
  );
  return (name) => {
    if (name === '') return false;
    const lower = name.toLowerCase();
    return words.has(lower) || words.has(lower.replaceAll('_', '-'));
  };
}

/** Names in the sections of a `package.json` or `composer.json`; null for another text. */
function dependencyNames(text: string): string | null {
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null) return null;
  return Object.entries(parsed)
    .filter(([key, value]) => /dependencies$|^require/i.test(key) && typeof value === 'object')
    .flatMap(([, value]) => Object.keys(value ?? {}))
    .join(' ');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not every manifest is JSON, and a broken one is read as text.
    return null;
  }
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
