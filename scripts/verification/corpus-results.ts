import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { trickCases } from '../../test/tricks/corpus/all.ts';
import { honestCases } from '../../test/tricks/corpus/honest.ts';
import { hows, isCaught, type Outcome } from '../../test/tricks/corpus/outcome.ts';

/** What a case came to: an outcome without what differs from machine to machine. */
export type CorpusResult = Omit<Outcome, 'why'> & { readonly caught: boolean };
/** By the title of the test. */
export type CorpusResults = Readonly<Record<string, CorpusResult>>;

const result = {
  status: z.string(),
  how: z.enum(hows),
  proof: z.string().nullable(),
  iterations: z.number(),
  fooled: z.boolean(),
  lifted: z.boolean(),
  truth: z.boolean().nullable(),
};
export const StoredCorpus = z.record(z.string(), z.object({ ...result, caught: z.boolean() }));

const Report = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(
        z.object({
          title: z.string(),
          meta: z
            .object({ outcome: z.object({ ...result, why: z.string() }).optional() })
            .optional(),
        }),
      ),
    }),
  ),
});

export const corpusTitles: readonly string[] = [
  ...trickCases.map(({ family, name }) => `${family}: ${name}`),
  ...honestCases.map(({ name }) => name),
];

/** Outcomes in reports of tests replace the known ones; cases that are gone are forgotten. */
export async function updateCorpus(
  known: CorpusResults,
  files: readonly string[],
): Promise<CorpusResults> {
  const found = new Map(Object.entries(known));
  for (const file of files) {
    const report = Report.parse(JSON.parse(await readFile(file, 'utf8')));
    for (const { title, meta } of report.testResults.flatMap((each) => each.assertionResults)) {
      if (meta?.outcome === undefined) continue;
      const { why, ...rest } = meta.outcome;
      found.set(title, { ...rest, caught: isCaught({ ...rest, why }) });
    }
  }
  return Object.fromEntries(
    corpusTitles.flatMap((title) => {
      const each = found.get(title);
      return each === undefined ? [] : [[title, each]];
    }),
  );
}
