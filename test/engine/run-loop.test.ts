import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasProof } from '../../src/core/loop/proof.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';

/** Passes once `count.txt` holds three lines: a check that only the third try satisfies. */
const thirdTry = 'test "$(wc -l < count.txt)" -ge 3';
const addLine = 'command:echo "line $LOOPWRIGHT_ITERATION" >> count.txt';

describe('a loop with a shell command as its agent', () => {
  it('goes on until the executed check passes and leaves a branch with a commit per iteration', async () => {
    shows(
      '000.state-in-files',
      '000.validate-then-iterate',
      '000.zero-passes',
      '002.until-validation-passes',
      '002.state-on-disk',
      '002.outcome-complete',
      '002.outcome-continue',
      '002.status-complete',
      '001.retry-goes-to-pending',
      '001.compat-works-without',
      '001.sigil-optional',
    );
    await using repo = await gitRepo();
    await using project = await openedProject(repo, { agent: addLine, validate: thirdTry });
    const loop = await project.runText('write three lines');
    expect(loop).toMatchObject({ status: 'complete', reason: 'verified' });
    expect(loop.baseline?.state).toBe('red');
    expect(loop.iterations.map(({ outcome }) => outcome)).toEqual(['no_sigil', 'no_sigil', 'done']);
    expect(hasProof(loop)).toBe(true);
    const log = await repo.git('log', '--format=%s', `main..${loop.workspace.branch}`);
    expect(log.split('\n')).toHaveLength(3);
    expect(await repo.git('show', `${loop.workspace.branch}:count.txt`)).toBe(
      'line 1\nline 2\nline 3',
    );
    const trailers = await repo.git(
      'log',
      '-1',
      '--format=%(trailers)',
      loop.workspace.branch ?? '',
    );
    expect(trailers).toContain(`Loopwright-Loop: ${loop.id}`);
    expect(trailers).toContain('Loopwright-Iteration: 3');
    // Removed when done; the branch stays.
    await expect(stat(loop.workspace.path)).rejects.toThrow('ENOENT');
    const task = await project.engine.store.read((tx) => tx.tasks.get(loop.taskId));
    expect(task?.status).toBe('done');
  });

  it('never completes for an agent that prints the done tag and changes nothing', async () => {
    await using repo = await gitRepo();
    const liar = 'command:echo "<task-done>$LOOPWRIGHT_TASK</task-done>"';
    await using project = await openedProject(repo, { agent: liar, validate: 'true' });
    const loop = await project.runText('do the work');
    expect(loop).toMatchObject({ status: 'failed', reason: 'no_progress' });
    expect(loop.iterations).toHaveLength(5);
    expect(loop.iterations.every(({ outcome }) => outcome === 'failed')).toBe(true);
  });

  it('needs the claim when the checks were green before the work began', async () => {
    await using repo = await gitRepo();
    const agent = [
      'echo $LOOPWRIGHT_ITERATION >> work.txt',
      'test "$LOOPWRIGHT_ITERATION" -ge 2 && echo "<task-done>$LOOPWRIGHT_TASK</task-done>"',
      'true',
    ].join('; ');
    await using project = await openedProject(repo, {
      agent: `command:${agent}`,
      validate: 'true',
    });
    const loop = await project.runText('refactor');
    expect(loop).toMatchObject({ status: 'complete' });
    expect(loop.baseline?.state).toBe('green');
    expect(loop.iterations).toHaveLength(2);
    expect(loop.iterations[0]?.decision?.feedback).toContain('task-done');
  });

  it('stops at exactly max-iterations', async () => {
    await using repo = await gitRepo();
    const flags = { agent: addLine, validate: 'false', 'max-iterations': 2 };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('never passes');
    expect(loop).toMatchObject({ status: 'failed', reason: 'max_iterations' });
    expect(loop.iterations).toHaveLength(2);
  });

  it('injects feedback exactly once and nothing else of iteration n into n+1 (I8)', async () => {
    shows(
      '000.fresh-conversation',
      '000.not-the-agents-word',
      '002.fresh-context',
      '002.decision-no-history',
    );
    await using repo = await gitRepo();
    // Memory tells of every attempt, on purpose.
    await repo.write('loopwright.yml', 'memory: { enabled: false }\n');
    await repo.commitAll('settings');
    const agent =
      'command:echo "SECRET-OF-$LOOPWRIGHT_ITERATION"; cat > prompt-copy.txt; echo x >> n.txt';
    const validate = 'echo "CHECK-SAYS-$(wc -l < n.txt)"; exit 1';
    const flags = { agent, validate, 'max-iterations': 3, 'max-entries': 1 };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('leak nothing');
    const prompt = (number: number) =>
      readFile(
        path.join(project.engine.artifacts.loopDir(loop.id), `iterations/00${number}/prompt.md`),
        'utf8',
      );
    const [first, second, third] = [await prompt(1), await prompt(2), await prompt(3)];
    expect(first).not.toContain('SECRET-OF');
    expect(second).not.toContain('SECRET-OF-1');
    expect(third).not.toContain('SECRET-OF-2');
    expect(feedbackOf(second)).toContain('CHECK-SAYS-1');
    expect(feedbackOf(third)).toContain('CHECK-SAYS-2');
    expect(feedbackOf(third)).not.toContain('CHECK-SAYS-1');
    expect(third).not.toContain('CHECK-SAYS-1');
  });

  it('leaves the checkout, its index, refs and config as they were (I6)', async () => {
    await using repo = await gitRepo();
    await writeFile(path.join(repo.path, 'dirty.txt'), 'mine');
    const before = await userState(repo);
    await using project = await openedProject(repo, { agent: addLine, validate: thirdTry });
    await project.runText('work elsewhere');
    expect(await userState(repo)).toEqual(before);
  });
});

const feedbackOf = (text: string) => text.split('## Verification Feedback')[1] ?? '';

async function userState(repo: Awaited<ReturnType<typeof gitRepo>>) {
  return {
    status: await repo.git('status', '--porcelain'),
    head: await repo.git('rev-parse', 'HEAD', 'refs/heads/main'),
    config: await readFile(path.join(repo.path, '.git/config'), 'utf8'),
    index: (await readFile(path.join(repo.path, '.git/index'))).toString('base64'),
  };
}

describe('settings that change while a loop runs', () => {
  it('follow the files at the boundary where they are live, and stay frozen where they judge', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'loopwright.yml',
      'validation: {command: test -f never}\nlimits: {max-iterations: 50}\n',
    );
    await repo.commitAll('config');
    const rewrite = `printf 'validation: {command: "true"}\\nlimits: {max-iterations: 3}\\n' > ${repo.path}/loopwright.yml`;
    const agent = `command:echo x >> n.txt; test "$LOOPWRIGHT_ITERATION" = 2 && ${rewrite}; true`;
    await using project = await openedProject(repo, { agent });
    const loop = await project.runText('watch the files');
    expect(loop).toMatchObject({ status: 'failed', reason: 'max_iterations' });
    expect(loop.iterations).toHaveLength(3);
    expect(loop.settings.validation.command).toBe('test -f never');
  });
});
