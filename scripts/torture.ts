/**
 * Torture: the real program in real repositories, hit again and again, judged from outside.
 *
 *     node scripts/torture.ts [--scenario NAME]... [--rounds N] [--seed S] [--minutes M] [--json FILE] [--entry FILE]
 *
 * A round makes a repository with four to seven tasks and runs `loopwright run --jobs N --events` in it. The agents are shell
 * programs that need one to three iterations, change a file of their own and a line of a shared one, and leave half of their
 * work when they are ended. A person meanwhile commits to the base (edits, adds, deletes), stages, and keeps a stash
 * entry, a tag, a hook, ignored and untracked files. The base is checked out here, in a linked worktree, or nowhere.
 * A saboteur ends the engine, by plan: at a random moment, after an event, at a failpoint, or at one of its git commands,
 * which can also be ended midway through the files it writes. Then the engine is started again. The last run of a
 * round is left alone and must bring every task to its end.
 *
 * Scenarios: `engine` (kill -9), `family` (with all that it started), `git` (one git command alone), `twice` (again, soon
 * after the restart), `signals` (TERM, INT, STOP and CONT), `rebase` (the base moves all the time), `merge` (many loops
 * ready at once), `in-place`, `engines` (two at once), `clock` (the wall clock jumps; needs faketime), `copy` and `move` (of
 * the whole project), `lock` (another program locks the store for 20 s).
 *
 * The judge uses nothing of the program: git (history, objects, refs, status, registrations, the commands of a user, also after
 * `gc`), SQLite (integrity, gaps, what the event stream had told), `/proc`, and a log that the agents write. All
 * columns from `tasksStuck` on must be 0. The plan of a round follows from scenario and seed; its timing does not. The folder
 * of a round with findings is kept: `trace.log` says what happened, `run-N.err` and `run-N.jsonl` what each run said.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { broken, measured, noCounts, type Counts } from './torture/findings.ts';
import { scenarios, type ScenarioName } from './torture/plan.ts';
import { runRound, type RoundResult } from './torture/run-round.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    seed: { type: 'string' },
    scenario: { type: 'string', multiple: true },
    minutes: { type: 'string' },
    json: { type: 'string' },
    entry: { type: 'string' },
  },
});

const chosen = values.scenario?.map(scenarioOf) ?? scenarios;
const entry = values.entry ?? builtEntry();
const deadline =
  values.minutes === undefined ? null : performance.now() + Number(values.minutes) * 60_000;
const results: RoundResult[] = [];
const first = values.seed ?? String(Date.now() % 1_000_000);

const planned = Array.from({ length: Number(values.rounds) }, (_, index) =>
  chosen.map((scenario) => ({
    scenario,
    seed: values.rounds === '1' ? first : `${first}.${index}`,
  })),
).flat();
const isOver = () => deadline !== null && performance.now() > deadline;
await Promise.all([work(), work()]);
report();

/** Two rounds at a time: most of one is waiting. */
async function work(): Promise<void> {
  for (let next = planned.shift(); next !== undefined && !isOver(); next = planned.shift()) {
    const result = await runRound(next.scenario, next.seed, { entry });
    results.push(result);
    tell(result);
  }
}

function tell({ scenario, seed, findings, seconds, folder, skipped }: RoundResult): void {
  const words = skipped ?? (findings.length === 0 ? 'ok' : `${findings.length} findings`);
  process.stderr.write(`${scenario} ${seed}: ${words}, ${seconds.toFixed(1)} s\n`);
  if (findings.length === 0) return;
  for (const { kind, text } of findings) process.stderr.write(`  ${kind}: ${text}\n`);
  process.stderr.write(
    `  kept in ${folder}; again: node scripts/torture.ts --scenario ${scenario} --seed ${seed}\n`,
  );
}

function report(): void {
  const perScenario = new Map<string, Counts & { rounds: number }>();
  for (const { scenario, counts, skipped } of results) {
    if (skipped !== null) continue;
    const sum = perScenario.get(scenario) ?? { ...noCounts(), rounds: 0 };
    sum.rounds++;
    for (const key of [...measured, ...broken]) sum[key] += counts[key];
    perScenario.set(scenario, sum);
  }
  const total = { ...noCounts(), rounds: 0 };
  for (const sum of perScenario.values()) {
    for (const key of ['rounds', ...measured, ...broken] as const) total[key] += sum[key];
  }
  const rows = [...perScenario, ['total', total] as const];
  const head = ['scenario', 'rounds', ...measured, ...broken];
  const lines = rows.map(([name, sum]) => [
    name,
    ...(['rounds', ...measured, ...broken] as const).map((key) => String(sum[key])),
  ]);
  const table = [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
  process.stdout.write(`${table.join('\n')}\n`);
  const failed = results.filter(({ findings }) => findings.length > 0);
  for (const { scenario, seed } of failed) {
    process.stdout.write(`failed: node scripts/torture.ts --scenario ${scenario} --seed ${seed}\n`);
  }
  if (values.json !== undefined) {
    writeFileSync(
      values.json,
      JSON.stringify({ counts: Object.fromEntries(rows), failed }, null, 2),
    );
  }
  process.exitCode = failed.length > 0 ? 1 : 0;
}

function scenarioOf(name: string): ScenarioName {
  const found = scenarios.find((each) => each === name);
  if (found === undefined) throw new Error(`--scenario is one of ${scenarios.join(', ')}`);
  return found;
}

/** The package as it is published: what is being edited meanwhile does not change it. It is removed at the end. */
function builtEntry(): string {
  const root = path.resolve(import.meta.dirname, '..');
  const folder = mkdtempSync(path.join(tmpdir(), 'loopwright-package-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['bin', 'package.json']) {
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  }
  const argv = [path.join(root, 'scripts/build.ts'), path.join(folder, 'dist')];
  execFileSync(process.execPath, argv, { stdio: 'inherit', cwd: root });
  return path.join(folder, 'bin/loopwright.cjs');
}
