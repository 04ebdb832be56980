import {
  configOptions,
  interpreters,
  loadOptions,
  lookers,
  runners,
  shells,
  wrappers,
  wrappingCommands,
} from './program-table.ts';
import { packageStart, type PackageStart } from './package-start.ts';
import { comparators, resolvePath, type SimpleCommand } from './shell.ts';

/**
 * What a command does with a file that it names: runs it (with a shell or another interpreter), takes it into
 * the shell that runs, loads it before something else runs, configures with it, collects tests from it, compares with it, or gives it to a program.
 */
export type Role = 'shell' | 'source' | 'run' | 'load' | 'config' | 'test' | 'data' | 'argument';

export type Mention = {
  /** A path or a glob of paths, relative to the folder of the command unless it starts at the root. */
  readonly word: string;
  readonly role: Role;
  /** Another program looks at its output, or it is told to test itself. */
  readonly isSubject: boolean;
};

/** What a command starts, to be looked up in files. */
export type Start =
  | { readonly kind: 'shell'; readonly text: string; readonly cwd: string }
  | { readonly kind: 'code'; readonly text: string; readonly cwd: string }
  | ({ readonly kind: 'package' } & PackageStart)
  | {
      readonly kind: 'make';
      readonly cwd: string;
      readonly files: readonly string[];
      readonly targets: readonly string[];
      readonly variables: ReadonlyMap<string, string>;
    }
  | {
      readonly kind: 'tasks';
      /** Names of the file that has the tasks. */
      readonly files: readonly string[];
      readonly cwd: string;
      readonly names: readonly string[];
    };

export type Reading = { readonly mentions: readonly Mention[]; readonly starts: readonly Start[] };

const nothing: Reading = { mentions: [], starts: [] };
/** A program that is told to test or describe itself is what is judged. */
const selfTest =
  /^(?:--?(?:self-?test|self-?check|check|tests?|version|help|doctor|dry-run|[hvV])|self-?test|self-?check)$/;
const maxWraps = 12;

/** What a command names and starts. */
export function readCommand(command: SimpleCommand): Reading {
  const readings = [
    nothing,
    redirected(command),
    readProgram(command, command.words, 0),
    onPath(command),
    fromEnvironment(command),
  ];
  return {
    mentions: readings.flatMap(({ mentions }) => mentions),
    starts: readings.flatMap(({ starts }) => starts),
  };
}

/** `wc -l < notes.txt` looks at a file; `node calc.js < in.txt` feeds the product with it. */
function redirected({ inputs, words: [program = ''] }: SimpleCommand): Reading {
  if (lookers.has(program) || (comparators.has(program) && !pairs.has(program))) return nothing;
  const mentions = inputs.map((word): Mention => ({
    word,
    role: 'data',
    isSubject: false,
  }));
  return { mentions, starts: [] };
}

/** Variables that make a runtime load something before it runs what it was given. */
const loadingVariables =
  'NODE_OPTIONS PYTEST_ADDOPTS PYTEST_PLUGINS RUBYOPT PERL5OPT BASH_ENV ENV MAKEFILES LD_PRELOAD RUSTC_WRAPPER JAVA_TOOL_OPTIONS'.split(
    ' ',
  );

function fromEnvironment({ words, variables }: SimpleCommand): Reading {
  // `env NAME=value program` and `cross-env` set them as arguments.
  const given = words.flatMap((word) => {
    const at = word.indexOf('=');
    return at > 0 && loadingVariables.includes(word.slice(0, at)) ? [word.slice(at + 1)] : [];
  });
  const values = [...given, ...loadingVariables.flatMap((name) => variables.get(name) ?? [])];
  const all = values.flatMap((value) => value.split(/[\s=,:]+/)).filter((word) => word !== '');
  const mentions = all
    .filter((word) => !word.startsWith('-'))
    .flatMap(moduleWords)
    .map((word): Mention => ({ word, role: 'load', isSubject: false }));
  return { mentions, starts: [] };
}

