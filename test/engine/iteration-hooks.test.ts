import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { hearAnswer } from '../../src/core/hook/hook-answer.ts';
import type { HookResult } from '../../src/core/loop/event.ts';
import { loopDetail } from '../../src/protocol/loop-detail.ts';
import { loopResult } from '../../src/protocol/loop-result.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';

const flags = {
  agent: 'command:cat > prompt.txt; echo x >> n.txt',
  validate: 'test "$(wc -l < n.txt)" -ge 2',
  'error-backoff': '1ms',
};

async function withHooks(repo: GitRepo, hooks: string, more = {}): Promise<TestProject> {
  await repo.write('loopwright.yml', `hooks:\n${hooks}`);
  await repo.commitAll('hooks');
  return openedProject(repo, { ...flags, ...more });
}

function results(project: TestProject): readonly HookResult[] {
  return project.live.flatMap((event) =>
    event.kind === 'recorded' && event.recorded.event.type === 'hooks.ran'
      ? event.recorded.event.results
      : [],
  );
}

describe('a hook before an iteration', () => {
  it('skips it: the number is used, and it counts nowhere', async () => {
    shows('004.status-skipped');
    await using repo = await gitRepo();
    const skip = `test -f '${repo.outside}/seen' || { touch '${repo.outside}/seen'; echo '{"action":"skip","reason":"not now"}'; }`;
    await using project = await withHooks(
      repo,
      `  pre-iteration: ["${skip.replaceAll('"', '\\"')}"]\n`,
    );
    const loop = await project.runText('count');
    expect(loop).toMatchObject({ status: 'complete' });
    expect(loop.iterations.map(({ status, counted }) => [status, counted])).toEqual([
      ['skipped', false],
      ['completed', true],
      ['completed', true],
    ]);
    expect(loop.iterations[0]?.why).toBe('a pre-iteration hook says skip: not now');
    expect(loop.iterations[0]?.tries).toBe(0);
    expect(loopDetail(loop, []).totals).toMatchObject({ iterations: 2 });
    expect(loopResult(loop, []).iterations).toBe(2);
    expect(loopDetail(loop, []).iterations.map(({ metadata }) => metadata['attempt'])).toEqual([
      null,
      1,
      2,
    ]);
    const { attempts, metrics, next } = await project.engine.store.read(async (tx) => ({
      attempts: await tx.attempts.list(loop.taskId, 10),
      metrics: await tx.attempts.metrics(loop.taskId),
      next: await tx.loops.countAttempts(loop.taskId),
    }));
    expect(attempts.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'no_sigil'],
      [2, 'done'],
    ]);
    expect([metrics?.totalAttempts, next]).toEqual([2, 2]);
    const prompt = await repo.git('show', `${loop.workspace.branch}:prompt.txt`);
    expect(prompt).toContain('attempt #2, 1 consecutive failure(s)');
  });

  it('stops the loop', async () => {
    await using repo = await gitRepo();
    const stop = `case "$LOOPWRIGHT_ITERATION" in 2) echo '{"action":"stop","reason":"enough"}';; esac`;
    await using project = await withHooks(
      repo,
      `  pre-iteration: ['${stop.replaceAll("'", "''")}']\n`,
    );
    const loop = await project.runText('count');
    expect(loop).toMatchObject({ status: 'stopped', reason: 'stop_condition' });
    expect(loop.text).toBe('a pre-iteration hook says stop: enough');
    // A person who goes on is asked for nothing; the hook does not stop iteration 3.
    expect(await project.resume(loop.id)).toMatchObject({ status: 'complete' });
  });

  it('changes the prompt, and the next one sees the change', async () => {
    await using repo = await gitRepo();
    await writeFile(
      path.join(repo.path, 'add.mjs'),
      `import { readFileSync } from 'node:fs';
       export default async ({ promptFile, iteration, hook }) => {
         console.log('looking at', hook);
         return { prompt: readFileSync(promptFile, 'utf8') + '\\nand iteration ' + iteration };
       };`,
    );
    await using project = await withHooks(
      repo,
      `  pre-iteration: [{ module: ./add.mjs }, { module: add.mjs }]\n`,
    );
    const loop = await project.runText('count');
    expect(loop).toMatchObject({ status: 'complete' });
    const sent = await repo.git('show', `${loop.workspace.branch}:prompt.txt`);
    expect(sent.endsWith('\nand iteration 2\nand iteration 2')).toBe(true);
    const hashes = results(project).map(({ answer }) => answer?.promptHash);
    expect(loop.iterations[1]?.promptHash).toBe(hashes[3]);
    expect(new Set(hashes).size).toBe(4);
  });

  it.each([
    ['fails', `{ command: "echo broken >&2; exit 7" }`, 'failed with exit code 7'],
    ['hangs', `{ command: "sleep 300", timeout: 100ms }`, 'took longer than 0.1 s and was ended'],
    ['talks nonsense', `{ module: nonsense.mjs }`, 'its answer is not understood'],
    ['floods', `{ command: "head -c 3000000 /dev/zero | tr '\\\\0' x" }`, 'printed more than 1 MB'],
    ['throws', `{ module: broken.mjs }`, 'failed with exit code 1'],
    ['spins', `{ module: spin.mjs, timeout: 300ms }`, 'took longer than 0.3 s and was ended'],
  ])('that %s is told, and the loop goes on', async (_name, hook, problem) => {
    await using repo = await gitRepo();
    await repo.write('broken.mjs', `export const hook = () => { throw new Error('no'); };`);
    await repo.write('nonsense.mjs', `export default () => ({ action: 'explode' });`);
    await repo.write('spin.mjs', `export const hook = () => { for (;;); };`);
    await using project = await withHooks(repo, `  pre-iteration: [${hook}]\n`, {
      validate: 'test -f n.txt',
    });
    const loop = await project.runText('count');
    expect(loop).toMatchObject({ status: 'complete' });
    expect(results(project)[0]?.problem).toContain(problem);
  });
});

