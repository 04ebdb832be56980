/**
 * What follows `-----BEGIN RSA PRIVATE KEY`, byte by byte: headers, lines of base64, one shorter line, the end line. Lines may be
 * separated by anything that text formats put between them: line ends as such or written `\n`, quotes, indentation, the
 * signs of a diff. It is over with its end line, or where something else comes.
 */
import { chars, classOf } from './bytes.ts';
import type { Covered } from './shape.ts';

type State = {
  readonly phase: 'between' | 'word' | 'header' | 'end-line';
  /** Of the word, or of what separates two. */
  readonly size: number;
  /** In a row, just before. */
  readonly dashes: number;
  /** Just before was a backslash. */
  readonly isEscaped: boolean;
  /** The word so far is that of an end line. */
  readonly isEnd: boolean;
  /** headers: no line of the key has come yet. lines: more may come. last: only the end line may come. */
  readonly expects: 'headers' | 'lines' | 'last';
};

const base64 = classOf(`${chars.alphanumeric}+/=`);
const separators = classOf(' \t\r\n"\',+>|#*-\\;');
const escapedLetters = classOf('nrt');
const endLabel = classOf(`${chars.upperCase}${chars.digits} `);
const endWord = [0x45, 0x4e, 0x44];
const dash = 0x2d;

/** Shorter ones are words, unless one is the last line. */
const shortestLine = 16;
const longestHeader = 200;
const longestGap = 200;

const begun: State = {
  phase: 'between',
  size: 0,
  dashes: 0,
  isEscaped: false,
  isEnd: false,
  expects: 'headers',
};

export function pemBody(data: Uint8Array, from: number): Covered {
  return goOn(begun, data, from);
}

function goOn(before: State, data: Uint8Array, from: number): Covered {
  let state = before;
  for (let i = from; i < data.length; i += 1) {
    const byte = data[i] ?? 0;
    const next = step(state, byte);
    if (next === 'over') return { end: i, rest: null };
    if (next === 'ended') return { end: i + 1, rest: null };
    state = next;
  }
  const left = state;
  return { end: data.length, rest: (more, at) => goOn(left, more, at) };
}

function step(state: State, byte: number): State | 'over' | 'ended' {
  switch (state.phase) {
    case 'end-line':
      return inEndLine(state, byte);
    case 'header':
      return inHeader(state, byte);
    case 'between':
      return between(state, byte);
    case 'word':
      return inWord(state, byte);
  }
}

function inEndLine(state: State, byte: number): State | 'over' | 'ended' {
  if (byte === dash) return state.dashes === 4 ? 'ended' : { ...state, dashes: state.dashes + 1 };
  return state.dashes === 0 && endLabel[byte] === 1 ? state : 'over';
}

/** `DEK-Info: AES-256-CBC,0A1B`, up to the end of its line. */
function inHeader(state: State, byte: number): State | 'over' {
  const isOver = byte === 0x0a || (state.isEscaped && escapedLetters[byte] === 1);
  if (isOver) return { ...begun, expects: 'headers' };
  if (state.size === longestHeader || byte < 0x09) return 'over';
  return { ...state, size: state.size + 1, isEscaped: byte === 0x5c };
}

function between(state: State, byte: number): State | 'over' {
  if (state.isEscaped && escapedLetters[byte] === 1) {
    return { ...state, isEscaped: false, dashes: 0 };
  }
  if (separators[byte] === 1) {
    if (state.size === longestGap) return 'over';
    const dashes = byte === dash ? state.dashes + 1 : 0;
    return { ...state, size: state.size + 1, dashes, isEscaped: byte === 0x5c };
  }
  if (base64[byte] === 0) return 'over';
  const isEnd = state.dashes >= 5 && byte === endWord[0];
  if (state.expects === 'last' && !isEnd) return 'over';
  return { ...state, phase: 'word', size: 1, dashes: 0, isEscaped: false, isEnd };
}

function inWord(state: State, byte: number): State | 'over' {
  const { size, isEnd, expects } = state;
  if (base64[byte] === 1) {
    return { ...state, size: size + 1, isEnd: isEnd && byte === endWord[size] };
  }
  if (isEnd && size === endWord.length && byte === 0x20) {
    return { ...state, phase: 'end-line', dashes: 0 };
  }
  if (expects === 'last') return 'over';
  if (expects === 'headers' && size < shortestLine) {
    if (byte === dash) return { ...state, size: size + 1 };
    if (byte === 0x3a) return { ...state, phase: 'header', size: 0, isEscaped: false };
  }
  if (separators[byte] === 0) return 'over';
  return {
    ...begun,
    size: 1,
    dashes: byte === dash ? 1 : 0,
    isEscaped: byte === 0x5c,
    expects: size >= shortestLine ? 'lines' : 'last',
  };
}
