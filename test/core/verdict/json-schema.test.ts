import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemaProblems } from '../../../src/core/verdict/json-schema.ts';

const tree = {
  $ref: '#/$defs/tree',
  $defs: {
    tree: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, children: { items: { $ref: '#/$defs/tree' } } },
      additionalProperties: false,
    },
  },
};

describe('a JSON Schema', () => {
  it.each<[unknown, unknown, string | null]>([
    [true, 1, null],
    [false, 1, 'the value is not allowed'],
    [{ type: 'integer' }, 2, null],
    [{ type: 'integer' }, 2.5, 'the value is number, not integer'],
    [{ type: ['string', 'null'] }, null, null],
    [{ required: ['id'] }, {}, 'the value has no field id'],
    [{ enum: [1, { a: 1 }] }, { a: 1 }, null],
    [{ const: [1] }, [2], 'the value is not [1]'],
    [{ minimum: 3 }, 2, 'the value breaks minimum 3'],
    [{ multipleOf: 0.5 }, 1.5, null],
    [{ maxLength: 1 }, '\u{1F600}', null],
    [{ pattern: '^a+$' }, 'b', 'the value does not match ^a+$'],
    [{ properties: { a: { type: 'string' } } }, { a: 1 }, 'a is number, not string'],
    [{ additionalProperties: false }, { a: 1 }, 'a is not allowed'],
    [{ patternProperties: { '^x': { type: 'string' } } }, { xy: 1 }, 'xy is number, not string'],
    [{ items: { type: 'string' } }, ['a', 1], '1 is number, not string'],
    [{ prefixItems: [{ const: 1 }], items: false }, [1, 2], '1 is not allowed'],
    [{ uniqueItems: true }, [{ a: 1 }, { a: 1 }], 'the value has equal items'],
    [{ contains: { const: 1 } }, [2], 'the value has no item of the kind it must contain'],
    [{ oneOf: [{ type: 'number' }, { minimum: 1 }] }, 2, 'the value fits 2 of oneOf'],
    [{ anyOf: [{ const: 1 }] }, 2, 'the value fits none of anyOf'],
    [{ not: { const: 2 } }, 2, 'the value fits what it must not'],
    [{ if: { const: 1 }, then: false, else: true }, 1, 'the value is not allowed'],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'the value has no field b'],
    [tree, { name: 'a', children: [{ name: 'b' }] }, null],
    [tree, { name: 'a', children: [{}] }, 'children.0 has no field name'],
  ])('%j judges %j', (schema, value, problem) => {
    expect(schemaProblems(schema, value)).toEqual(problem === null ? [] : [problem]);
  });

  it.each<[unknown, string]>([
    [{ unevaluatedItems: false }, 'the keyword unevaluatedItems is not supported'],
    [{ $ref: 'https://example.org/s.json' }, 'does not point into the schema itself'],
    [{ $ref: '#/$defs/none' }, 'points nowhere'],
    [{ $ref: '#' }, 'it nests too deeply'],
    ['no schema', 'it is neither an object nor a boolean'],
  ])('%j cannot be used, which is never a pass', (schema, why) => {
    expect(schemaProblems(schema, 1)[0]).toContain(why);
  });

  it('with a pattern that is none cannot be used either', () => {
    expect(schemaProblems({ pattern: '(' }, 'x')[0]).toContain('the schema cannot be used');
  });

  it('takes any JSON value without throwing', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => schemaProblems(tree, value).length <= 10));
  });
});