describe('a hook after an iteration', () => {
  it('runs while the iteration is in `post_hooks`, and leaves the status it had', async () => {
    await using repo = await gitRepo();
    const seen = path.join(repo.outside, 'seen.txt');
    const program = path.join(import.meta.dirname, '../../bin/loopwright.cjs');
    const look = `cd '${repo.path}' && LOOPWRIGHT_LOOP= node '${program}' loop show last --json >> '${seen}'`;
    await using project = await withHooks(repo, `  post-iteration: ["${look}"]\n`);
    const loop = await project.runText('count');
    expect(loop).toMatchObject({ status: 'complete' });
    const shown = (await readFile(seen, 'utf8')).trim().split('\n');
    const statuses = shown.map((line): unknown =>
      JSON.parse(line).iterations.map(({ status }: { status: string }) => status),
    );
    expect(statuses).toEqual([['post_hooks'], ['completed', 'post_hooks']]);
    expect(loop.iterations.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(loop.iterations.every((each) => !('statusAfterHooks' in each))).toBe(true);
  });

  it('stops the loop at the boundary, unless it is complete', async () => {
    await using repo = await gitRepo();
    const stop = `echo '{"action":"stop","reason":"after " }'`;
    await using project = await withHooks(
      repo,
      `  post-iteration: ['${stop.replaceAll("'", "''")}']\n`,
    );
    const loop = await project.runText('count');
    expect(loop).toMatchObject({ status: 'stopped', reason: 'stop_condition' });
    expect(loop.iterations).toHaveLength(1);
    expect(await project.resume(loop.id)).toMatchObject({ status: 'complete' });
  });
});

describe('a hook module', () => {
  it('follows facts too, and an agent in place cannot change it', async () => {
    await using repo = await gitRepo();
    const log = path.join(repo.outside, 'log');
    await repo.write(
      'hooks/end.mjs',
      `import { appendFileSync } from 'node:fs';
       export const hook = ({ hook, status }) => appendFileSync('${log}', hook + ' ' + status);`,
    );
    const project = await withHooks(repo, `  loop-end: [{ module: hooks/end.mjs }]\n`, {
      agent: 'command:echo evil > hooks/end.mjs; echo x > n.txt',
      validate: 'test -f n.txt',
    });
    const loop = await project.runText('change the hook', { inPlace: true });
    await project[Symbol.asyncDispose]();
    expect(loop).toMatchObject({ status: 'complete' });
    expect(loop.iterations[0]?.restored).toEqual(['hooks/end.mjs']);
    expect(await readFile(log, 'utf8')).toBe('loop-end complete');
  });

  it('that is not there is refused before anything is spent', async () => {
    await using repo = await gitRepo();
    await using project = await withHooks(repo, `  pre-iteration: [{ module: none.mjs }]\n`);
    await expect(project.runText('count')).rejects.toMatchObject({ code: 'config.hook_module' });
  });
});

describe('what a hook says', () => {
  it.each([
    ['', 'none'],
    ['hello', 'none'],
    ['{"x":1}', 'none'],
    ['{not json', 'none'],
    ['null', 'none'],
    ['[1]', 'none'],
    ['{"action":"skip"}\nbye', 'none'],
    ['hello\n{"action":"skip"}\n', 'answer'],
    ['{"prompt":"x"}', 'answer'],
    ['{"prompt":7}', 'malformed'],
    ['{"action":"explode"}', 'malformed'],
  ])('is an answer only as an object on the last line: %s', (text, kind) => {
    expect(hearAnswer(text).kind).toBe(kind);
  });
});