/** A word, and the file of a Python module of that name. */
function moduleWords(word: string): readonly string[] {
  return /^[\w.]+$/.test(word) ? [word, `${word.replaceAll('.', '/')}.py`] : [word];
}

/** A program that is looked for in a folder of the repository first. */
function onPath({ words: [program = ''], variables, isCompared }: SimpleCommand): Reading {
  const path = variables.get('PATH') ?? '';
  if (program === '' || program.includes('/')) return nothing;
  const folders = path
    .split(':')
    .filter((each) => each !== '' && each !== '*' && !each.startsWith('/'));
  const mentions = folders.map((folder): Mention => ({
    word: `${folder}/${program}`,
    role: 'load',
    isSubject: isCompared,
  }));
  return { mentions, starts: [] };
}

function readProgram(command: SimpleCommand, words: readonly string[], wraps: number): Reading {
  const [first = '', ...rest] = words;
  if (wraps > maxWraps || first === '') return nothing;
  const program = first.slice(first.lastIndexOf('/') + 1);
  const again = (inner: readonly string[]) => readProgram(command, inner, wraps + 1);
  const wrapper = wrappers.get(program);
  if (wrapper !== undefined) {
    const inner = unwrapped(rest, wrapper.options, wrapper.skip);
    const text =
      program === 'npx' || program === 'bunx' ? optionValue(rest, ['-c', '--call']) : null;
    return text === null
      ? merge(again(inner), mentionOptions(rest.slice(0, rest.length - inner.length)))
      : shellText(command, text);
  }
  const wrapping = wrappingCommands.get(program);
  if (wrapping !== undefined && wrapping.has(firstOperand(rest) ?? '')) {
    const inner = unwrapped(rest.slice(rest.indexOf(firstOperand(rest) ?? '') + 1), new Set(), 0);
    const isPython = program === 'coverage';
    return merge(
      again(isPython ? ['python', ...inner] : inner),
      taskRunner(command, program, inner),
    );
  }
  if (program === 'find') return again(afterWord(rest, ['-exec', '-execdir', '-ok']));
  if (program === 'eval') return shellText(command, rest.join(' '));
  if (program === 'concurrently' || program === 'wait-on') {
    return merge(
      ...rest.filter((word) => !word.startsWith('-')).map((word) => shellText(command, word)),
    );
  }
  if (program === '.' || program === 'source') return mentionOf(rest[0], 'source', command);
  if (shells.has(program)) return readShellProgram(command, rest);
  if (program === 'make' || program === 'gmake' || program === 'bmake')
    return readMake(command, rest);
  const packaged = packageStart(program, rest, command.cwd);
  if (packaged !== null) {
    const inner = packaged.program.length === 0 ? nothing : again(packaged.program);
    return merge(inner, { mentions: [], starts: [{ kind: 'package', ...packaged }] });
  }
  const tasks = taskRunner(command, program, rest);
  if (tasks.starts.length > 0) return tasks;
  if (comparators.has(program)) return readComparison(program, rest);
  const runner = runnerOf(program, rest);
  if (runner !== null) return readRunner(runner);
  if (interpreters.has(program.replace(/[\d.]+$/, '')) || interpreters.has(program)) {
    return readInterpreter(command, program, rest, again);
  }
  if (program === 'go' && rest[0] === 'run') return goRun(command, rest.slice(1));
  const own =
    first.includes('/') || /\.\w{1,4}$/.test(first)
      ? mentionOf(first, 'run', command, rest)
      : nothing;
  const options = mentionOptions(rest);
  if (lookers.has(program)) return merge(own, options);
  return merge(own, options, {
    mentions: operands(rest).map((word) => ({ word, role: 'argument', isSubject: false })),
    starts: [],
  });
}

function merge(...readings: readonly Reading[]): Reading {
  return {
    mentions: readings.flatMap(({ mentions }) => mentions),
    starts: readings.flatMap(({ starts }) => starts),
  };
}

function mentionOf(
  word: string | undefined,
  role: Role,
  { isCompared }: SimpleCommand,
  rest: readonly string[] = [],
): Reading {
  if (word === undefined || word === '') return nothing;
  const isSubject = isCompared || rest.some((each) => selfTest.test(each));
  return { mentions: [{ word, role, isSubject }], starts: [] };
}

