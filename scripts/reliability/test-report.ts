import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { TestRef } from './fault/fault.ts';
import type { Result } from './render.ts';

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({ title: z.string(), fullName: z.string(), status: z.string() }),
      ),
    }),
  ),
});
type Report = z.output<typeof Report>;

/** Reports of `vitest run --reporter=json --outputFile=…`. */
export async function readReports(files: readonly string[]): Promise<readonly Report[]> {
  const reports: Report[] = [];
  for (const file of files) reports.push(Report.parse(JSON.parse(await readFile(file, 'utf8'))));
  return reports;
}

/** The cases of a test over all reports. A case that a report left out does not undo what an earlier one says of it. */
export function resultOf(reports: readonly Report[], { file, title }: TestRef): Result | null {
  const pattern = patternOf(title);
  const cases = new Map<string, string>();
  for (const { testResults } of reports) {
    const ran = testResults.find(({ name }) => name.endsWith(`/test/${file}`));
    for (const each of ran?.assertionResults ?? []) {
      if (!pattern.test(each.title)) continue;
      // The same title may stand in several groups, one for each containment say.
      const { fullName, status } = each;
      if (isDecided(status) || !cases.has(fullName)) cases.set(fullName, status);
    }
  }
  if (cases.size === 0) return null;
  const count = (status: string) => [...cases.values()].filter((each) => each === status).length;
  const passed = count('passed');
  const failed = count('failed');
  return { passed, failed, skipped: cases.size - passed - failed };
}

function isDecided(status: string): boolean {
  return status === 'passed' || status === 'failed';
}

/** A title with places for values (`%s`, `$name`) stands for all that they become. */
function patternOf(title: string): RegExp {
  const parts = title
    .split(/%[sdij]|\$[a-z]+/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`);
}
