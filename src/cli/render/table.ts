import type { Paint, Style } from './paint.ts';
import { cutToWidth, padToWidth, textWidth } from './width.ts';

export type Column = {
  readonly heading: string;
  readonly align?: 'right';
  /** This column gives way when the table is wider than the terminal. */
  readonly flexible?: boolean;
};

export type Cell = string | { readonly text: string; readonly style: Style };

/** Aligned columns under headings; the flexible column is cut so that no line is wider than `columns`. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
  paint: Paint,
): string {
  const widths = columns.map(({ heading }, index) =>
    Math.max(textWidth(heading), ...rows.map((row) => textWidth(textOf(row[index] ?? '')))),
  );
  const total = widths.reduce((sum, each) => sum + each + gap.length, -gap.length);
  const flexible = columns.findIndex((column) => column.flexible === true);
  if (flexible !== -1 && total > width) {
    widths[flexible] = Math.max(8, (widths[flexible] ?? 0) - (total - width));
  }
  const line = (cells: readonly Cell[]) =>
    columns
      .map((column, index) => renderCell(cells[index] ?? '', column, widths[index] ?? 0, paint))
      .join(gap)
      .trimEnd();
  const heading = columns.map(({ heading: text }): Cell => ({ text, style: 'dim' }));
  return `${[heading, ...rows].map(line).join('\n')}\n`;
}

const gap = '  ';

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

function renderCell(cell: Cell, column: Column, width: number, paint: Paint): string {
  const text = cutToWidth(textOf(cell), width);
  const space = ' '.repeat(Math.max(0, width - textWidth(text)));
  const painted = typeof cell === 'string' ? text : paint(cell.style, text);
  if (column.align === 'right') return space + painted;
  return typeof cell === 'string' ? padToWidth(text, width) : painted + space;
}