function shellText({ cwd }: SimpleCommand, text: string): Reading {
  return { mentions: [], starts: [{ kind: 'shell', text, cwd }] };
}

/** What remains after the options of a wrapper, its assignments and its own operands. */
function unwrapped(
  words: readonly string[],
  options: ReadonlySet<string>,
  skip: number,
): readonly string[] {
  let left = skip;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') return words.slice(at + 1);
    if (options.has(word)) at++;
    else if (word.startsWith('-') || /^[A-Za-z_]\w{0,60}=/.test(word)) continue;
    else if (left > 0) left--;
    else return words.slice(at);
  }
  return [];
}

function afterWord(words: readonly string[], marks: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => marks.includes(word));
  return at === -1 ? [] : words.slice(at + 1);
}

function operands(words: readonly string[]): readonly string[] {
  return words.filter((word) => word !== '' && !word.startsWith('-'));
}

function firstOperand(words: readonly string[]): string | undefined {
  return operands(words)[0];
}

function optionValue(words: readonly string[], names: readonly string[]): string | null {
  const at = words.findIndex((word) => names.includes(word));
  return at === -1 ? null : (words[at + 1] ?? null);
}

function readShellProgram(command: SimpleCommand, rest: readonly string[]): Reading {
  const at = rest.findIndex((word) => /^-[a-z]*c$/.test(word));
  const text =
    at === -1 ? null : (rest.slice(at + 1).find((word) => !word.startsWith('-')) ?? null);
  if (text !== null) return shellText(command, text);
  if (command.document !== null) return shellText(command, command.document);
  const script = unwrapped(rest, new Set(['-o', '+o', '-O', '--rcfile', '--init-file']), 0);
  return merge(mentionOf(script[0], 'shell', command, script.slice(1)), {
    mentions: script.slice(1).map((word) => ({ word, role: 'argument', isSubject: false })),
    starts: [],
  });
}

function readMake({ cwd, variables }: SimpleCommand, rest: readonly string[]): Reading {
  const files: string[] = [];
  const targets: string[] = [];
  const given = new Map(variables);
  let folder = cwd;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? '';
    const set = /^([\w.-]{1,80})\s*[:?+]?=(.*)$/s.exec(word);
    const attached = /^(?:-([Cf])(.+)|--(directory|file|makefile)=(.+))$/s.exec(word);
    const name = attached?.[1] ?? attached?.[3];
    if (attached !== null)
      into(name === 'C' || name === 'directory', attached[2] ?? attached[4] ?? '');
    else if (word === '-C' || word === '--directory') into(true, rest[++at] ?? '');
    else if (word === '-f' || word === '--file' || word === '--makefile')
      into(false, rest[++at] ?? '');
    else if (
      word === '-I' ||
      word === '-o' ||
      word === '-W' ||
      (word === '-j' && /^\d+$/.test(rest[at + 1] ?? ''))
    )
      at++;
    else if (set !== null && !word.startsWith('-')) given.set(set[1] ?? '', set[2] ?? '');
    else if (!word.startsWith('-')) targets.push(word);
  }
  const mentions = files.map((file): Mention => ({
    word: `\u0003/${resolvePath(file, folder) ?? ''}`,
    role: 'config',
    isSubject: false,
  }));
  return { mentions, starts: [{ kind: 'make', cwd: folder, files, targets, variables: given }] };

  function into(isFolder: boolean, value: string): void {
    if (isFolder) folder = resolvePath(value, folder) ?? folder;
    else files.push(value);
  }
}

