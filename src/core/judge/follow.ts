import { isInSources, mayBeTest } from './classify.ts';
import type { JudgeFile, JudgeInput } from './judge.ts';
import { readMakefile, recipesOf, type Rule } from './make-rules.ts';
import { readCommand, type Mention, type Start } from './mention.ts';
import { isShellText, tellImported, tellNamed, type Naming } from './named-file.ts';
import { unread } from './pattern-table.ts';
import { packageScripts, taskTexts, toolSections } from './task-text.ts';
import { ignoreReaders } from './program-table.ts';
import { readShell, resolvePath, type ShellPlace, type SimpleCommand } from './shell.ts';
import {
  cmakePaths,
  declaresTests,
  importCandidates,
  plainPaths,
  textMentions,
} from './text-mention.ts';
import { matchesGlob } from '../text/glob.ts';

/** Something to look at: a shell text, code given on a command line, or a file that belongs to the judge. */
type Task =
  | {
      readonly kind: 'shell';
      readonly text: string;
      readonly place: ShellPlace;
      readonly by: string;
    }
  | { readonly kind: 'code'; readonly text: string; readonly cwd: string; readonly by: string }
  | { readonly kind: 'file'; readonly file: JudgeFile; readonly cwd: string };

const maxTasks = 4000;
const maxTests = 1500;
const maxWanted = 400;
const maxManifests = 200;
const maxDoubts = 100;
const maxGlobbed = 300;
const makefiles = ['GNUmakefile', 'makefile', 'Makefile'];

export type Followed = {
  readonly files: ReadonlyMap<string, JudgeFile>;
  readonly wanted: readonly string[];
};

/**
 * Follows the commands of the checks through scripts, rules and files as far as their texts are known. `byPath` are files
 * that judge by their path; those of them that configure are looked into as well.
 */
