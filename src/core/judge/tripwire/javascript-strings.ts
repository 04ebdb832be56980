/** A text in quotes that stands outside of braces, and the code in front of it. */
export type TopText = {
  readonly value: string;
  /** The first and the last characters of its statement up to it. */
  readonly head: string;
  readonly tail: string;
  /** Its statement has an arrow in front of it: it may be read later, or never. */
  readonly isInArrow: boolean;
};

const kept = 40;
const maxValue = 200;
/** What a `/` behind it is the start of a pattern, not a division. */
const beforePattern = '(,=:[!&|?{};+';

/** Goes over JavaScript once, past comments, patterns and what stands in braces. */
export function topTexts(text: string): readonly TopText[] {
  const found: TopText[] = [];
  const open: string[] = [];
  let [head, tail, isInArrow] = ['', '', false];
  const begin = () => {
    [head, tail, isInArrow] = ['', '', false];
  };
  const add = (char: string) => {
    if (head.length < kept && (head !== '' || char.trim() !== '')) head += char;
    tail = (tail + char).slice(-kept);
  };
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (open.at(-1) === '`') {
      if (char === '\\') index += 1;
      else if (char === '`') open.pop();
      else if (text.startsWith('${', index)) {
        open.push('${');
        index += 1;
      }
      continue;
    }
    if (text.startsWith('//', index) || text.startsWith('/*', index)) {
      const isLine = text.charAt(index + 1) === '/';
      const end = text.indexOf(isLine ? '\n' : '*/', index + 2);
      if (end === -1) break;
      index = isLine ? end - 1 : end + 1;
      continue;
    }
    if (char === "'" || char === '"' || (char === '/' && isPattern(tail))) {
      const end = endOf(text, index);
      const value = text.slice(index + 1, end);
      if (char !== '/' && isOutside(open) && value.length < maxValue) {
        found.push({ value, head, tail, isInArrow });
      }
      if (isModuleLoad(head)) begin();
      else add(char);
      index = end;
      continue;
    }
    if ('`([{'.includes(char)) open.push(char);
    else if (')]}'.includes(char)) open.pop();
    if (text.startsWith('=>', index)) isInArrow = true;
    const isEnd = char === ';' || (char === '\n' && !isModuleLoad(head));
    if (isEnd && open.length === 0) begin();
    else add(char);
  }
  return found;
}

/** Whether a statement takes something in, up to the name of a module in quotes. */
export function isModuleLoad(head: string): boolean {
  return /^(?:import[\s{*]|export\s*(?:type\s*)?[{*])/.test(head);
}

const maxDepth = 8;

/** Brackets of calls and lists are no blocks. */
function isOutside(open: readonly string[]): boolean {
  return open.length <= maxDepth && open.every((each) => each === '(' || each === '[');
}

function isPattern(tail: string): boolean {
  const before = tail.trimEnd();
  return before === '' || beforePattern.includes(before.at(-1) ?? '');
}

/** Where a quote or a pattern ends, at the latest with its line. */
function endOf(text: string, from: number): number {
  const quote = text.charAt(from);
  let isClass = false;
  for (let index = from + 1; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (char === '\\') index += 1;
    else if (char === '\n') return index - 1;
    else if (quote === '/' && (char === '[' || char === ']')) isClass = char === '[';
    else if (char === quote && !isClass) return index;
  }
  return text.length;
}
