/** One program that a shell text starts, as far as it can be told without running it. */
export type SimpleCommand = {
  /** The program and its arguments; what is not known in them is `unknownPart`. */
  readonly words: readonly string[];
  readonly variables: Variables;
  /** Files it reads from and writes to by `<` and `>`. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Text of a here-document. */
  readonly document: string | null;
  /** Folder it runs in, relative to the root. */
  readonly cwd: string;
  /** Whether another program looks at its output: it is what is judged, and not the judge. */
  readonly isCompared: boolean;
  /** Commands whose output it gets: the one before it in its pipeline, and its substitutions. Absent: none. */
  readonly fedBy?: readonly SimpleCommand[];
};

export type Variables = ReadonlyMap<string, string>;

/** Where a text stands. */
export type ShellPlace = {
  readonly cwd: string;
  /** Folder of the script itself: `$(dirname "$0")`. */
  readonly own: string;
  readonly variables: Variables;
};

/** Stands for anything in a word, and so does `*`. */
export const unknownPart = '*';
/** Starts a word that is a path from the root of the repository. */
export const rootPart = '\u0003';
/** Around and between the values of a variable that has several. */
const [openValues, either, closeValues] = ['\u0004', '\u0002', '\u0005'] as const;

const maxChars = 128 * 1024;
const maxCommands = 1000;
const maxDepth = 6;
/** Programs that look at what others print. */
export const comparators: ReadonlySet<string> = new Set(
  'grep egrep fgrep rg diff cmp comm jq yq awk gawk sed test [ [[ expr md5sum sha256sum sha1sum xmllint'.split(
    ' ',
  ),
);
const printers = new Set(['echo', 'printf', 'export', 'local', 'declare', 'readonly', 'case']);
const keywords = new Set(
  'if then else elif fi while until do done { } ! time esac function select'.split(' '),
);

type Word = {
  readonly word: string;
  /** Texts of the substitutions in it. */
  readonly nested: readonly string[];
  readonly fed: readonly string[];
  /** Of a redirection, whose target the word is. */
  readonly sign?: string;
};
type Token = { readonly op: string } | Word;
type Draft = {
  words: string[];
  inputs: string[];
  outputs: string[];
  document: string | null;
  nested: string[];
  /** Files whose words became words of the command. */
  fed: string[];
};

