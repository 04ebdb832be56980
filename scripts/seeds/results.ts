import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { isTestFile, type Tag } from './scan.ts';

const Count = z.number();
const Counts = z.object({ passed: Count, failed: Count, skipped: Count });
export type Counts = z.output<typeof Counts>;

/** How often the cases of a tagged test passed, failed and were left out, by its key. */
export type Results = Readonly<Record<string, Counts>>;
export const StoredResults = z.record(z.string(), Counts);

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({
          title: z.string(),
          status: z.string(),
          meta: z.object({ shows: z.array(z.string()).optional() }).optional(),
        }),
      ),
    }),
  ),
});
export type Report = z.output<typeof Report>;

/** A report of `vitest run --reporter=json --outputFile=…`. */
export async function readReport(file: string): Promise<Report> {
  return Report.parse(JSON.parse(await readFile(file, 'utf8')));
}

/** Two tags of one title in one file are told apart by what they show. */
export function keyOf({ file, title, ids }: Tag): string {
  return `${file}: ${title} (${ids.join(', ')})`;
}

/**
 * What the cases of a tagged test came to; null when the report has none of them. A case belongs to
 * a tag when it said so while it ran, so a test that never reached its tag has no result.
 */
export function countsOf(report: Report, tag: Tag): Counts | null {
  const pattern = patternOf(tag.title);
  const cases = report.testResults
    .filter(({ name }) => !isTestFile(tag.file) || name.endsWith(`/test/${tag.file}`))
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ title, meta }) => pattern.test(title) && isShown(tag.ids, meta?.shows ?? []));
  if (cases.length === 0) return null;
  const count = (status: string) => cases.filter((each) => each.status === status).length;
  const [passed, failed] = [count('passed'), count('failed')];
  return { passed, failed, skipped: cases.length - passed - failed };
}

function isShown(ids: readonly string[], shown: readonly string[]): boolean {
  return ids.every((id) => shown.includes(id));
}

/** A title with places for values (`%s`, `$name`) stands for all that they become. */
function patternOf(title: string): RegExp {
  const parts = title
    .split(/%[sdijofc]|\$[a-zA-Z.]+/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('[^]*')}$`);
}
