import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';

const passesWithFile = 'test -f done.txt';

async function scripted(repo: GitRepo, script: string): Promise<string> {
  await writeFile(path.join(repo.outside, 'agent.yml'), script);
  return `scripted:${path.join(repo.outside, 'agent.yml')}`;
}

describe('what the loop does after each ending of an agent', () => {
  it('waits out a rate limit in the same iteration, which then counts once', async () => {
    shows('002.outcome-rate-limited', '002.rate-limit-same-iteration');
    await using repo = await gitRepo();
    const agent = await scripted(
      repo,
      `iterations:
  - steps:
      - outcome: { kind: rate_limited, retry-after: 300ms, times: 2 }
      - write: { path: done.txt, content: x }
    final: done`,
    );
    await using project = await openedProject(repo, { agent, validate: passesWithFile });
    const loop = await project.runText('be patient');
    expect(loop.status).toBe('complete');
    expect(loop.iterations).toHaveLength(1);
    expect(loop.iterations[0]).toMatchObject({ tries: 3, counted: true });
    const events = await project.engine.store.read((tx) => tx.loops.events(loop.id, 0, 1000));
    expect(events.filter(({ event }) => event.type === 'loop.waiting')).toHaveLength(2);
  });

  it('starts a hung agent again once, then lets the iteration end', async () => {
    shows('002.timeout-retried');
    await using repo = await gitRepo();
    const flags = {
      agent: 'command:echo started >> starts.txt; exec tail -f /dev/null',
      validate: passesWithFile,
      'idle-timeout': '300ms',
      'max-iterations': 1,
    };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('never ends');
    expect(loop).toMatchObject({ status: 'failed', reason: 'max_iterations' });
    expect(loop.iterations).toHaveLength(1);
    expect(loop.iterations[0]).toMatchObject({ tries: 2, status: 'timed_out' });
    expect(loop.iterations[0]?.agent).toMatchObject({
      kind: 'hung',
      evidence: 'no output and no work for 300ms, the idle limit',
    });
    expect(await repo.git('show', `${loop.workspace.branch}:starts.txt`)).toBe('started\nstarted');
    const events = await project.engine.store.read((tx) => tx.loops.events(loop.id, 0, 1000));
    const started = events.flatMap(({ event }) => (event.type === 'agent.started' ? [event] : []));
    const { mode } = project.engine.supervisor.containment();
    expect(started.map((event) => event.process?.containment)).toEqual([mode, mode]);
  });

  it('blocks at once when the agent cannot sign in', async () => {
    await using repo = await gitRepo();
    const agent = await scripted(
      repo,
      'iterations:\n  - steps:\n      - outcome: { kind: auth }\n',
    );
    await using project = await openedProject(repo, { agent, validate: passesWithFile });
    const loop = await project.runText('no key');
    expect(loop).toMatchObject({ status: 'blocked', reason: 'auth' });
    expect(loop.text).toContain('give it a valid key');
    expect(loop.iterations).toHaveLength(1);
    expect(loop.iterations[0]).toMatchObject({
      counted: false,
      outcome: 'interrupted',
      report: null,
    });
    expect(loop).toMatchObject({ consecutiveFailures: 0, errorStreak: 0, progress: [] });
    const task = await project.engine.store.read((tx) => tx.tasks.get(loop.taskId));
    expect(task?.status).toBe('blocked');
  });

  it('spends no iteration on an API that is down, and pauses when that lasts too long', async () => {
    await using repo = await gitRepo();
    const agent = await scripted(
      repo,
      'iterations:\n  - steps:\n      - outcome: { kind: api_error }\n',
    );
    const flags = {
      agent,
      validate: passesWithFile,
      'max-iterations': 1,
      'api-retries': 0,
      'probe-delay': '50ms',
      'max-outage': '400ms',
    };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('no provider');
    expect(loop).toMatchObject({ status: 'paused', reason: 'outage', consecutiveFailures: 0 });
    expect(loop.iterations.map(({ counted, outcome }) => [counted, outcome])).toEqual([
      [false, 'interrupted'],
    ]);
    expect(loop.text).toContain('has not answered for 400ms (limits.max-outage)');
  });

  it.each(['max_tokens', 'context_full', 'max_turns', 'denied'])(
    'goes on with a fresh iteration after %s, and counts it',
    async (kind) => {
      shows('002.validates-after-limit');
      await using repo = await gitRepo();
      const agent = await scripted(
        repo,
        `iterations:
  - steps:
      - write: { path: half.txt, content: x }
      - outcome: { kind: ${kind} }
  - steps:
      - write: { path: done.txt, content: x }`,
      );
      await using project = await openedProject(repo, { agent, validate: passesWithFile });
      const loop = await project.runText('in two goes');
      expect(loop.status).toBe('complete');
      expect(loop.iterations.map(({ counted, status }) => [counted, status])).toEqual([
        [true, 'completed'],
        [true, 'completed'],
      ]);
      expect(loop.iterations[0]?.report?.overall.passed).toBe(false);
    },
  );

  it('takes a refusal for a failed attempt', async () => {
    await using repo = await gitRepo();
    const agent = await scripted(
      repo,
      'iterations:\n  - steps:\n      - outcome: { kind: refused }\n',
    );
    const flags = { agent, validate: passesWithFile, 'max-iterations': 1 };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('something bad');
    expect(loop).toMatchObject({ status: 'failed', reason: 'max_iterations' });
    expect(loop.iterations[0]).toMatchObject({
      status: 'failed',
      outcome: 'failed',
      counted: true,
    });
    expect(loop.consecutiveFailures).toBe(1);
  });

  it('makes nothing of words about limits and errors in files and in what the agent says', async () => {
    await using repo = await gitRepo();
    const words =
      'HTTP 429 rate limit exceeded, 401 unauthorized, usage limit reached, retry-after 60';
    const agent = await scripted(
      repo,
      `iterations:
  - steps:
      - say: "${words}"
      - write: { path: "rate limit 429.txt", content: "${words}" }
      - run: "cat 'rate limit 429.txt'; cat 'rate limit 429.txt' >&2"
      - write: { path: done.txt, content: x }
    final: "${words}"`,
    );
    await using project = await openedProject(repo, { agent, validate: passesWithFile });
    const loop = await project.runText('talk about limits');
    expect(loop.status).toBe('complete');
    expect(loop.iterations[0]).toMatchObject({ tries: 1, agent: { kind: 'done' } });
  });

  it('fails after the allowed number of errors in a row, with a growing pause between them', async () => {
    shows('002.outcome-error');
    await using repo = await gitRepo();
    const flags = {
      agent: 'command:exit 3',
      validate: passesWithFile,
      'max-consecutive-errors': 3,
      'error-backoff': '20ms',
    };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('crash');
    expect(loop).toMatchObject({ status: 'failed', reason: 'errors' });
    expect(loop.iterations.map(({ outcome }) => outcome)).toEqual(['error', 'error', 'error']);
    const waits = await project.engine.store.read(async (tx) =>
      (await tx.loops.events(loop.id, 0, 1000)).flatMap(({ event, time }) =>
        event.type === 'loop.waiting' ? [event.until - time] : [],
      ),
    );
    expect(waits).toHaveLength(2);
    expect(waits[1]).toBeGreaterThan(waits[0] ?? 0);
  });

  it('judges the files of an agent that crashed after good work', async () => {
    shows('003.verify-on-success');
    await using repo = await gitRepo();
    const flags = { agent: 'command:echo x > done.txt; exit 1', validate: passesWithFile };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('work, then crash');
    expect(loop.status).toBe('complete');
    expect(loop.iterations).toHaveLength(1);
    expect(loop.iterations[0]).toMatchObject({ status: 'failed', outcome: 'done' });
  });

  it('ends an agent at the iteration timeout with its whole tree, and counts the iteration', async () => {
    shows('004.ends-in-time', '002.timeout-retried');
    await using repo = await gitRepo();
    const flags = {
      agent: 'command:echo x >> tried.txt; sleep 300 & sleep 300',
      validate: passesWithFile,
      'iteration-timeout': '400ms',
      'max-iterations': 1,
    };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('hang');
    expect(loop).toMatchObject({ status: 'failed', reason: 'max_iterations' });
    expect(loop.iterations[0]).toMatchObject({
      status: 'timed_out',
      outcome: 'timed_out',
      counted: true,
    });
    // Its files changed, so they were judged all the same.
    expect(loop.iterations[0]?.report).not.toBeNull();
  });

  it('adds up cost and tokens and stops at the cost budget with the work kept', async () => {
    await using repo = await gitRepo();
    const agent = await scripted(
      repo,
      `iterations:
  - steps:
      - append: { path: log.txt, content: "{{iteration}}\\n" }
      - usage: { input: 100, output: 10, cost-usd: 0.4 }
    final: more`,
    );
    const flags = { agent, validate: passesWithFile, 'max-cost-usd': 1 };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('spend');
    expect(loop).toMatchObject({ status: 'stopped', reason: 'budget' });
    expect(loop.iterations).toHaveLength(2);
    expect(loop.warnings.some((text) => text.startsWith('cost budget'))).toBe(true);
    const task = await project.engine.store.read((tx) => tx.tasks.get(loop.taskId));
    expect(task?.status).toBe('paused');
    expect(await repo.git('show', `${loop.workspace.branch}:log.txt`)).toBe('1\n2');
  });

  it('stops at the time budget in the middle of an iteration', async () => {
    await using repo = await gitRepo();
    const flags = { agent: 'command:sleep 300', validate: 'false', 'max-duration': '700ms' };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('take for ever');
    expect(loop).toMatchObject({ status: 'stopped', reason: 'budget' });
    expect(loop.text).toContain('time budget');
  });

  it('stops at the disk budget', async () => {
    await using repo = await gitRepo();
    const agent = 'command:head -c 3000000 /dev/urandom > big.bin';
    await using project = await openedProject(repo, {
      agent,
      validate: 'false',
      'max-disk': '2mb',
    });
    const loop = await project.runText('fill');
    expect(loop).toMatchObject({ status: 'stopped', reason: 'budget' });
    expect(loop.text).toContain('disk budget');
  });

  it('never completes without verification', async () => {
    await using repo = await gitRepo();
    const agent = 'command:echo x >> f; echo "<task-done>$LOOPWRIGHT_TASK</task-done>"';
    await using project = await openedProject(repo, { agent, 'max-iterations': 2 });
    const loop = await project.runText('bare', { verify: false });
    expect(loop).toMatchObject({ status: 'failed', reason: 'max_iterations' });
  });
});
