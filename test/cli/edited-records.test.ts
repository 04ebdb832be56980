import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

type Played = { readonly cli: ReturnType<typeof memoryCli>; readonly loop: string };

async function played(
  repo: GitRepo,
  agent: string,
  flags: readonly string[] = [],
): Promise<Played> {
  await repo.write('loopwright.yml', config);
  await repo.commitAll('config');
  const cli = memoryCli({ cwd: repo.path, env: repo.env });
  const run = ['run', 'the work', '--agent', `command:${agent}`, '--max-iterations', '1'];
  const { out } = await cli.run(...run, ...flags, '--json');
  return { cli, loop: JSON.parse(out).loop };
}

const config = 'validation: {command: "test -f done"}\nverify: {product: [done]}\n';
const failing = 'echo x > other.txt';
const completing = 'touch done';

function edit(repo: GitRepo, statement: string): void {
  using database = new DatabaseSync(path.join(repo.path, '.loopwright/state.db'));
  database.exec(statement);
}

/** What somebody writes who wants a failed loop to be taken for a complete one. */
const toComplete = `
  update loops set status = 'complete', reason = null,
    state = json_set(state, '$.status', 'complete', '$.reason', null, '$.step', 'ended');
  update iterations set status = 'completed', outcome = 'done',
    state = json_set(state, '$.outcome', 'done', '$.differsFromBase', json('true'),
      '$.report.overall.passed', json('true'),
      '$.decision', json('{"kind":"end","end":{"status":"complete"}}'));`;

async function refsOf(repo: GitRepo): Promise<string> {
  return repo.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/main');
}

describe('a failed loop whose stored state was edited to complete', () => {
  it('is not merged, and its receipt, show and doctor say what the log says', async () => {
    await using repo = await gitRepo();
    const { cli, loop } = await played(repo, failing);
    const before = await refsOf(repo);
    edit(repo, toComplete);

    const merged = await cli.run('merge', loop);
    expect(merged.exitCode).toBe(2);
    expect(merged.err).toContain(`the stored state of ${loop} is not what its log says`);
    expect(merged.err).toContain('status complete instead of failed');
    expect(merged.err).toContain('loopwright doctor --fix');
    expect(await refsOf(repo)).toBe(before);

    const shown = await cli.run('receipt', 'show', loop, '--json');
    expect(shown.exitCode).toBe(1);
    expect(JSON.parse(shown.out)).toMatchObject({ status: 'failed', proof: null });
    expect(JSON.parse(shown.out).stateDiffers).toContain('status complete instead of failed');

    const verified = await cli.run('receipt', 'verify', loop, '--json');
    expect(verified.exitCode).toBe(1);
    expect(JSON.parse(verified.out)).toMatchObject({ status: 'failed', holds: false, exitCode: 1 });

    const loopShown = await cli.run('loop', 'show', loop, '--json');
    expect(JSON.parse(loopShown.out)).toMatchObject({ status: 'failed' });
    expect(loopShown.err).toContain('is not what its log says');

    const approved = await cli.run('approve', loop);
    expect(approved.exitCode).not.toBe(0);

    const looked = await cli.run('doctor', '--json');
    expect(looked.exitCode).toBe(1);
    const state = JSON.parse(looked.out).checks.find((check: any) => check.name === 'state');
    expect(state).toMatchObject({ status: 'fail' });
    expect(state.text).toContain(loop);

    await cli.run('doctor', '--fix');
    const after = JSON.parse((await cli.run('doctor', '--json')).out);
    expect(after.checks.find((check: any) => check.name === 'history').status).toBe('ok');
    expect(after.checks.some((check: any) => check.name === 'state')).toBe(false);
    const refused = await cli.run('merge', loop);
    expect(refused.err).toContain(`${loop} is failed: only a complete loop can be merged`);
  });

  it('can be resumed: it goes on from what the log says', async () => {
    await using repo = await gitRepo();
    const { cli, loop } = await played(repo, 'test $LOOPWRIGHT_ITERATION = 1 || touch done');
    edit(repo, toComplete);
    const resumed = await cli.run('loop', 'resume', loop, '--max-iterations', '3', '--json');
    expect(JSON.parse(resumed.out)).toMatchObject({ loop, status: 'complete' });
    const detail = JSON.parse((await cli.run('loop', 'show', loop, '--json')).out);
    expect(detail.iterations).toHaveLength(2);
    expect(detail.iterations[0]).not.toMatchObject({ outcome: 'done' });
  });

  it('does not let its task be done or its dependents start', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'loopwright.yml',
      `${config}git: {merge: local}\nlimits: {max-iterations: 1}\n`,
    );
    await repo.commitAll('config');
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const agent = ['--agent', `command:${failing}`];
    const first = JSON.parse((await cli.run('task', 'add', 'first', '--json')).out);
    const id = first.id ?? first.task?.id;
    await cli.run('task', 'add', 'second', '--depends-on', id);
    await cli.run('run', id, ...agent);
    const base = await refsOf(repo);
    edit(repo, toComplete);
    edit(
      repo,
      `insert into queue (loop_id, due_at) select id, 0 from loops where id not in (select loop_id from queue)`,
    );
    await cli.run('run', ...agent);
    const tasks = JSON.parse((await cli.run('task', 'list', '--json')).out);
    const list = tasks.tasks ?? tasks;
    expect(list.map(({ status }: any) => status)).not.toContain('done');
    expect(await refsOf(repo)).toBe(base);
  });
});

