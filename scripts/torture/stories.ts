import type { ScenarioName } from './plan.ts';
import type { Round } from './round.ts';
import { fakeTime, jumpClock } from './story/clock.ts';
import { copyProject, moveProject } from './story/elsewhere.ts';
import { lockStore } from './story/locked-store.ts';
import { storm, stormOverTwo } from './story/storm.ts';

/** What happens in a round before its last, undisturbed run. */
export const stories: Readonly<Record<ScenarioName, (round: Round) => Promise<void>>> = {
  engine: storm,
  family: storm,
  git: storm,
  twice: storm,
  signals: storm,
  rebase: storm,
  merge: storm,
  'in-place': storm,
  engines: stormOverTwo,
  clock: jumpClock,
  copy: copyProject,
  move: moveProject,
  lock: lockStore,
};

/** Why a story cannot be played on this machine; null when it can. */
export function whyNot(scenario: ScenarioName): string | null {
  if (process.platform !== 'linux') return 'skipped: needs /proc';
  return scenario === 'clock' && fakeTime() === null ? 'skipped: faketime is not installed' : null;
}
