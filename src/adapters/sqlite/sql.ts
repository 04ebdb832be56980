export type SqlValue = string | number | bigint | null | Uint8Array;

/** A statement, or a part of one: values stay apart from the text, so nothing that is stored can become a part of it. */
export class Sql<Row = unknown> {
  /** What a row of the answer is; known to the compiler alone. */
  declare readonly row: Row;
  readonly text: string;
  readonly values: readonly SqlValue[];

  constructor(text: string, values: readonly SqlValue[]) {
    this.text = text;
    this.values = values;
  }
}

/** The same text for the same template: a connection prepares it once. */
export function sql<Row = unknown>(
  strings: TemplateStringsArray,
  ...parts: readonly (SqlValue | Sql)[]
): Sql<Row> {
  let text = strings[0] ?? '';
  const values: SqlValue[] = [];
  for (const [index, part] of parts.entries()) {
    text += textOf(part, values) + (strings[index + 1] ?? '');
  }
  return new Sql(text, values);
}

/** Text of the program itself, never of a person or an agent. */
export function verbatim(text: string): Sql {
  return new Sql(text, []);
}

export function joined(parts: readonly (SqlValue | Sql)[], between: string): Sql {
  const values: SqlValue[] = [];
  return new Sql(parts.map((part) => textOf(part, values)).join(between), values);
}

/** True when each of these is; null is no condition. */
export function allOf(...conditions: readonly (Sql | null)[]): Sql {
  const given = conditions.filter((each) => each !== null);
  return given.length === 0 ? verbatim('1 = 1') : joined(given, ' and ');
}

/** Columns by name; columns that are left out keep their default. */
type RowOf<Table> = { readonly [Column in keyof Table]?: Table[Column] | Sql };

/** `a = ?, b = ?`, for `set`. */
export function assigned<Table>(row: RowOf<Table>): Sql {
  const assignments = entriesOf(row).map(([column, value]) => sql`${verbatim(column)} = ${value}`);
  return joined(assignments, ', ');
}

/** `(a, b) values (?, ?)`, for `insert into`. */
export function inserted<Table>(row: RowOf<Table>): Sql {
  const entries = entriesOf(row);
  const columns = entries.map(([column]) => column).join(', ');
  const values = entries.map(([, value]) => value);
  return sql`(${verbatim(columns)}) values (${joined(values, ', ')})`;
}

/** What cannot be stored is refused by the connection. */
function entriesOf(row: object): readonly (readonly [string, SqlValue | Sql])[] {
  return Object.entries(row);
}

function textOf(part: SqlValue | Sql, values: SqlValue[]): string {
  if (part instanceof Sql) {
    values.push(...part.values);
    return part.text;
  }
  values.push(part);
  return '?';
}
