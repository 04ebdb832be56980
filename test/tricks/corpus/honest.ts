import type { HonestCase } from './case.ts';
import { changeCases } from './honest-changes.ts';
import { javascriptCases } from './honest-javascript.ts';
import { languageCases } from './honest-languages.ts';
import { honestValues } from './honest-values.ts';
import { placeCases } from './honest-places.ts';

/** Every honest change of the corpus. */
export const honestCases: readonly HonestCase[] = [
  ...changeCases,
  ...javascriptCases,
  ...languageCases,
  ...placeCases,
  ...honestValues,
];
