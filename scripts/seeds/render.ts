import { keyOf, type Counts, type Results } from './results.ts';
import type { Tag } from './scan.ts';
import {
  documents,
  statementsOf,
  type DocumentId,
  type Section,
  type Statement,
} from './statement.ts';

export type Page = {
  readonly sections: readonly Section[];
  readonly tags: readonly Tag[];
  readonly results: Results;
};

/** The page, from the statements, the tags in the tests and the recorded results. */
export function renderSeeds(page: Page): string {
  const parts = documents.map(
    ({ id, title }) => `## ${id}: ${title}\n\n${renderDocument(page, id)}`,
  );
  return [head, renderFigures(page), ...parts].join('\n');
}

export function allStatements({ sections }: Page): readonly Statement[] {
  return sections.flatMap(statementsOf);
}

/** The statements that have neither a test nor a decision. */
export function bareStatements(page: Page): readonly string[] {
  const shown = new Set(page.tags.flatMap(({ ids }) => ids));
  return allStatements(page)
    .filter(({ id, decision }) => decision === null && !shown.has(id))
    .map(({ id }) => id);
}

function renderFigures(page: Page): string {
  const row = (name: string, statements: readonly Statement[]) => {
    const asWritten = statements.filter(({ decision }) => decision === null).length;
    const shown = statements.filter((each) => isShown(page, each)).length;
    const cells = [name, statements.length, asWritten, statements.length - asWritten, shown];
    return `| ${cells.join(' | ')} |`;
  };
  return [
    '| document | statements | as written | decided differently | executed by a passing test |',
    '| --- | --- | --- | --- | --- |',
    ...documents.map(({ id, title }) =>
      row(`${id} ${title}`, sectionsOf(page, id).flatMap(statementsOf)),
    ),
    row('all', allStatements(page)),
    '',
  ].join('\n');
}

function sectionsOf({ sections }: Page, document: DocumentId): readonly Section[] {
  return sections.filter((each) => each.document === document);
}

function isShown({ tags, results }: Page, { id }: Statement): boolean {
  const counts = tags.filter(({ ids }) => ids.includes(id)).map((tag) => results[keyOf(tag)]);
  return counts.length > 0 && counts.every((each) => each !== undefined && isPassed(each));
}

/** Passed at least once and failed never. */
export function isPassed({ passed, failed }: Counts): boolean {
  return passed > 0 && failed === 0;
}

function renderDocument(page: Page, document: DocumentId): string {
  return sectionsOf(page, document)
    .map((each) => {
      const items = statementsOf(each).map((statement) => renderStatement(page, statement));
      return `### ${each.title}\n\n${items.join('\n')}\n`;
    })
    .join('\n');
}

function renderStatement({ tags, results }: Page, { id, says, decision }: Statement): string {
  const tests = tags
    .filter(({ ids }) => ids.includes(id))
    .map((tag) => {
      const result = renderCounts(results[keyOf(tag)]);
      return `  - ${result}: \`${tag.title.replaceAll('`', "'")}\` in \`test/${tag.file}\``;
    });
  const decided =
    decision === null
      ? []
      : [
          `  - Decided differently (specification ${decision.section}): ${decision.instead}. Reason: ${decision.because}.`,
        ];
  return [`- **${id}** ${says}.`, ...decided, ...tests].join('\n');
}

function renderCounts(counts: Counts | undefined): string {
  if (counts === undefined) return 'no result';
  const { passed, failed, skipped } = counts;
  const parts = [
    passed > 0 ? `${passed} passed` : '',
    failed > 0 ? `${failed} failed` : '',
    skipped > 0 ? `${skipped} left out` : '',
  ];
  return parts.filter((part) => part !== '').join(', ') || 'no result';
}

const head = `# The design documents, statement by statement

Loopwright is made from five design documents. This page lists what they ask for, in our own words, the test that
executes each statement with its result, and what was decided differently, with the reason and the section of the
specification that decides it. Nothing here is typed by hand:

- \`scripts/seeds/\` holds the statements: a name, one sentence, and the decision where we do something else.
- A test says which statements it executes in its first line: \`shows('000.empty-text')\`. The names are a type, so a
  name that does not exist does not compile.
- \`npm run seeds\` runs the test files with such lines, records what each tagged test came to in
  \`scripts/seeds/results.json\`, and writes this page. A test counts for a statement only if it said so while it ran.
  \`npm run seeds -- FILE...\` runs these files alone and keeps the other results.
- \`test/seeds/page.test.ts\` fails when a statement has neither a test nor a decision, when a tag names no statement,
  when a tagged test has no result or a failed one, and when this page is not what the three sources give.
`;