/** The programs of a shell text in their order, those of substitutions among them. Never throws, bounded. */
export function readShell(text: string, place: ShellPlace, depth = 0): readonly SimpleCommand[] {
  if (depth > maxDepth) return [];
  const variables = new Map(place.variables);
  const found: SimpleCommand[] = [];
  const folders: string[] = [];
  let cwd = place.cwd;
  let draft = emptyDraft();
  let pipeline: SimpleCommand[] = [];
  /** The command before the present one in its pipeline. */
  let before: SimpleCommand | null = null;

  const end = () => {
    for (const command of finish(draft)) pipeline.push(command);
    draft = emptyDraft();
  };
  const endPipeline = () => {
    end();
    const last = pipeline.findLastIndex(({ words }) => comparators.has(words[0] ?? ''));
    found.push(
      ...pipeline.map((each, index) => (index < last ? { ...each, isCompared: true } : each)),
    );
    pipeline = [];
  };

  for (const token of tokensOf(text.slice(0, maxChars), place, variables)) {
    if (found.length > maxCommands) break;
    if ('op' in token) {
      if (token.op === '|') {
        end();
        before = pipeline.at(-1) ?? null;
      } else {
        endPipeline();
        // `x | (y)`: what is in the parentheses gets the output.
        if (token.op !== '(') before = null;
      }
      if (token.op === '(') folders.push(cwd);
      if (token.op === ')') cwd = folders.pop() ?? cwd;
      continue;
    }
    readToken(token);
  }
  endPipeline();
  return withWrittenOutputs(found);

  function readToken({ word, nested, fed, sign }: Word): void {
    draft.nested.push(...nested);
    if (draft.words.length > 0) draft.fed.push(...fed);
    if (sign !== undefined) {
      const kind = sign.replace(/^[\d&]+/, '');
      if (kind === '<<') draft.document = word;
      else if (kind === '<') draft.inputs.push(word);
      else if (kind === '>' || kind === '>>' || kind === '>|') draft.outputs.push(word);
      return;
    }
    if (draft.words.length === 0 && keywords.has(word)) return;
    const assigned = draft.words.length === 0 ? /^([A-Za-z_]\w{0,60})\+?=/.exec(word) : null;
    if (assigned !== null) variables.set(assigned[1] ?? '', word.slice(assigned[0].length));
    else if (word !== '' || draft.words.length > 0) draft.words.push(word);
  }

  function finish(ended: Draft): readonly SimpleCommand[] {
    const { words, inputs, outputs, document, nested, fed } = ended;
    const substitutions = nested.flatMap((each) =>
      readShell(each, { ...place, cwd, variables }, depth + 1).map((command) => ({
        ...command,
        isCompared: true,
      })),
    );
    const [program = '', first = ''] = words;
    const shared = { document: null, cwd, isCompared: false, variables: new Map(variables) };
    // Words of a file that are no value to compare say what is run.
    const feeding = fed.length > 0 && !comparators.has(program) && !printers.has(program);
    const inner = feeding
      ? [...substitutions, { ...shared, words: [], inputs: fed, outputs: [] }]
      : substitutions;
    if ((program === 'for' || program === 'select') && words[2] === 'in') {
      variables.set(first, `${openValues}${words.slice(3, 53).join(either)}${closeValues}`);
      return inner;
    }
    if (
      program === 'export' ||
      program === 'declare' ||
      program === 'local' ||
      program === 'readonly'
    ) {
      for (const word of words.slice(1)) {
        const at = word.indexOf('=');
        if (at > 0) variables.set(word.slice(0, at), word.slice(at + 1));
      }
      return inner;
    }
    if (program === 'cd' || program === 'pushd') {
      const target = words.slice(1).find((word) => !word.startsWith('-')) ?? '';
      cwd = resolvePath(target, cwd) ?? cwd;
      return inner;
    }
    if (program === 'case') return inner;
    const fedBy = [...substitutions, ...(before === null ? [] : [before])];
    const feeders = fedBy.length === 0 ? {} : { fedBy };
    const command = { ...shared, inputs, outputs, document, ...feeders };
    if (program === '' && inputs.length + outputs.length === 0) return inner;
    return [...inner, ...alternatives(words).map((each) => ({ ...command, words: each }))];
  }
}

function emptyDraft(): Draft {
  return { words: [], inputs: [], outputs: [], document: null, nested: [], fed: [] };
}

/** A command for each value of a variable that has several. */
function alternatives(words: readonly string[]): readonly (readonly string[])[] {
  const count = Math.max(...words.map((word) => word.split(either).length), 1);
  if (count === 1) return [words.map((word) => chooseValue(word, 0))];
  return Array.from({ length: Math.min(count, 50) }, (_, index) =>
    words.map((word) => chooseValue(word, index)),
  );
}

function chooseValue(word: string, index: number): string {
  const from = word.indexOf(openValues);
  const to = word.indexOf(closeValues, from);
  if (from === -1 || to === -1) return word;
  const values = word.slice(from + 1, to).split(either);
  return `${word.slice(0, from)}${values[index] ?? unknownPart}${word.slice(to + 1)}`;
}

/** What a command wrote to a file that a comparing one then names was compared; there it stands as `-`. */
function withWrittenOutputs(commands: readonly SimpleCommand[]): readonly SimpleCommand[] {
  const written = new Set(commands.flatMap(({ outputs }) => outputs));
  if (written.size === 0) return commands;
  const compared = new Set(
    commands.flatMap(({ words, inputs }) =>
      comparators.has(words[0] ?? '') ? [...words, ...inputs] : [],
    ),
  );
  return commands.map((each) => ({
    ...each,
    words: comparators.has(each.words[0] ?? '')
      ? each.words.map((word) => (written.has(word) ? '-' : word))
      : each.words,
    isCompared: each.isCompared || each.outputs.some((file) => compared.has(file)),
  }));
}

