import { expect, it } from 'vitest';
import { agentStarts, eventually } from '../support/invariants.ts';
import { crew, type Crew } from './crew.ts';

const started = (project: Crew, count: number) =>
  eventually(
    async () => (await agentStarts(project.agentLog)).length >= count,
    `${count} agents have started`,
    90_000,
  );

/** Two tasks, and a third behind the first. */
async function chain(): Promise<Crew> {
  const project = await crew({ tasks: 1, iterations: 1 });
  const { out } = await project.start(['task', 'list', '--json']).ended;
  const [first] = JSON.parse(out).tasks;
  await project.start(['task', 'add', 'behind it', '--after', first.id]).ended;
  return project;
}

it('a task behind the work of another engine is not held by a person', async () => {
  await using project = await chain();
  await project.closeGate();
  const other = project.start(['run']);
  await started(project, 1);
  const { exitCode, err } = await project.start(['run']).ended;
  expect(err).toContain('1 task waits for work that another engine does');
  expect(err).toContain(`process ${other.child.pid} `);
  expect(exitCode).toBe(4);
  const json = await project.start(['run', '--json']).ended;
  expect([json.exitCode, JSON.parse(json.out).error.code]).toEqual([4, 'run.waiting']);
  await project.openGate();
  expect((await other.ended).exitCode).toBe(0);
}, 120_000);

it('a run goes on with what another engine leaves when it is killed', async () => {
  await using project = await chain();
  await project.closeGate();
  const other = project.start(['run', '--jobs', '1']);
  await started(project, 1);
  await project.start(['task', 'add', 'beside it']).ended;
  const here = project.start(['run', '--jobs', '1']);
  await started(project, 2);
  other.child.kill('SIGKILL');
  await other.ended;
  await project.openGate();
  const { exitCode, out, err } = await here.ended;
  expect(exitCode, out + err).toBe(0);
  const { out: list } = await project.start(['task', 'list', '--json']).ended;
  const statuses = JSON.parse(list).tasks.map((task: { status: string }) => task.status);
  expect(statuses).toEqual(['done', 'done', 'done']);
}, 120_000);

it('two runs that find the same left work at the same time both end well', async () => {
  await using project = await crew({ tasks: 3, iterations: 1 });
  await project.closeGate();
  const first = project.start(['run', '--jobs', '3']);
  await started(project, 3);
  first.child.kill('SIGKILL');
  await first.ended;
  await project.openGate();
  const both = [1, 2].map(() => project.start(['run', '--jobs', '2']));
  const ended = await Promise.all(both.map(({ ended: end }) => end));
  const codes = ended.map(({ exitCode }) => exitCode);
  expect(codes.filter((code) => code !== 0 && code !== 3)).toEqual([]);
  expect(ended.map(({ err }) => err).join()).not.toContain('error: loop');
}, 120_000);

it('a task whose command is killed before it has a loop is worked on by the next run', async () => {
  await using project = await crew({ tasks: 0, iterations: 1 });
  const killed = project.start(['run', 'count'], {
    LOOPWRIGHT_FAIL_AT: 'after:add-task:1:kill',
  });
  await killed.ended;
  expect(killed.child.signalCode).toBe('SIGKILL');
  const { exitCode, out, err } = await project.start(['run']).ended;
  expect(exitCode, out + err).toBe(0);
}, 120_000);
