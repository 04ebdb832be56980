import { progressSections } from './000-progress.ts';
import { memoryOverviewSections } from './001-overview.ts';
import { memoryPromptSections } from './001-prompt.ts';
import { memorySigilSections } from './001-sigils.ts';
import { memoryTableSections } from './001-tables.ts';
import { engineSections } from './002-engine.ts';
import { strategySections } from './003-strategy.ts';
import { iterationSections } from './004-iteration.ts';
import type { IdOf, Section } from './statement.ts';

const all = [
  ...progressSections,
  ...memoryOverviewSections,
  ...memoryTableSections,
  ...memorySigilSections,
  ...memoryPromptSections,
  ...engineSections,
  ...strategySections,
  ...iterationSections,
] as const;

/** Every section of the five documents, in their order. */
export const sections: readonly Section[] = all;

/** The name of a statement, as tests write it. */
export type StatementId = IdOf<(typeof all)[number]>;
