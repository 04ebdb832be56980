import { expect, test } from 'vitest';
import { RunBudget } from '../../src/engine/run-budget.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';

const none = { costUsd: null, tokens: null, durationMs: null, dayCostUsd: null };
const hour = 3_600_000;
const candidate = { key: 'agent', reports: true, order: 0 };
const never = new AbortController().signal;

function budgetOf({ engine: { clock, store } }: TestProject, durationMs: number | null) {
  return new RunBudget({ clock, store, publish: () => {}, limits: { ...none, durationMs } });
}

/** Resolves with why the loop was cut. */
function cutOf(budget: RunBudget, id: string): Promise<string> {
  return new Promise((resolve) => {
    budget.onCut(id, resolve);
  });
}

test('the time of a run is watched by the limit that holds now', async () => {
  await using repo = await gitRepo();
  await using project = await openedProject(repo, {});
  using budget = budgetOf(project, hour);
  let exhausted = 0;
  using _listener = budget.onExhausted(() => exhausted++);
  expect(await budget.reserve('a', candidate, never)).toBe(true);
  const first = cutOf(budget, 'a');
  // Lowered: the hour is not waited for.
  budget.limits = { ...none, durationMs: 50 };
  expect(await first).toContain('time budget of the run');
  expect(budget.exhausted.aborted).toBe(true);
  budget.ended('a', null, false);
  // Raised after it had passed: there is room, and the new limit is watched like the first.
  budget.limits = { ...none, durationMs: hour };
  expect(budget.exhausted.aborted).toBe(false);
  expect(await budget.reserve('b', candidate, never)).toBe(true);
  const second = cutOf(budget, 'b');
  budget.limits = { ...none, durationMs: 100 };
  expect(await second).toContain('time budget of the run');
  // Each time it was used up, not only the first.
  expect(exhausted).toBe(2);
});

test('a limit of the time that comes while an agent works is watched', async () => {
  await using repo = await gitRepo();
  await using project = await openedProject(repo, {});
  using budget = budgetOf(project, null);
  await budget.reserve('a', candidate, never);
  const cut = cutOf(budget, 'a');
  budget.limits = { ...none, durationMs: 50 };
  expect(await cut).toContain('time budget of the run');
});

test('a limit that was raised after it had passed cuts when the raised one passes', async () => {
  await using repo = await gitRepo();
  await using project = await openedProject(repo, {});
  using budget = budgetOf(project, 200);
  await budget.reserve('a', candidate, never);
  await cutOf(budget, 'a');
  budget.ended('a', null, false);
  budget.limits = { ...none, durationMs: 2000 };
  if (!(await budget.reserve('b', candidate, never))) throw new Error('the machine stood still');
  expect(await cutOf(budget, 'b')).toContain('time budget of the run');
});
