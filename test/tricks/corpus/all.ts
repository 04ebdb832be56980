import type { TrickCase } from './case.ts';
import { moreText } from './text-more.ts';
import { moreStatic } from './static-more.ts';
import { moreScripts } from './scripts-more.ts';
import { moreResolution } from './resolution-more.ts';
import { moreConfig } from './config-more.ts';
import { config } from './config.ts';
import { during } from './during.ts';
import { neighboursMore } from './neighbours-more.ts';
import { neighbours } from './neighbours.ts';
import { refs } from './refs.ts';
import { resolution } from './resolution.ts';
import { scripts } from './scripts.ts';
import { sourceCompiled } from './source-compiled.ts';
import { sourceScripted } from './source-scripted.ts';
import { sourceTerse } from './source-terse.ts';
import { source } from './source.ts';
import { staleMore } from './stale-more.ts';
import { stale } from './stale.ts';
import { staticChecks } from './static.ts';
import { text } from './text.ts';

/** Every trick of the corpus, by family. */
export const trickCases: readonly TrickCase[] = [
  ...source,
  ...sourceScripted,
  ...sourceCompiled,
  ...sourceTerse,
  ...text,
  ...moreText,
  ...config,
  ...moreConfig,
  ...resolution,
  ...moreResolution,
  ...stale,
  ...staleMore,
  ...neighbours,
  ...neighboursMore,
  ...scripts,
  ...moreScripts,
  ...staticChecks,
  ...moreStatic,
  ...refs,
  ...during,
];
