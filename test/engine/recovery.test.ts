import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

const entry = path.resolve('bin/loopwright.cjs');

/** Starts a real `run` and kills it with SIGKILL once `when` holds. */
async function runAndKill(
  repo: GitRepo,
  args: readonly string[],
  when: () => Promise<boolean> | boolean,
): Promise<void> {
  const child = spawn(process.execPath, [entry, 'run', ...args], {
    cwd: repo.path,
    env: repo.env,
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  while (!(await when())) {
    if (child.exitCode !== null) throw new Error('the run ended before it could be killed');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.kill('SIGKILL');
  await exited;
}

async function worktreeHas(repo: GitRepo, file: string): Promise<boolean> {
  const folder = path.join(repo.path, '.loopwright/worktrees');
  if (!existsSync(folder)) return false;
  const loops = await readdir(folder);
  return loops.some((loop) => existsSync(path.join(folder, loop, file)));
}

/** Whether what the agent said in that iteration is on the disk. */
async function hasPrinted(repo: GitRepo, number: number): Promise<boolean> {
  const loops = path.join(repo.path, '.loopwright/loops');
  const [loop = ''] = await readdir(loops);
  const file = path.join(loops, loop, 'iterations', `00${number}`, 'stdout.log');
  return (await readFile(file, 'utf8').catch(() => '')) !== '';
}

describe('kill -9 of the engine', () => {
  it('loses no work and no number: the next run goes on with the next iteration (I4)', async () => {
    await using repo = await gitRepo();
    const agent =
      'command:sleep 0.1; echo at work; echo x >> n.txt; echo "left by $LOOPWRIGHT_ITERATION" > left.txt; sleep $(( $(wc -l < n.txt) == 2 ? 300 : 0 ))';
    const validate = 'test "$(wc -l < n.txt)" -ge 4';
    const twoLines = async () =>
      (await worktreeHas(repo, 'n.txt')) &&
      (await linesOf(repo, 'n.txt')) === 2 &&
      (await hasPrinted(repo, 2));
    await runAndKill(repo, ['count to four', '--agent', agent, '--validate', validate], twoLines);
    await using project = await openedProject(repo, {});
    const { loops } = await project.runReady();
    expect(loops).toHaveLength(1);
    const loop = loops[0]!;
    expect(loop.status).toBe('complete');
    expect(loop.iterations.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'no_sigil'],
      [2, 'interrupted'],
      [3, 'no_sigil'],
      [4, 'done'],
    ]);
    // What the interrupted iteration had written is on the branch, and told of.
    expect(loop.iterations[1]?.changes).toMatchObject({ modified: ['left.txt', 'n.txt'] });
    expect(loop.iterations[1]?.durationMs).toBeGreaterThan(0);
    expect(await repo.git('show', `${loop.workspace.branch}:n.txt`)).toBe('x\nx\nx\nx');
    expect(
      project.live.some((event) => event.kind === 'notice' && event.text.includes('interrupted')),
    ).toBe(true);
  });
});

it('what the interrupted run had used counts against the budget, once', async () => {
  await using repo = await gitRepo();
  const script = path.join(repo.outside, 'agent.yml');
  await writeFile(
    script,
    `iterations:
  - steps:
      - usage: { input: 4000, output: 0 }
      - write: { path: spent.txt, content: x }
      - hang: true
`,
  );
  const limits = ['--validate', 'false', '--max-tokens', '6000'];
  const args = ['spend', '--agent', `scripted:${script}`, ...limits];
  const hasTold = async () => {
    const folder = path.join(repo.path, '.loopwright/loops');
    const loops = existsSync(folder) ? await readdir(folder) : [];
    return loops.some((loop) => existsSync(path.join(folder, loop, 'iterations/001/usage.json')));
  };
  await runAndKill(repo, args, hasTold);
  await using project = await openedProject(repo, {});
  const [row] = await project.engine.store.read((tx) => tx.loops.list({ limit: 1 }));
  const stopped = await project.resume(row?.id ?? '');
  expect(stopped).toMatchObject({ status: 'stopped', reason: 'budget' });
  expect(stopped.iterations.map(({ tokens }) => tokens?.input)).toEqual([4000, 4000]);
});

async function linesOf(repo: GitRepo, file: string): Promise<number> {
  const folder = path.join(repo.path, '.loopwright/worktrees');
  const [loop] = await readdir(folder);
  const text = await readFile(path.join(folder, loop ?? '', file), 'utf8');
  return text.split('\n').length - 1;
}
