/** One test point of TAP: `not ok 3 - name # SKIP why {`. */
export type TapPoint = {
  readonly indent: number;
  readonly isOk: boolean;
  readonly number: number | null;
  readonly name: string;
  readonly directive: 'skip' | 'todo' | null;
  /** Words behind the directive: why it is skipped, or what is left to do. */
  readonly hasReason: boolean;
  readonly durationMs: number | null;
  /** The subtests follow the point, in braces. */
  readonly opensBlock: boolean;
  readonly hasDash: boolean;
};

export function indentOf(text: string): number {
  let indent = 0;
  while (text[indent] === ' ') indent++;
  return indent;
}

export function readTapPoint(text: string, indent: number): TapPoint | null {
  const isOk = text.startsWith('ok', indent);
  if (!isOk && !text.startsWith('not ok', indent)) return null;
  const match = /^ok(?![\w\t])(?: +(\d+)(?!\S))?( +-(?= |$))?(.*)$/.exec(
    text.slice(indent + (isOk ? 0 : 4)),
  );
  if (match === null) return null;
  const [, number, dash, rest = ''] = match;
  const opensBlock = rest.endsWith(' {');
  const { description, comment } = splitComment(opensBlock ? rest.slice(0, -2) : rest);
  const directive = directiveOf(comment);
  const time = /^ *time=(\d+(?:\.\d+)?)ms/.exec(comment);
  const isComment = directive !== null || time !== null || comment.trim() === '';
  const name = isComment ? description : `${description} #${comment}`;
  return {
    indent,
    isOk,
    number: number === undefined ? null : Number(number),
    name: unescape(name.trim()),
    directive,
    hasReason: / *\w+[:,]? +\S/.test(comment),
    durationMs: time === null ? null : Number(time[1]),
    opensBlock,
    hasDash: dash !== undefined,
  };
}

/** Splits at the first `#` that is not escaped and not part of a word. */
function splitComment(rest: string): { readonly description: string; readonly comment: string } {
  for (let i = rest.indexOf('#'); i !== -1; i = rest.indexOf('#', i + 1)) {
    if (i > 0 && rest[i - 1] !== ' ') continue;
    const comment = rest.slice(i + 1);
    if (directiveOf(comment) !== null || /^ *time=\d/.test(comment)) {
      return { description: rest.slice(0, i), comment };
    }
  }
  return { description: rest, comment: '' };
}

function directiveOf(comment: string): TapPoint['directive'] {
  const word = /^ *(skip|todo\b)/i.exec(comment)?.[1]?.toLowerCase();
  return word === 'skip' || word === 'todo' ? word : null;
}

function unescape(name: string): string {
  return name.includes('\\') ? name.replaceAll(/\\([#\\])/g, '$1') : name;
}
