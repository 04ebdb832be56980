import { checkboxOf, columnsOf, fenceOf, nextFence } from './checkbox.ts';
import type { Checkbox } from './checkbox.ts';
import { unescapeLine, unescapeTitle } from './markdown-escape.ts';
import { buildPlan, descriptionOf, importError } from './import-plan.ts';
import type { FoundTask, ImportPlan } from './import-plan.ts';
import { priorities } from './task.ts';
import type { Priority } from './task.ts';

/**
 * Reads a checklist: a box is a task, nesting makes children, `[x]` is done, `(after: slug, slug)` at the end of the
 * title names dependencies, `(priority: high)` the priority, and the text under an item is its description. Boxes in
 * blocks of code, and everything outside of items, are not tasks.
 */
export function readMarkdown(text: string): ImportPlan {
  const reader = new ChecklistReader();
  for (const line of text.split(/\r\n|\r|\n/)) reader.read(line);
  return buildPlan('markdown', reader.found());
}

type Item = {
  readonly indent: number;
  readonly contentIndent: number;
  readonly index: number;
};

type Row = { readonly task: FoundTask; readonly lines: string[] };

/** Goes through the lines once. `#open` are the items around the current line, outermost first. */
class ChecklistReader {
  readonly #rows: Row[] = [];
  #open: Item[] = [];
  #line = 0;
  #fence: { readonly mark: string; readonly indent: number } | null = null;
  #afterText = false;

  read(line: string): void {
    this.#line += 1;
    if (line.trim() === '') {
      this.#keep('');
      this.#afterText = false;
      return;
    }
    const indent = columnsOf(/^[ \t]*/.exec(line)?.[0] ?? '');
    if (this.#fence !== null && indent < this.#fence.indent) this.#fence = null;
    const box = this.#fence === null ? checkboxOf(line) : null;
    if (box === null) this.#readText(line, indent);
    else this.#readItem(box);
    this.#afterText = true;
  }

  found(): readonly FoundTask[] {
    return this.#rows.map(({ task, lines }) => {
      const description = descriptionOf(lines.join('\n'));
      if (description === '') return task;
      return { ...task, fields: { ...task.fields, description } };
    });
  }

  #readItem(box: Checkbox): void {
    // One column more than the parent is a slip of the finger, not a child.
    this.#open = this.#open.filter((item) => item.indent + 2 <= box.indent);
    const place = `line ${this.#line}`;
    const { title, after, priority } = readTitle(box.text);
    if (title === '') throw importError(place, 'a task needs a title');
    const task: FoundTask = {
      name: null,
      title,
      parent: this.#open.at(-1)?.index ?? null,
      after,
      fields: priority === null ? {} : { priority },
      status: box.checked ? 'done' : 'pending',
      place,
    };
    this.#rows.push({ task, lines: [] });
    const contentIndent = box.indent + box.markerWidth;
    this.#open.push({ indent: box.indent, contentIndent, index: this.#rows.length - 1 });
  }

  #readText(line: string, indent: number): void {
    const inside = this.#fence !== null;
    if (!inside && !this.#continues(line, indent)) {
      this.#open = this.#open.filter((item) => item.indent < indent);
    }
    const owner = this.#open.at(-1);
    const mark = nextFence(this.#fence?.mark ?? null, line);
    if (mark === null) this.#fence = null;
    else if (!inside)
      this.#fence = {
        mark,
        indent: owner === undefined ? 0 : Math.min(indent, owner.contentIndent),
      };
    this.#keep(unescapeLine(dedent(line, owner?.contentIndent ?? 0)));
  }

  /** A paragraph may go on without its indentation. */
  #continues(line: string, indent: number): boolean {
    const owner = this.#open.at(-1);
    if (!this.#afterText || owner === undefined || indent > owner.indent) return false;
    return !/^[ \t]*(?:[-*+#>|=]|\d{1,9}[.)])/.test(line) && fenceOf(line) === null;
  }

  #keep(line: string): void {
    const owner = this.#open.at(-1);
    if (owner !== undefined) this.#rows[owner.index]?.lines.push(line);
  }
}

function readTitle(text: string): {
  readonly title: string;
  readonly after: readonly string[];
  readonly priority: Priority | null;
} {
  let title = text;
  let priority: Priority | null = null;
  const after: string[] = [];
  for (let note = noteOf(title); note !== null; note = noteOf(title)) {
    if (note.key === 'after') after.unshift(...note.values);
    else priority = note.priority;
    title = note.rest;
  }
  return { title: unescapeTitle(title.trim()), after, priority };
}

type Note =
  | { readonly key: 'after'; readonly values: readonly string[]; readonly rest: string }
  | { readonly key: 'priority'; readonly priority: Priority; readonly rest: string };

/** The note in parentheses that ends the text, unless it is escaped. */
function noteOf(text: string): Note | null {
  const trimmed = text.trimEnd();
  const start = trimmed.lastIndexOf('(');
  if (start === -1 || trimmed[start - 1] === '\\') return null;
  const match = /^\((after|priority):([^()]*)\)$/i.exec(trimmed.slice(start));
  if (match === null) return null;
  const [, key = '', value = ''] = match;
  const rest = trimmed.slice(0, start);
  if (key.toLowerCase() === 'after') {
    const values = value.split(',').map((part) => part.trim());
    return { key: 'after', values: values.filter((part) => part !== ''), rest };
  }
  const priority = priorities.find((name) => name === value.trim().toLowerCase());
  return priority === undefined ? null : { key: 'priority', priority, rest };
}

/** Takes away indentation up to a column; a tab across it leaves the rest of its width. */
function dedent(line: string, columns: number): string {
  let column = 0;
  let position = 0;
  while (column < columns) {
    const character = line[position];
    if (character !== ' ' && character !== '\t') break;
    column += character === '\t' ? 4 - (column % 4) : 1;
    position += 1;
  }
  return ' '.repeat(Math.max(0, column - columns)) + line.slice(position);
}
