import { describe, expect, test } from 'vitest';
import { allOf, assigned, inserted, joined, sql } from '../../../src/adapters/sqlite/sql.ts';

describe('a piece of SQL', () => {
  test('keeps values apart from its text, whatever is in them', () => {
    const { text, values } = sql`select * from tasks where id = ${"'; drop table tasks; --"}`;
    expect(text).toBe('select * from tasks where id = ?');
    expect(values).toEqual(["'; drop table tasks; --"]);
  });

  test('takes in other pieces, with their values in the order of the text', () => {
    const inner = sql`b = ${2} or c = ${null}`;
    const { text, values } = sql`select ${1} where (${inner}) and d = ${'4'}`;
    expect(text).toBe('select ? where (b = ? or c = ?) and d = ?');
    expect(values).toEqual([1, 2, null, '4']);
  });

  test('is the same text for other values, so that it is prepared once', () => {
    const [one, other] = ['a', 'b'].map((id) => sql`select * from loops where id = ${id}`);
    expect(one?.text).toBe(other?.text);
  });

  test('names the columns of a row to insert or to assign', () => {
    const row = { id: 'x', sequence: sql`(select ${7})` };
    expect(inserted(row)).toEqual({
      text: '(id, sequence) values (?, (select ?))',
      values: ['x', 7],
    });
    expect(assigned(row)).toEqual({ text: 'id = ?, sequence = (select ?)', values: ['x', 7] });
  });

  test('joins conditions, and no condition is true', () => {
    expect(allOf(sql`a = ${1}`, null, sql`b`)).toEqual({ text: 'a = ? and b', values: [1] });
    expect(allOf(null).text).toBe('1 = 1');
    expect(joined([1, 'two'], ', ')).toEqual({ text: '?, ?', values: [1, 'two'] });
  });
});
