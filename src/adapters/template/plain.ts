/**
 * Templates that only print variables and leave out sections: the default one, and most that people write. They need
 * nothing of Handlebars, which takes longer to load than a prompt to build; the text is the same to the last character.
 */
import type { TemplateContext, TemplateOptions, Templates } from '../../core/prompt/templates.ts';
import { helperArity } from './helper-set.ts';
import { blockHelpers, unknownVariable } from './scan.ts';

/** `section`: shown when the variable is filled. `print`: its value. */
type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly name: string; readonly line: number }
  | {
      readonly kind: 'section';
      readonly name: string;
      readonly line: number;
      readonly body: readonly Part[];
    };

const tag = /\{\{(#if [a-z][a-z0-9-]*|\/if|[a-z][a-z0-9-]*)\}\}/g;

/** Words that mean something else to Handlebars. */
const reserved = new Set(['else', 'true', 'false', 'null', 'undefined', 'this', 'as']);

/** The parts of a plain template; null when it needs more than this file knows. */
export function parsePlain(template: string): readonly Part[] | null {
  // Odd places hold what the expression caught, even ones the text between.
  const pieces = template.split(tag);
  if (pieces.some((piece, index) => index % 2 === 0 && isEntangled(piece))) return null;
  const root: Part[] = [];
  let section: { readonly name: string; readonly line: number; readonly body: Part[] } | null =
    null;
  let line = 1;
  for (const [index, piece] of pieces.entries()) {
    const body: Part[] = section?.body ?? root;
    if (index % 2 === 0) {
      if (piece !== '') body.push({ kind: 'text', text: trimmed(pieces, index) });
      line += piece.split('\n').length - 1;
    } else if (piece === '/if') {
      if (section === null) return null;
      root.push({ kind: 'section', ...section });
      section = null;
    } else {
      const name = piece.replace('#if ', '');
      if (reserved.has(name) || blockHelpers.has(name) || Object.hasOwn(helperArity, name))
        return null;
      if (piece === name) body.push({ kind: 'print', name, line });
      else if (section === null) section = { name, line, body: [] };
      else return null;
    }
  }
  return section === null ? root : null;
}

/** Signs beside a tag that would make another one of it. */
function isEntangled(text: string): boolean {
  return text.includes('{{') || text.startsWith('}') || /[{\\]$/.test(text);
}

/** A tag of a section that stands alone on its line leaves no trace of that line. */
function trimmed(pieces: readonly string[], index: number): string {
  const text = pieces[index] ?? '';
  const after = standsAlone(pieces, index - 1) ? text.replace(/^[ \t]*\r?\n?/, '') : text;
  return standsAlone(pieces, index + 1) ? after.replace(/[ \t]+$/, '') : after;
}

function standsAlone(pieces: readonly string[], index: number): boolean {
  const piece = pieces[index];
  if (piece !== '/if' && piece?.startsWith('#if ') !== true) return false;
  const before = pieces[index - 1] ?? '';
  const after = pieces[index + 1] ?? '';
  const opensFile = index === 1 && before.trim() === '';
  const endsFile = index === pieces.length - 2 && after.trim() === '';
  const indent = before.slice(before.trimEnd().length);
  const rest = after.slice(0, after.length - after.trimStart().length);
  return (opensFile || indent.includes('\n')) && (endsFile || rest.includes('\n'));
}

export function createPlainTemplates(parts: readonly Part[]): Templates {
  return {
    render: (_template, context, options = {}) => {
      checkNames(parts, context, options);
      return { text: render(parts, context) };
    },
    printedVariables: () => new Set(printed(parts)),
  };
}

function checkNames(
  parts: readonly Part[],
  context: TemplateContext,
  { source = 'template' }: TemplateOptions,
): void {
  for (const part of parts) {
    if (part.kind === 'text') continue;
    if (!Object.hasOwn(context, part.name) || typeof context[part.name] === 'function') {
      throw unknownVariable(part.name, `${source}, line ${part.line}`, Object.keys(context));
    }
    if (part.kind === 'section') checkNames(part.body, context, { source });
  }
}

function render(parts: readonly Part[], context: TemplateContext): string {
  return parts
    .map((part) => {
      if (part.kind === 'text') return part.text;
      const value = context[part.name];
      if (part.kind === 'section') return isFilled(value) ? render(part.body, context) : '';
      // Nothing for null, a list with commas, anything else as it is.
      return [value].join('');
    })
    .join('');
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function printed(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => {
    if (part.kind === 'section') return printed(part.body);
    return part.kind === 'print' ? [part.name] : [];
  });
}
