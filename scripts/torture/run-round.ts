import { noCounts, type Counts, type Finding } from './findings.ts';
import type { Program } from './ground.ts';
import { planRound, type ScenarioName } from './plan.ts';
import { Round } from './round.ts';
import { stories, whyNot } from './stories.ts';

export type RoundResult = {
  readonly scenario: ScenarioName;
  readonly seed: string;
  readonly counts: Counts;
  readonly findings: readonly Finding[];
  readonly folder: string;
  readonly seconds: number;
  /** Why it could not be played here. */
  readonly skipped: string | null;
};

/** One round from beginning to end. Its folder stays when something was found. */
export async function runRound(
  scenario: ScenarioName,
  seed: string,
  { entry, mostBlows = 10 }: Program & { readonly mostBlows?: number },
): Promise<RoundResult> {
  const began = performance.now();
  const skipped = whyNot(scenario);
  if (skipped !== null) {
    return { scenario, seed, counts: noCounts(), findings: [], folder: '', seconds: 0, skipped };
  }
  const whole = planRound(scenario, seed);
  const plan = { ...whole, blows: whole.blows.slice(0, mostBlows) };
  const round = await Round.begin(plan, { entry });
  const { findings, ground } = round;
  try {
    await stories[scenario](round);
    await round.finish();
  } catch (error) {
    findings.add(
      'errors',
      `the harness: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    await round.restPerson();
    round.tidy();
  }
  const seconds = (performance.now() - began) / 1000;
  const { counts, list } = findings;
  return { scenario, seed, counts, findings: list, folder: ground.folder, seconds, skipped: null };
}
