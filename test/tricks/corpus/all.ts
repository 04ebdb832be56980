import type { TrickCase } from './case.ts';
import { config } from './config.ts';
import { during } from './during.ts';
import { neighboursMore } from './neighbours-more.ts';
import { neighbours } from './neighbours.ts';
import { refs } from './refs.ts';
import { resolution } from './resolution.ts';
import { scripts } from './scripts.ts';
import { source } from './source.ts';
import { staleMore } from './stale-more.ts';
import { stale } from './stale.ts';
import { staticChecks } from './static.ts';
import { text } from './text.ts';

/** Every trick of the corpus, by family. */
export const trickCases: readonly TrickCase[] = [
  ...source,
  ...text,
  ...config,
  ...resolution,
  ...stale,
  ...staleMore,
  ...neighbours,
  ...neighboursMore,
  ...scripts,
  ...staticChecks,
  ...refs,
  ...during,
];