/** Runners of tasks and the file that has them. */
const taskFiles: ReadonlyMap<string, readonly string[]> = new Map([
  ['just', ['justfile', 'Justfile', '.justfile']],
  ['task', ['Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'Taskfile.dist.yml']],
  ['tox', ['tox.ini', 'setup.cfg', 'pyproject.toml', 'tox.toml']],
  ['poe', ['pyproject.toml']],
  ['poetry', ['pyproject.toml']],
  ['pdm', ['pyproject.toml']],
  ['hatch', ['pyproject.toml', 'hatch.toml']],
  ['rye', ['pyproject.toml']],
  ['composer', ['composer.json']],
  ['pre-commit', ['.pre-commit-config.yaml']],
  ['invoke', ['tasks.py']],
  ['inv', ['tasks.py']],
  ['deno', ['deno.json', 'deno.jsonc']],
  ['cargo-make', ['Makefile.toml']],
  ['lefthook', ['lefthook.yml', 'lefthook.yaml']],
]);

function taskRunner({ cwd }: SimpleCommand, program: string, rest: readonly string[]): Reading {
  const files = taskFiles.get(program);
  if (files === undefined) return nothing;
  const names = operands(rest);
  if (program === 'deno' && names[0] !== 'task') return nothing;
  return { mentions: [], starts: [{ kind: 'tasks', files, cwd, names }] };
}

/** `diff`, `grep` and the like: one side is what is judged, the other one judges. */
/** They compare one file with another. */
const pairs: ReadonlySet<string> = new Set(['diff', 'cmp', 'comm']);
/** Their `-f` asks whether a file is there; it loads nothing. */
const conditions: ReadonlySet<string> = new Set(['test', '[', '[[', 'expr']);

function readComparison(program: string, rest: readonly string[]): Reading {
  const isPair = pairs.has(program);
  const words = operands(rest);
  const hasOther =
    rest.includes('-') ||
    rest.length >
      words.length + rest.filter((word) => word.length > 1 && word.startsWith('-')).length;
  const reads = conditions.has(program) ? [] : rest;
  const loaded = ['-f', '--file', '--from-file', '--rawfile', '--slurpfile', '--schema'].flatMap(
    (name) => optionValue(reads, [name]) ?? [],
  );
  // `grep -vqf list`
  const joined = reads.flatMap((word, index) =>
    /^-[a-zA-Z]{1,12}f$/.test(word) ? (rest[index + 1] ?? []) : [],
  );
  return {
    mentions: [
      ...words.map((word): Mention => ({
        word,
        role: isPair && hasOther ? 'data' : 'argument',
        isSubject: !isPair,
      })),
      ...[...loaded, ...joined].map((word): Mention => ({ word, role: 'data', isSubject: false })),
    ],
    starts: [],
  };
}

type Runner = { readonly rest: readonly string[]; readonly isDoctest: boolean };

/** The arguments of a runner of tests; null when the command is none. */
function runnerOf(program: string, rest: readonly string[]): Runner | null {
  const isDoctest = rest.some((word) => word.includes('doctest'));
  const module = optionValue(rest, ['-m']);
  const isPython = /^(?:python|pypy)[\d.]*$/.test(program);
  if (isPython && module !== null && runners.has(module)) {
    return { rest: rest.slice(rest.indexOf(module) + 1), isDoctest };
  }
  if (isPython && module === 'doctest')
    return { rest: rest.slice(rest.indexOf(module) + 1), isDoctest: true };
  const isNode = /^node\d*(?:js)?$/.test(program) || program === 'tsx';
  if (isNode && rest.includes('--test')) return { rest, isDoctest };
  if ((program === 'bun' || program === 'deno') && firstOperand(rest) === 'test') {
    return { rest: rest.slice(rest.indexOf('test') + 1), isDoctest };
  }
  if (
    program === 'ruby' &&
    rest.some((word) => word.startsWith('-Itest') || word.startsWith('-Ispec'))
  )
    return { rest, isDoctest };
  return runners.has(program) ? { rest, isDoctest } : null;
}

function readRunner({ rest, isDoctest }: Runner): Reading {
  const mentions = operands(rest).map((word): Mention => ({
    word: word.split('::')[0] ?? word,
    role: 'test',
    isSubject: isDoctest,
  }));
  return merge({ mentions, starts: [] }, mentionOptions(rest));
}

const inline = ['-e', '--eval', '-p', '--print', '-pe', '-c', '-ne', '-le'];

function readInterpreter(
  command: SimpleCommand,
  program: string,
  rest: readonly string[],
  again: (words: readonly string[]) => Reading,
): Reading {
  const isPython = /^(?:python|pypy)/.test(program);
  const code = optionValue(rest, isPython ? ['-c'] : inline.filter((each) => each !== '-c'));
  const options = mentionOptions(rest);
  const named =
    optionValue(rest, ['--run']) ?? rest.find((word) => word.startsWith('--run='))?.slice(6);
  if (named !== undefined && named !== null && program.startsWith('node')) {
    const start: Start = {
      kind: 'package',
      names: [named],
      cwd: command.cwd,
      everywhere: false,
      program: [],
    };
    return merge(options, { mentions: [], starts: [start] });
  }
  const text =
    code ?? (operands(rest).length === 0 || rest.includes('-') ? command.document : null);
  if (text !== null)
    return merge(options, { mentions: [], starts: [{ kind: 'code', text, cwd: command.cwd }] });
  const module = isPython ? optionValue(rest, ['-m']) : null;
  if (module !== null) return readModule(command, module, rest, again);
  const skipped = new Set([
    ...loadOptions,
    ...configOptions,
    '-X',
    '-W',
    '-I',
    '-C',
    '--conditions',
    '-d',
  ]);
  const words = unwrapped(
    program === 'deno' || program === 'bun' || program === 'dart' ? afterRun(rest) : rest,
    skipped,
    0,
  );
  const [script, ...given] = words;
  return merge(mentionOf(script, 'run', command, given), options, {
    mentions: operands(given).map((word) => ({ word, role: 'argument', isSubject: false })),
    starts: [],
  });
}

function afterRun(rest: readonly string[]): readonly string[] {
  return rest[0] === 'run' ? rest.slice(1) : rest;
}

/** `python -m x.y` runs `x/y.py` or the package of that name. */
function readModule(
  command: SimpleCommand,
  module: string,
  rest: readonly string[],
  again: (words: readonly string[]) => Reading,
): Reading {
  const given = rest.slice(rest.indexOf(module) + 1);
  if (
    module === 'coverage' ||
    module === 'poetry' ||
    module === 'pipenv' ||
    module === 'tox' ||
    module === 'nox'
  ) {
    return again([module, ...given]);
  }
  const path = module.replaceAll('.', '/');
  return merge(
    mentionOf(`${path}.py`, 'run', command, given),
    mentionOf(`${path}/__main__.py`, 'run', command, given),
    {
      mentions: lookers.has(module)
        ? []
        : operands(given).map((word) => ({ word, role: 'argument', isSubject: false })),
      starts: [],
    },
  );
}

/** `go run ./tools/check`: every file of that folder is the program. */
function goRun(command: SimpleCommand, rest: readonly string[]): Reading {
  const [target, ...given] = operands(rest);
  if (target === undefined || /^[./]*$/.test(target)) return nothing;
  const word = target.endsWith('.go') ? target : `${target}/*.go`;
  return mentionOf(word, 'run', command, given);
}

/** Values of options that load or configure, written `--name value` or `--name=value`. */
function mentionOptions(rest: readonly string[]): Reading {
  const mentions = rest.flatMap((word, index): readonly Mention[] => {
    // A file of arguments.
    if (/^@[\w./-]{1,200}$/.test(word))
      return [{ word: word.slice(1), role: 'config', isSubject: false }];
    if (!word.startsWith('-')) return [];
    const at = word.indexOf('=');
    const name = at === -1 ? word : word.slice(0, at);
    const value = at === -1 ? (rest[index + 1] ?? '') : word.slice(at + 1);
    if (value === '' || value.startsWith('-')) return [];
    const role = loadOptions.has(name) ? 'load' : configOptions.has(name) ? 'config' : null;
    if (role === null) return [];
    const words = role === 'load' ? moduleWords(value) : [value];
    return words.map((each) => ({ word: each, role, isSubject: false }));
  });
  return { mentions, starts: [] };
}
