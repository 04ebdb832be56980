import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Loop } from '../../src/core/loop/loop.ts';
import { readOutages } from '../../src/engine/outages.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';

const validate = 'test -f done.txt';
const pace = { 'probe-delay': '400ms', 'max-probe-delay': '800ms', 'api-retries': 1 };

/**
 * An agent whose provider is there while a file is not. It speaks the stream of Claude Code: a 529 at once, or a tool, some work and
 * a good end. Every start is a line of a log.
 */
async function agentWith(repo: GitRepo): Promise<{
  readonly agent: string;
  readonly log: string;
  readonly down: string;
}> {
  const log = path.join(repo.outside, 'starts.log');
  const down = path.join(repo.outside, 'down');
  const failed = `{"type":"result","subtype":"success","is_error":true,"api_error_status":529,"terminal_reason":"api_error","result":"Overloaded"}`;
  const tool = `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","name":"Bash","input":{"command":"make"}}],"usage":{"input_tokens":5,"output_tokens":5}}}`;
  const done = `{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","result":"<task-done>'"$LOOPWRIGHT_TASK"'</task-done>"}`;
  const script = `#!/bin/sh
cat > /dev/null
state=up; test -f '${down}' && state=down
echo "$LOOPWRIGHT_LOOP $state" >> '${log}'
if test $state = down; then echo '${failed}'; exit 1; fi
echo '${tool}'
sleep 0.3
echo x > done.txt
echo '${done}'
`;
  const file = path.join(repo.outside, 'agent.sh');
  await writeFile(file, script, { mode: 0o755 });
  await writeFile(log, '');
  await repo.write(
    'loopwright.yml',
    `verify: { confirm: off }\nagents:\n  fake: { kind: command, command: ${file}, format: claude-stream }\n`,
  );
  await repo.commitAll('config');
  return { agent: 'fake', log, down };
}

async function starts(log: string): Promise<readonly (readonly string[])[]> {
  const text = await readFile(log, 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ')]));
}

async function addTasks(project: TestProject, count: number): Promise<void> {
  const { store, ids, clock } = project.engine;
  for (let n = 0; n < count; n++) {
    const task = { title: `task ${n}`, description: '' };
    await store.write((tx) => tx.tasks.add(ids.task(), task, clock.now()));
  }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; !(await condition()); turn++) {
    expect(turn).toBeLessThan(1500);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const waitingFor = (project: TestProject) => async (count: number) => {
  await until(async () => (await readOutages(project.engine))[0]?.waiting === count);
};

async function expectUntouched({ engine }: TestProject, loop: Loop): Promise<void> {
  expect(loop.iterations).toHaveLength(1);
  expect(loop.iterations[0]).toMatchObject({ counted: true, number: 1, outcome: 'done' });
  expect(loop).toMatchObject({ consecutiveFailures: 0, errorStreak: 0 });
  const metrics = await engine.store.read((tx) => tx.attempts.metrics(loop.taskId));
  expect(metrics).toMatchObject({ totalAttempts: 1, consecutiveFailures: 0, stuck: false });
}

describe('a provider that is down', () => {
  it('is waited for by all its loops, probed by one at a time, and costs no attempt', async () => {
    await using repo = await gitRepo();
    const { agent, log, down } = await agentWith(repo);
    await writeFile(down, '');
    await using project = await openedProject(repo, { agent, validate, ...pace });
    await addTasks(project, 3);
    const running = project.runReady({ jobs: 3 });
    await waitingFor(project)(3);
    const before = (await starts(log)).length;
    // 3 loops, each with at most one retry of its own before the provider was known to be down.
    expect(before).toBeLessThanOrEqual(6);
    await until(async () => (await starts(log)).length >= before + 3);
    const probes = (await starts(log)).slice(before).map(([loop]) => loop);
    expect(new Set(probes.slice(0, 3)).size).toBeGreaterThan(1);
    await rm(down);
    const { loops } = await running;
    expect(loops.map(({ status }) => status)).toEqual(['complete', 'complete', 'complete']);
    for (const loop of loops) await expectUntouched(project, loop);
    const all = await starts(log);
    expect(all.filter(([, state]) => state === 'up')).toHaveLength(3);
    const told = project.live.flatMap((event) => (event.kind === 'outage' ? [event] : []));
    expect(told.at(-1)).toMatchObject({ isOver: true });
    expect(await readOutages(project.engine)).toEqual([]);
  });
});