/** A path of the repository; null for one outside of it. `*` parts stay. */
export function resolvePath(word: string, cwd: string): string | null {
  const isRooted = word.startsWith(rootPart);
  if (!isRooted && (word.startsWith('/') || word.startsWith('~'))) return null;
  const segments = isRooted || cwd === '' ? [] : cwd.split('/');
  for (const segment of (isRooted ? word.slice(1) : word).split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return null;
  }
  return segments.join('/');
}

const operators = ['&&', '||', ';;', '|&', '\n', ';', '|', '&', '(', ')'];

/** Words, redirections and operators. */
function* tokensOf(text: string, place: ShellPlace, variables: Variables): Generator<Token> {
  let at = 0;
  const waiting: { readonly mark: string; readonly sign: string }[] = [];
  while (at < text.length) {
    const char = text[at] ?? '';
    if (char === ' ' || char === '\t' || char === '\r') {
      at++;
      continue;
    }
    if (char === '\\' && text[at + 1] === '\n') {
      at += 2;
      continue;
    }
    if (char === '#') {
      const stop = text.indexOf('\n', at);
      at = stop === -1 ? text.length : stop;
      continue;
    }
    const sign = redirectionAt(text, at);
    if (sign !== null) {
      at += sign.length;
      while (text[at] === ' ' || text[at] === '\t') at++;
      const read = readWord(text, at, place, variables);
      at = read.end;
      if (/^\d?<<-?$/.test(sign)) waiting.push({ mark: read.word, sign });
      else yield { sign, word: read.word, nested: read.nested, fed: [] };
      continue;
    }
    const op = operators.find((each) => text.startsWith(each, at));
    if (op !== undefined) {
      at += op.length;
      if (op === '\n') {
        for (const { mark, sign: document } of waiting.splice(0)) {
          const stop = documentEnd(text, at, mark, document.endsWith('-'));
          yield { sign: '<<', word: text.slice(at, stop.from), nested: [], fed: [] };
          at = stop.to;
        }
      }
      yield { op: op === '|&' ? '|' : op };
      continue;
    }
    const read = readWord(text, at, place, variables);
    at = Math.max(read.end, at + 1);
    yield { word: read.word, nested: read.nested, fed: read.fed };
  }
}

/** `>`, `2>>`, `&>`, `<`, `<<-` …; null where none starts, or where a substitution does. */
function redirectionAt(text: string, at: number): string | null {
  const found = /^(?:\d{0,2}|&)(?:<<<|<<-?|<|>>|>\||>)&?/.exec(text.slice(at, at + 8));
  if (found === null) return null;
  return text[at + found[0].length] === '(' ? null : found[0];
}

function documentEnd(
  text: string,
  from: number,
  mark: string,
  isIndented: boolean,
): { from: number; to: number } {
  for (let at = from; at <= text.length;) {
    const stop = text.indexOf('\n', at);
    const end = stop === -1 ? text.length : stop;
    const line = text.slice(at, end);
    if ((isIndented ? line.trimStart() : line).trimEnd() === mark) return { from: at, to: end };
    if (stop === -1) break;
    at = stop + 1;
  }
  return { from: text.length, to: text.length };
}

type Read = {
  readonly word: string;
  readonly nested: readonly string[];
  readonly fed: readonly string[];
  readonly end: number;
};

