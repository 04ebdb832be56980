import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Cost } from './render-corpus.ts';

export const costsFile = path.join(import.meta.dirname, 'costs.json');

const Costs = z.array(
  z.object({
    project: z.string(),
    check: z.string(),
    change: z.string(),
    runs: z.array(z.string()),
    checkMs: z.number(),
    confirmationMs: z.number(),
  }),
);

export async function readCosts(): Promise<readonly Cost[]> {
  return Costs.parse(JSON.parse(await readFile(costsFile, 'utf8')));
}