export function follow(
  { files, commands, texts }: Pick<JudgeInput, 'files' | 'commands' | 'texts'>,
  byPath: readonly JudgeFile[],
): Followed {
  const present = new Set(files);
  const found = new Map<string, JudgeFile>();
  const wanted = new Set<string>();
  const seen = new Set<string>();
  const tasks: Task[] = [];
  let globs = 0;
  for (const text of commands) {
    tasks.push({ kind: 'shell', text, place: placeOf('', ''), by: quoted(text) });
  }
  const [tests, others] = [true, false].map((isTest) =>
    byPath.filter((file) => isReadable(file) && (file.kind === 'test') === isTest),
  );
  for (const file of [...(others ?? []), ...(tests ?? []).slice(0, maxTests)]) {
    tasks.push({ kind: 'file', file, cwd: '' });
  }
  const known = new Set(byPath.map(({ path }) => path));
  for (const path of files
    .filter((file) => mayBeTest(file) && !known.has(file))
    .slice(0, maxDoubts)) {
    if (declaresTests(textOf(path) ?? '')) {
      add(path, { kind: 'test', reason: 'declares tests' }, '');
    }
  }
  for (let done = 0; done < tasks.length && done < maxTasks; done++) {
    const task = tasks[done];
    if (task !== undefined) look(task);
  }
  return { files: found, wanted: [...wanted].toSorted().slice(0, maxWanted) };

  function look(task: Task): void {
    const key =
      task.kind === 'file'
        ? `file ${task.file.path} ${task.cwd}`
        : `${task.kind} ${task.kind === 'shell' ? `${task.place.cwd} ${task.place.own}` : task.cwd} ${task.text}`;
    if (seen.has(key)) return;
    seen.add(key);
    if (task.kind === 'file') return lookIntoFile(task.file, task.cwd);
    if (task.kind === 'code') return lookIntoInline(task.text, task.cwd, task.by);
    for (const command of readShell(task.text, task.place))
      lookAtCommand(command, task.by, task.place.own);
  }

  function lookAtCommand(command: SimpleCommand, by: string, own: string): void {
    const { mentions, starts } = readCommand(command);
    for (const mention of mentions) name(mention, command.cwd, by);
    for (const word of command.outputs) written(resolvePath(word, command.cwd) ?? '', by);
    for (const start of starts) begin(start, command, by, own);
    if (command.words.some((word) => ignoreReaders.has(baseName(word)))) {
      for (const file of files.filter((each) => ignoreFiles.has(baseName(each)))) {
        add(file, { kind: 'config', reason: `says what ${by} leaves out` }, '');
      }
    }
    if (/^(?:docker|podman)(?:-compose)?$/.test(command.words[0] ?? '')) {
      for (const file of [
        'Dockerfile',
        'Containerfile',
        'docker-compose.yml',
        'docker-compose.yaml',
        'compose.yml',
        'compose.yaml',
        '.dockerignore',
      ]) {
        add(file, { kind: 'config', reason: `builds the container of ${by}` }, command.cwd);
      }
    }
  }

  /** Looks a word up among the files. */
  function name(mention: Mention, cwd: string, by: string): void {
    const { word, role } = mention;
    const isTree = role === 'test' || role === 'data' || role === 'argument';
    const words = isTree || isGlob(word) ? [word] : importCandidates(word);
    for (const path of new Set(words.flatMap((each) => pathsOf(each, cwd, isTree)))) {
      const told = tellNamed(path, mention, by, () => textOf(path));
      if (told !== null) add(path, told, cwd);
    }
  }

  /** A file that the check writes and the base does not have: the loop's would be found in its place. */
  function written(path: string, by: string): void {
    if (!present.has(path) || isInSources(folderOf(path).split('/'))) return;
    if (textOf(path) !== null || found.has(path)) return;
    found.set(path, { path, kind: 'data', reason: `written by ${by}`, isOutput: true });
  }

  /** Files that a word means; those below it when it is a folder. */
  function pathsOf(word: string, folder: string, isTree: boolean): readonly string[] {
    if (word.length > 300) return [];
    const path = resolvePath(word.replace(/^\*\//, ''), folder);
    if (path === null || path === '') return [];
    const own = present.has(path) ? [path] : [];
    if (!isGlob(path)) return isTree ? [...own, ...inFolder(path)] : own;
    if (/^[*?/.]*$/.test(path) || ++globs > maxGlobbed) return own;
    const glob = path.includes('/') ? path : `/${path}`;
    const start = path.slice(0, path.search(/[*?]/));
    return files.filter((file) => file.startsWith(start) && matchesGlob(file, glob));
  }

  function inFolder(path: string): readonly string[] {
    if (isInSources(path.split('/')) || ++globs > maxGlobbed) return [];
    return files.filter((file) => file.startsWith(`${path}/`));
  }

  function add(path: string, told: Omit<JudgeFile, 'path'>, cwd: string): void {
    const inside = present.has(path) ? path : (resolvePath(path, cwd) ?? '');
    if (!present.has(inside)) return;
    const file = found.get(inside) ?? { path: inside, ...told };
    found.set(inside, file);
    tasks.push({ kind: 'file', file, cwd });
  }

  /** Undefined while it is not known, which makes it wanted. */
  function textOf(path: string): string | null | undefined {
    const text = texts.get(path);
    if (text !== undefined) return text;
    if (!present.has(path)) return null;
    wanted.add(path);
    return undefined;
  }

  function begin(start: Start, { variables }: SimpleCommand, by: string, own: string): void {
    switch (start.kind) {
      case 'shell':
        tasks.push({
          kind: 'shell',
          text: start.text,
          place: { cwd: start.cwd, own, variables },
          by,
        });
        return;
      case 'code':
        tasks.push({ kind: 'code', text: start.text, cwd: start.cwd, by });
        return;
      case 'package':
        for (const path of manifestsFor(start.cwd, start.everywhere)) {
          const folder = folderOf(path);
          for (const script of packageScripts(textOf(path) ?? '', start.names)) {
            const title = `the script \`${script.name}\` of ${path}`;
            tasks.push({
              kind: 'shell',
              text: script.text,
              place: placeOf(folder, folder),
              by: title,
            });
          }
        }
        return;
      case 'make':
        return beginMake(start, by);
      case 'tasks':
        for (const file of start.files) {
          const path = resolvePath(file, start.cwd) ?? '';
          add(path, { kind: 'config', reason: `tasks of ${by}` }, start.cwd);
          for (const text of taskTexts(file, textOf(path) ?? '', start.names)) {
            tasks.push({ kind: 'shell', text, place: placeOf(start.cwd, start.cwd), by: path });
          }
        }
    }
  }

  /** The manifests of a folder and of those above it; every one of them for workspaces. */
  function manifestsFor(cwd: string, everywhere: boolean): readonly string[] {
    if (everywhere) return files.filter(isPackageManifest).slice(0, maxManifests);
    const segments = cwd === '' ? [] : cwd.split('/').slice(0, 20);
    const folders = segments.map((_, index) => segments.slice(0, index + 1).join('/'));
    return ['package.json', ...folders.map((folder) => `${folder}/package.json`)];
  }

  function beginMake(
    { cwd, files: named, targets, variables }: Extract<Start, { kind: 'make' }>,
    by: string,
  ): void {
    // Which of the three make takes depends on the others; each is read as if it were alone.
    for (const file of named.length > 0 ? named : makefiles) {
      const root = resolvePath(file, cwd) ?? '';
      // What an included file sets is known only when it was read.
      const before = readMakefiles(root, cwd, variables, new Map());
      const { rules, variables: set } = readMakefiles(root, cwd, variables, before.variables);
      for (const path of before.read) {
        add(path, { kind: 'config', reason: `makefile of ${by}` }, cwd);
      }
      for (const text of recipesOf(rules, targets)) {
        const place = { cwd, own: cwd, variables: set };
        tasks.push({ kind: 'shell', text, place, by: `the rules of ${root}` });
      }
    }
  }

  function readMakefiles(
    root: string,
    cwd: string,
    given: ReadonlyMap<string, string>,
    before: ReadonlyMap<string, string>,
  ): { read: readonly string[]; rules: readonly Rule[]; variables: ReadonlyMap<string, string> } {
    const queue = [root];
    const read = new Set<string>();
    const rules: Rule[] = [];
    let variables = before;
    for (let path = queue.shift(); path !== undefined && read.size < 50; path = queue.shift()) {
      const text = read.has(path) ? null : textOf(path);
      read.add(path);
      if (typeof text !== 'string') continue;
      const makefile = readMakefile(text, given, variables);
      variables = makefile.variables;
      rules.push(...makefile.rules);
      queue.push(...makefile.includes.flatMap((word) => resolvePath(word, cwd) ?? []));
    }
    return { read: [...read], rules, variables };
  }

  function lookIntoFile(file: JudgeFile, cwd: string): void {
    if (!isReadable(file)) return;
    const { path, kind } = file;
    const text = textOf(path);
    if (typeof text !== 'string') return;
    if (baseName(path) === 'CMakeLists.txt') lookIntoCmake(text, path);
    else if (path.endsWith('package.json'))
      lookIntoCode(toolSections(text), { path, kind: 'config' }, cwd);
    else if (/\.(?:sh|bash|zsh|ksh|bats)$/.test(path) || isShellText(text)) {
      for (const place of new Set([cwd, folderOf(path)])) {
        tasks.push({ kind: 'shell', text, place: placeOf(place, folderOf(path)), by: path });
      }
    } else lookIntoCode(text, { path, kind }, cwd);
  }

  function lookIntoCmake(text: string, path: string): void {
    const home = folderOf(path);
    for (const word of cmakePaths(text)) {
      const candidate = resolvePath(word, home) ?? '';
      const told = present.has(candidate) ? tellImported(candidate, path, 'config', 'load') : null;
      if (told !== null) add(candidate, told, '');
    }
  }

  /** What a script or a configuration imports, has loaded, starts, or names in quotes. */
  function lookIntoCode(
    text: string,
    { path, kind }: { readonly path: string; readonly kind: JudgeFile['kind'] },
    cwd: string,
  ): void {
    const home = folderOf(path);
    const { imports, modules, loads, strings, commands: started, writes } = textMentions(text);
    const isPython = path.endsWith('.py');
    const both = (word: string) => [resolvePath(word, home) ?? '', resolvePath(word, cwd) ?? ''];
    const imported = [
      ...imports.flatMap(importCandidates).flatMap((each) => resolvePath(each, home) ?? []),
      ...(isPython ? modules.flatMap((each) => moduleCandidates(each, home)) : []),
      ...(isPython && kind === 'test' ? modules.flatMap((each) => moduleCandidates(each, '')) : []),
    ];
    const loaded = loads.flatMap((word) => [
      ...importCandidates(word).flatMap(both),
      ...moduleCandidates(word, ''),
    ]);
    const named = (candidates: readonly string[], naming: Naming) => {
      for (const candidate of new Set(candidates)) {
        if (!present.has(candidate) || candidate === path) continue;
        const told = tellImported(candidate, path, kind, naming);
        if (told !== null) add(candidate, told, cwd);
      }
    };
    named(imported, 'import');
    named(loaded, 'load');
    named(strings.flatMap(both), 'string');
    if (kind === 'config' && plainFormats.test(path))
      named(plainPaths(text).flatMap(both), 'string');
    for (const word of writes) for (const each of new Set(both(word))) written(each, path);
    // A test starts what it tests.
    if (kind === 'test') return;
    for (const command of started) {
      tasks.push({ kind: 'shell', text: command, place: placeOf(cwd, home), by: path });
    }
  }

  /** Code on a command line names files in quotes. */
  function lookIntoInline(text: string, cwd: string, by: string): void {
    const { imports, strings, commands: started } = textMentions(text);
    for (const word of new Set([...imports, ...strings])) {
      name({ word, role: 'argument', isSubject: false }, cwd, by);
    }
    for (const command of started) {
      tasks.push({ kind: 'shell', text: command, place: placeOf(cwd, cwd), by });
    }
  }
}

/** Formats whose values stand without quotes. */
const plainFormats = /\.(?:ya?ml|ini|cfg|neon|conf|properties)$|(?:^|\/)\.[\w-]+$/;
const ignoreFiles = new Set(['.gitignore', '.ignore', '.rgignore', '.fdignore']);

/** Every script, and configuration and rules of builds near the root: they name files that are loaded. */
function isReadable({ path, kind, reason }: JudgeFile): boolean {
  if (unread.has(reason)) return false;
  if (kind === 'script' || path === 'package.json') return true;
  if (kind === 'test') return /\.(?:[cm]?[jt]sx?|py|rb|php)$/.test(path);
  if (path.split('/').length > 4) return false;
  if (kind === 'manifest') return baseName(path) === 'CMakeLists.txt';
  return (
    kind === 'config' && !/(?:^|\/)(?:node_modules|\.venv|venv|site-packages|\.yarn)\//.test(path)
  );
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function isPackageManifest(file: string): boolean {
  if (file !== 'package.json' && !file.endsWith('/package.json')) return false;
  return !file.includes('node_modules/');
}

function moduleCandidates(name: string, home: string): readonly string[] {
  const relative = name.startsWith('.') ? name.slice(1) : name;
  const path = relative.replaceAll('.', '/');
  return [`${path}.py`, `${path}/__init__.py`].flatMap((each) => resolvePath(each, home) ?? []);
}

function isGlob(word: string): boolean {
  return word.includes('*') || word.includes('?');
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function placeOf(cwd: string, own: string): ShellPlace {
  return { cwd, own, variables: new Map() };
}

function quoted(command: string): string {
  const line = command.split('\n', 1)[0] ?? '';
  return `\`${line.length > 60 ? `${line.slice(0, 57)}...` : line}\``;
}
