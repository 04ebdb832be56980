/** What a night may never leave behind, judged from outside. */
import { execFile } from 'node:child_process';
import { copyFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import type { Loop } from '../../../src/core/loop/loop.ts';
import { storedLoops, storeViolations } from '../../support/invariants.ts';
import { tempDir } from '../../support/temp-dir.ts';
import type { Call } from './models.ts';
import type { Night } from './night.ts';
import { taskNames, type TaskName } from './plan.ts';

const execute = promisify(execFile);

/** Tasks whose work must be in the base, once, with a check that is green at every commit. */
export async function baseViolations(
  { repo, plannedAt }: Night,
  done: readonly TaskName[],
): Promise<readonly string[]> {
  const violations: string[] = [];
  if ((await repo.git('rev-list', '--min-parents=2', 'main')) !== '')
    violations.push('the base is no line');
  for (const task of taskNames) {
    const file = `work/${task}.txt`;
    const commits = await repo.git('log', '--format=%H', 'main', '--', file);
    const times = commits === '' ? 0 : commits.split('\n').length;
    const wanted = done.includes(task) ? 1 : 0;
    if (times !== wanted) violations.push(`${task} is ${times} times in the base, not ${wanted}`);
  }
  const place = path.join(repo.outside, 'at-commit');
  await repo.git('clone', '--quiet', '--no-checkout', repo.path, place);
  for (const commit of (await repo.git('rev-list', `${plannedAt}..main`)).split('\n')) {
    await repo.gitIn(place, 'checkout', '--quiet', '--force', commit);
    await execute('sh', ['check.sh'], { cwd: place }).catch(() => {
      violations.push(`the check is red at ${commit}`);
    });
  }
  await rm(place, { recursive: true });
  if ((await repo.git('status', '--porcelain')) !== '') violations.push('the checkout is dirty');
  return violations;
}

/** Loops that ended well have one counted iteration, whatever has happened to them on the way. */
export async function countViolations(
  night: Night,
  more: Readonly<Partial<Record<TaskName, number>>>,
): Promise<readonly string[]> {
  const violations = [...(await storeViolations(night.view))];
  for (const { loop } of await storedLoops(night.view)) {
    const name = titleOf(loop);
    const counted = loop.iterations.filter((each) => each.counted).length;
    const wanted = more[name] ?? 1;
    if (counted !== wanted) violations.push(`${name}: ${counted} iterations count, not ${wanted}`);
    if (loop.errorStreak > 0) violations.push(`${name}: errors were counted`);
    if (loop.status === 'complete' && loop.consecutiveFailures > 0)
      violations.push(`${name}: failures were counted`);
    const models = new Set(loop.iterations.map(({ model }) => model));
    if (models.size > 1) violations.push(`${name}: models ${[...models].join(', ')}`);
  }
  return violations;
}

export function titleOf(loop: Loop): TaskName {
  const found = taskNames.find((name) => loop.settings.validation.command?.endsWith(` ${name}`));
  if (found === undefined) throw new Error(`${loop.id} is of no task of this night`);
  return found;
}

/** What the memory has of tasks whose agents never failed by themselves. */
export async function memoryViolations(
  night: Night,
  failed: readonly TaskName[],
): Promise<readonly string[]> {
  await using copy = await tempDir();
  for (const end of ['', '-wal']) {
    const from = path.join(night.view.path, `.loopwright/state.db${end}`);
    await copyFile(from, path.join(copy.path, `state.db${end}`)).catch(() => {});
  }
  using database = new DatabaseSync(path.join(copy.path, 'state.db'));
  const others = `task_id not in (select id from tasks where title in (${failed.map((name) => `'${name}'`).join()}))`;
  const outcomes = database
    .prepare(
      `select outcome, count(*) as times from iteration_outcomes where outcome not in ('done', 'interrupted') and ${others} group by outcome`,
    )
    .all();
  const reports = database.prepare(`select * from failure_reports where ${others}`).all();
  const learnings = database.prepare('select * from learnings').all();
  const failures = database
    .prepare(`select task_id from strategy_metrics where consecutive_failures > 0 and ${others}`)
    .all();
  return [outcomes, reports, learnings, failures].flat().map((row) => JSON.stringify(row));
}

const troubles =
  /\b(?:529|401|429)\b|overloaded|sign.?in|usage limit|idle limit|\bhung\b|killed|interrupted|no space|cut short/i;

/** No prompt speaks of what providers, keys, disks and kills did. */
export function promptViolations(calls: readonly Call[]): readonly string[] {
  const told = calls.filter(({ prompt }) => troubles.test(prompt));
  return [...new Set(told.map(({ task, prompt }) => `${task}: ${troubles.exec(prompt)?.[0]}`))];
}

/** What the models charged, and what the store has of it. */
export async function moneyOf(night: Night): Promise<{ charged: number; recorded: number }> {
  const loops = await storedLoops(night.view);
  const costs = loops.flatMap(({ loop }) => loop.iterations.map(({ costUsd }) => costUsd ?? 0));
  return { charged: sumOf(night.models.calls), recorded: costs.reduce((sum, usd) => sum + usd, 0) };
}

export function sumOf(calls: readonly Call[]): number {
  return calls.reduce((sum, { costUsd }) => sum + costUsd, 0);
}

/** Requests, those without an answer, and answers that were paid for a second time. */
export function callFigures(calls: readonly Call[]) {
  const answered = calls.filter(({ end }) => end === 'answered');
  const steps = new Set(answered.map(({ task, step }) => `${task} ${step}`));
  return {
    made: calls.length,
    lost: calls.length - answered.length,
    repeated: answered.length - steps.size,
  };
}
