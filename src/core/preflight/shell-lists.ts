/** A word of a shell text; `isPlain`: it means what it says, with nothing to expand. */
export type ShellWord = { readonly text: string; readonly isPlain: boolean };

/** Pipelines joined by `&&` and `||`; each pipeline is commands, each command is words. */
export type AndOrList = {
  readonly pipelines: readonly (readonly (readonly ShellWord[])[])[];
  readonly hasOr: boolean;
};

export type ShellLists = {
  readonly lists: readonly AndOrList[];
  /** Something follows that is not read here: a compound command, a here-document, a function. */
  readonly isCut: boolean;
};

const maxChars = 16 * 1024;
const expanded = '$`*?[~{}!#';
const blank = ' \t\r';

type Token = { readonly op: string } | { readonly word: ShellWord } | 'cut';

/** The commands of a text that are run one after the other at its top level, up to the first that is not simple. */
export function readLists(text: string): ShellLists {
  const lists: AndOrList[] = [];
  let pipelines: ShellWord[][][] = [];
  let pipeline: ShellWord[][] = [];
  let words: ShellWord[] = [];
  let hasOr = false;

  const endCommand = () => {
    if (words.length > 0) pipeline.push(words);
    words = [];
  };
  const endPipeline = () => {
    endCommand();
    if (pipeline.length > 0) pipelines.push(pipeline);
    pipeline = [];
  };
  const endList = () => {
    endPipeline();
    if (pipelines.length > 0) lists.push({ pipelines, hasOr });
    pipelines = [];
    hasOr = false;
  };

  for (const token of tokensOf(text.slice(0, maxChars))) {
    if (token === 'cut') {
      // What was begun is part of what cannot be read.
      return { lists, isCut: true };
    }
    if ('word' in token) words.push(token.word);
    else if (token.op === '|') endCommand();
    else if (token.op === '&&') endPipeline();
    else if (token.op === '||') {
      endPipeline();
      hasOr = true;
    } else endList();
  }
  endList();
  return { lists, isCut: text.length > maxChars };
}

function* tokensOf(text: string): Generator<Token> {
  let at = 0;
  while (at < text.length) {
    const char = text[at] ?? '';
    const pair = text.slice(at, at + 2);
    if (blank.includes(char)) at++;
    else if (pair === '\\\n') at += 2;
    else if (char === '#') at = endOfLine(text, at);
    else if (pair === '&&' || pair === '||') {
      yield { op: pair };
      at += 2;
    } else if (pair === '&>') at = afterTarget(text, at + 2);
    else if (pair === ';;' || '()'.includes(char)) {
      yield 'cut';
      return;
    } else if (pair === '|&') {
      yield { op: '|' };
      at += 2;
    } else if (';&|\n'.includes(char)) {
      yield { op: char === '|' ? '|' : ';' };
      at++;
    } else if ('<>'.includes(char)) {
      if (pair === '<<' || text[at + 1] === '(') {
        yield 'cut';
        return;
      }
      at = afterTarget(text, at + 1);
    } else {
      const { word, end } = readWord(text, at);
      // The number of a file before `>`.
      const isNumber = /^\d+$/.test(word.text) && '<>'.includes(text[end] ?? ' ');
      if (!isNumber) yield { word };
      at = end;
    }
  }
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** Behind the file of a redirection. */
function afterTarget(text: string, from: number): number {
  let at = from;
  while ('>&|'.includes(text[at] ?? ' ')) at++;
  while (blank.includes(text[at] ?? 'x')) at++;
  return readWord(text, at).end;
}

function readWord(text: string, from: number): { readonly word: ShellWord; readonly end: number } {
  let word = '';
  let isPlain = true;
  let at = from;
  while (at < text.length) {
    const char = text[at] ?? '';
    if (`${blank}\n;|&()<>`.includes(char)) break;
    if (char === '\\') {
      word += text[at + 1] ?? '';
      at += 2;
    } else if (char === "'" || char === '"') {
      const end = closingQuote(text, at);
      const inner = text.slice(at + 1, end);
      if (char === '"' && /[$`\\]/.test(inner)) isPlain = false;
      word += inner;
      at = end + 1;
    } else {
      if (expanded.includes(char)) isPlain = false;
      // A substitution has words of its own; whatever is in it belongs to this one.
      if (char === '`' || (char === '$' && text[at + 1] === '(')) {
        return { word: { text: word, isPlain: false }, end: text.length };
      }
      word += char;
      at++;
    }
  }
  return { word: { text: word, isPlain }, end: Math.max(at, from) };
}

function closingQuote(text: string, open: number): number {
  const quote = text[open];
  for (let at = open + 1; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at++;
    else if (text[at] === quote) return at;
  }
  return text.length;
}