/** One word with quotes removed and known variables put in. */
function readWord(text: string, from: number, place: ShellPlace, variables: Variables): Read {
  const nested: string[] = [];
  const fed: string[] = [];
  let word = '';
  let at = from;
  let isQuoted = false;
  while (at < text.length) {
    const char = text[at] ?? '';
    if (char === '\\') {
      word += text[at + 1] === '\n' ? '' : (text[at + 1] ?? '');
      at += 2;
    } else if (char === "'" && !isQuoted) {
      const stop = text.indexOf("'", at + 1);
      word += text.slice(at + 1, stop === -1 ? text.length : stop);
      at = stop === -1 ? text.length : stop + 1;
    } else if (char === '"') {
      isQuoted = !isQuoted;
      at++;
    } else if (char === '`') {
      const stop = text.indexOf('`', at + 1);
      const inner = text.slice(at + 1, stop === -1 ? text.length : stop);
      nested.push(inner);
      if (!isQuoted) fed.push(...catOf(inner));
      word += substituted(inner, place);
      at = stop === -1 ? text.length : stop + 1;
    } else if (
      (char === '$' || (!isQuoted && (char === '<' || char === '>'))) &&
      text[at + 1] === '('
    ) {
      const stop = closing(text, at + 2);
      const inner = text.slice(at + 2, stop);
      if (!inner.startsWith('(')) nested.push(inner);
      if (!isQuoted && char === '$') fed.push(...catOf(inner));
      word += char === '$' ? substituted(inner, place) : '-';
      at = stop + 1;
    } else if (char === '$') {
      const { value, end } = variableAt(text, at, place, variables);
      word += value;
      at = end;
    } else if (!isQuoted && ' \t\r\n;|&()<>'.includes(char)) break;
    else {
      word += char;
      at++;
    }
  }
  return { word, nested, fed, end: at };
}

/** Files that a substitution prints as they are: `cat list`, `< list`. */
function catOf(text: string): readonly string[] {
  const words = text.trim().split(/\s+/);
  const isCat = (words[0] === 'cat' || words[0] === '<') && words.length <= 20;
  return isCat
    ? words.slice(1).filter((word) => /^[\w./-]{1,200}$/.test(word) && !word.startsWith('-'))
    : [];
}

/** Where the parenthesis closes that is open before `from`. */
function closing(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '\\') at++;
    else if (char === "'") {
      const stop = text.indexOf("'", at + 1);
      at = stop === -1 ? text.length : stop;
    } else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) return at;
  }
  return text.length;
}

/** What a substitution gives, where everyone knows it: the folder of the script, of the repository, the present one. */
function substituted(inner: string, { own, cwd }: ShellPlace): string {
  if (inner.includes('dirname') && /\$0|\$\{0|BASH_SOURCE|%x/.test(inner)) {
    const ups = inner.includes('/../..') ? '/../..' : inner.includes('/..') ? '/..' : '';
    return `${rootPart}/${own}${ups}`;
  }
  if (inner.includes('show-toplevel')) return `${rootPart}/`;
  return inner.trim() === 'pwd' ? `${rootPart}/${cwd}` : unknownPart;
}

function variableAt(
  text: string,
  at: number,
  { own, cwd }: ShellPlace,
  variables: Variables,
): { readonly value: string; readonly end: number } {
  const plain = /^\$([A-Za-z_]\w{0,60}|[0-9@*#?$!-])/.exec(text.slice(at, at + 64));
  if (plain !== null) return { value: valueOf(plain[1] ?? ''), end: at + plain[0].length };
  if (text[at + 1] !== '{') return { value: '$', end: at + 1 };
  const stop = text.indexOf('}', at);
  const end = stop === -1 ? text.length : stop + 1;
  const body = text.slice(at + 2, stop === -1 ? text.length : stop);
  if (body.startsWith('BASH_SOURCE') || body.startsWith('0%'))
    return { value: `${rootPart}/${own}`, end };
  const [, name = '', fallback] = /^(\w{1,60})(?::?[-=](.{0,200}))?/.exec(body) ?? [];
  const known = variables.get(name);
  return { value: known ?? fallback ?? valueOf(name), end };

  function valueOf(wanted: string): string {
    if (wanted === 'PWD') return `${rootPart}/${cwd}`;
    if (wanted === 'GITHUB_WORKSPACE' || wanted === 'INIT_CWD' || wanted === 'CI_PROJECT_DIR')
      return `${rootPart}/`;
    return variables.get(wanted) ?? unknownPart;
  }
}
