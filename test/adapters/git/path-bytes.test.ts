import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodePath,
  encodePath,
  joinRecords,
  splitRecords,
} from '../../../src/adapters/git/path-bytes.ts';

test('any bytes survive the way to a path and back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect([...encodePath(decodePath(bytes))]).toEqual([...bytes]);
    }),
  );
});

test('valid UTF-8 is the text it spells', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const whole = text.toWellFormed();
      expect(decodePath(Buffer.from(whole))).toBe(whole);
    }),
  );
});

test('records are split exactly as they were joined', () => {
  const record = fc
    .uint8Array({ minLength: 1, maxLength: 10 })
    .filter((bytes) => !bytes.includes(0));
  fc.assert(
    fc.property(fc.array(record), (records) => {
      const names = records.map(decodePath);
      expect(splitRecords(joinRecords(names))).toEqual(names);
    }),
  );
});
