import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { stem } from '../../../../src/core/memory/rank/porter.ts';
import { pathTokens, tokenize } from '../../../../src/core/memory/rank/tokens.ts';

const terms = (text: string): string[] => tokenize(text).map(({ term }) => term);

test('words meet in their stems', () => {
  const table = {
    caresses: 'caress',
    ponies: 'poni',
    cats: 'cat',
    agreed: 'agre',
    plastered: 'plaster',
    hopping: 'hop',
    filing: 'file',
    happy: 'happi',
    relational: 'relat',
    conditional: 'condit',
    rationalization: 'ration',
    electrical: 'electr',
    adjustable: 'adjust',
    replacement: 'replac',
    adoption: 'adopt',
    controlling: 'control',
    roll: 'roll',
    yes: 'ye',
  };
  expect(Object.keys(table).map(stem)).toEqual(Object.values(table));
});

test('names in code are found by their parts and as a whole', () => {
  expect(terms('bodyLimit')).toEqual(['bodi', 'limit', 'bodylimit']);
  expect(terms('body_limit')).toEqual(['bodi', 'limit', 'bodylimit']);
  expect(terms('parseHTTPUrl the v2')).toEqual(['pars', 'http', 'url', 'parsehttpurl', 'v2']);
});

test('a path is known by what others do not have', () => {
  expect(pathTokens('src/middleware/body-limit/index.ts')).toEqual(['middlewar', 'bodi', 'limit']);
});

test('any text becomes bounded terms without spaces or slashes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
      expect(terms(text).filter((term) => !/^[^\s/]{1,60}$/u.test(term))).toEqual([]);
    }),
  );
});

test('a megabyte of one word costs no more than its length', () => {
  expect(terms('a'.repeat(1_000_000))).toEqual([]);
  expect(terms('aB'.repeat(500_000))).toEqual([]);
});
