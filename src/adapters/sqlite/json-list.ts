import { sql, type Sql } from './sql.ts';

/**
 * Values as the right side of `in`. One parameter whatever their number, so the statement is compiled and prepared
 * once. Another database has its own word for it.
 */
export function listed(values: readonly (string | number)[]): Sql {
  return sql`(select value from json_each(${JSON.stringify(values)}))`;
}

/** Rows as a table to select from; `value ->> 0` is the first column. */
export function rowsOf(rows: readonly (readonly (string | number)[])[]): Sql {
  return sql`json_each(${JSON.stringify(rows)})`;
}
