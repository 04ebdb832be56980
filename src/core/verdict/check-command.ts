import { isTestFile } from '../judge/classify.ts';

/** The words of a shell command, without what only the shell reads. */
export function commandWords(command: string): readonly string[] {
  return command.split(/[\s;&|()<>"'`$={},]+/).filter((word) => word !== '');
}

const packageManagers = new Set(['npm', 'pnpm', 'yarn', 'bun']);
/** Words after a package manager that are commands of its own. */
const ownCommands = new Set(['ci', 'install', 'i', 'add', 'exec', 'dlx', 'x', 'audit', 'pack']);
const testWords = new Set(['test', 't', 'tst']);

/** Names of the scripts of `package.json` that a command starts. */
function scriptsIn(command: string): readonly string[] {
  const words = commandWords(command);
  return words.flatMap((word, index) => {
    if (!packageManagers.has(word)) return [];
    const rest = words.slice(index + 1, index + 8).filter((each) => !each.startsWith('-'));
    const [first = '', second = ''] = rest;
    if (first === 'run' || first === 'run-script') return [second];
    if (testWords.has(first)) return ['test'];
    return word === 'npm' || ownCommands.has(first) ? [] : [first];
  });
}

export type Manifests = {
  /** Text of `package.json`; null when there is none. */
  readonly packageJson: string | null;
  readonly makefile: string | null;
};

/** The commands of the checks and every script and recipe that they start, as the manifests say. */
export function startedCommands(
  commands: readonly string[],
  { packageJson, makefile }: Manifests,
): readonly string[] {
  const scripts = packageJson === null ? {} : scriptsOf(packageJson);
  const seen = new Set<string>();
  const queue = [...commands];
  for (let command = queue.shift(); command !== undefined; command = queue.shift()) {
    if (seen.has(command) || seen.size > 200) continue;
    seen.add(command);
    queue.push(...scriptsIn(command).flatMap((name) => withHooks(scripts, name)));
    if (makefile !== null) queue.push(...targetsIn(command).map((name) => ruleOf(makefile, name)));
  }
  seen.delete('');
  return [...seen];
}

type Scripts = Readonly<Record<string, string>>;

/** The object a JSON text holds; empty when it holds none. */
function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isRecord ? { ...value } : {};
  } catch {
    // A manifest that cannot be read starts nothing; the checks that need it fail by themselves.
    return {};
  }
}

function scriptsOf(packageJson: string): Scripts {
  const { scripts } = parseObject(packageJson);
  if (typeof scripts !== 'object' || scripts === null) return {};
  return Object.fromEntries(
    Object.entries(scripts).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

/** npm runs `preX` and `postX` around X. */
function withHooks(scripts: Scripts, name: string): readonly string[] {
  return [`pre${name}`, name, `post${name}`].flatMap((each) => scripts[each] ?? []);
}

function targetsIn(command: string): readonly string[] {
  const words = commandWords(command);
  return words.flatMap((word, index) => {
    if (word !== 'make' && word !== 'gmake') return [];
    const target = words
      .slice(index + 1, index + 8)
      .find((each) => /^[\w.-]+$/.test(each) && !each.startsWith('-'));
    return [target ?? ''];
  });
}

/** A rule of a makefile: its line and its recipe; the first rule for an empty name. */
function ruleOf(makefile: string, target: string): string {
  const lines = makefile.split('\n');
  const isRule = (line: string) => {
    const colon = line.indexOf(':');
    if (colon <= 0 || line.startsWith('\t') || line.startsWith('.') || line[colon + 1] === '=')
      return false;
    return target === '' || line.slice(0, colon).split(/\s+/).includes(target);
  };
  const start = lines.findIndex(isRule);
  if (start === -1) return '';
  const after = lines.slice(start + 1);
  const length = after.findIndex((line) => line !== '' && !line.startsWith('\t'));
  return [lines[start] ?? '', ...(length === -1 ? after : after.slice(0, length))]
    .join('\n')
    .trim();
}

const judging =
  /(?:^|[-_.])(?:checks?|verify|verification|validat(?:e|ion|or)|accept(?:ance)?|judge|grader?|gates?|tests?|spec|suite|lint|ci)(?:[-_.]|$)|(?:Tests?|Checks?)$/i;
const judgingFolders = new Set(['test', 'tests', 'checks', 'ci', '.ci']);

/**
 * Files that a command runs to judge: scripts named for it, such as `check.sh` or `scripts/verify.mjs`. A script with
 * another name may well be what the task is about, and files of tests may grow; neither is meant. Words that are no
 * files are among them.
 */
export function validatorWords(commands: readonly string[]): readonly string[] {
  const words = commands.flatMap(commandWords).map((word) => word.replace(/^\.\//, ''));
  return [...new Set(words)].filter((word) => {
    const segments = word.split('/');
    const isInside =
      /^[\w.][\w./-]{0,199}$/.test(word) && !segments.includes('..') && segments[0] !== '';
    const name = segments.at(-1) ?? '';
    const isShell = /\.(?:sh|bash)$|^[^.]+$/.test(name);
    if (!isInside || (isTestFile(word) && !isShell)) return false;
    const stem = name.split('.')[0] ?? '';
    return judging.test(stem) || segments.slice(0, -1).some((each) => judgingFolders.has(each));
  });
}

/** What everything runs through, and runners: one of them that newly stands in front of the real one is a fake. */
export const shadowable: readonly string[] = [
  'sh',
  'bash',
  'env',
  'node',
  'npm',
  'npx',
  'pnpm',
  'yarn',
  'bun',
  'deno',
  'make',
  'git',
  'python',
  'python3',
  'pytest',
  'cargo',
  'go',
  'ruby',
  'php',
  'java',
  'mvn',
  'gradle',
  'dotnet',
];

/** Modules that Python takes from the folder it runs in before those that are installed. */
export const shadowableModules: readonly string[] = [
  'pytest.py',
  'pytest/__init__.py',
  '_pytest/__init__.py',
  'unittest.py',
  'unittest/__init__.py',
  'nose2.py',
  'nose2/__init__.py',
  'sitecustomize.py',
  'usercustomize.py',
];

/** Names of programs that can decide a verdict: those the commands name, and what everything runs through. */
export function judgingPrograms(commands: readonly string[]): readonly string[] {
  const named = commands
    .flatMap(commandWords)
    .filter((word) => /^[A-Za-z][\w.-]{0,60}$/.test(word));
  return [...new Set([...named, ...shadowable])];
}

/** Programs that the commands name by a path into a folder of tools. */
export function toolPaths(commands: readonly string[]): readonly string[] {
  const words = commands.flatMap(commandWords).map((word) => word.replace(/^\.\//, ''));
  return [...new Set(words)].filter((word) =>
    /^(?:[\w.-]+\/){0,6}(?:\.?venv\/bin|vendor\/bin|node_modules\/[\w./@-]+)\/[\w.-]+$|^(?:gradlew|mvnw)$/.test(
      word,
    ),
  );
}
