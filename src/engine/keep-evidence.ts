import path from 'node:path';
import type { Check, LevelName } from '../core/verdict/report.ts';
import type { Engine } from './engine.ts';

/** What a check found by looking is kept as a file too, without secrets; looks of one level share its time. */
export async function keepEvidence(
  { artifacts, clean }: Engine,
  dir: string,
  level: LevelName,
  checks: readonly Check[],
  tookMs: number,
): Promise<readonly Check[]> {
  const kept: Check[] = [];
  for (const check of checks) {
    if (check.evidence !== null) {
      kept.push(check);
      continue;
    }
    const evidence = `${level}-${check.name}.log`;
    const output = clean(check.output);
    const reason = check.reason === null ? null : clean(check.reason);
    await artifacts.write(path.join(dir, evidence), `${output}\n`);
    const outputHash = await artifacts.digest([path.join(dir, evidence)]);
    const durationMs = Math.round(tookMs / checks.length);
    kept.push({ ...check, output, reason, evidence, outputHash, durationMs });
  }
  return kept;
}