describe('a complete loop whose record was edited', () => {
  it.each([
    [
      'an iteration',
      `update iterations set state = json_set(state, '$.report.duration', 1, '$.commit', 'x')`,
    ],
    ['the confirmation', `update iterations set state = json_remove(state, '$.confirmation')`],
    ['the list', `update loops set status = 'failed'`],
    ['a state that is no JSON object', `update loops set state = '{}'`],
  ])('%s: nothing is merged until doctor has rebuilt it', async (_, statement) => {
    await using repo = await gitRepo();
    const { cli, loop } = await played(repo, completing);
    edit(repo, statement);
    expect(await cli.run('merge', loop)).toMatchObject({ exitCode: 2 });
    expect(await cli.run('receipt', 'verify', loop)).toMatchObject({ exitCode: 1 });
    expect(await cli.run('doctor', '--fix')).toMatchObject({ exitCode: 0 });
    expect(await cli.run('receipt', 'verify', loop)).toMatchObject({ exitCode: 0 });
    expect(await cli.run('merge', loop)).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['changed', `update events set data = replace(data, 'other.txt', 'done') where seq > 3`],
    ['cut off', `delete from events where seq = (select max(seq) from events)`],
    ['cut off with its state', `delete from events where seq > 5; update loops set seq = 5`],
    ['emptied', `delete from events`],
  ])('a log that was %s refuses everything that depends on it', async (_, statement) => {
    await using repo = await gitRepo();
    const { cli, loop } = await played(repo, `echo other.txt; ${completing}`);
    const before = await refsOf(repo);
    edit(repo, statement);
    const merged = await cli.run('merge', loop);
    expect(merged.exitCode).toBe(2);
    expect(merged.err).toMatch(/does not fit its hash chain|is not what its log says/);
    expect(await refsOf(repo)).toBe(before);
    for (const verb of ['show', 'verify']) {
      expect((await cli.run('receipt', verb, loop)).exitCode).not.toBe(0);
    }
    const looked = await cli.run('doctor');
    expect(looked.exitCode).toBe(1);
    expect(looked.out).toContain(loop);
    // Other work goes on, and the loop can be deleted.
    const other = await cli.run('run', 'more', '--agent', `command:${completing}`, '--json');
    expect(JSON.parse(other.out)).toMatchObject({ status: 'complete' });
    expect(await cli.run('loop', 'delete', loop)).toMatchObject({ exitCode: 0 });
  });
});

describe('receipt verify of a loop that is not complete', () => {
  it('says its status and exits as that', async () => {
    await using repo = await gitRepo();
    const { cli, loop } = await played(repo, failing);
    const { exitCode, out } = await cli.run('receipt', 'verify', loop);
    expect(exitCode).toBe(1);
    expect(out).toContain('is not complete, but failed');
    expect(out).toContain('its checks say the same again');
    const json = await cli.run('receipt', 'verify', loop, '--json');
    expect(json.exitCode).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({ status: 'failed', repeats: true, holds: false });
  });

  it('shows how well a completion is proven', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'validation: {command: "true"}\n');
    await repo.commitAll('config');
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const agent = 'command:echo x > a; echo "<task-done>$LOOPWRIGHT_TASK</task-done>"';
    const ran = await cli.run('run', 'x', '--agent', agent, '--json');
    const { loop } = JSON.parse(ran.out);
    const { exitCode, out } = await cli.run('receipt', 'verify', loop);
    expect(out).toContain('unproven');
    expect(exitCode).toBe(0);
  });
});
