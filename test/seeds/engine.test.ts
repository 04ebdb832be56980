import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startModelServer } from '../../src/adapters/model-server/model-server.ts';
import { say, type Ask, type Reply } from '../../src/adapters/model-server/scenario.ts';
import type { LiveEvent } from '../../src/ports/live.ts';
import { sendMessage } from '../../src/engine/send-message.ts';
import { memoryCli } from '../cli/memory-cli.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';
import { promptOf, runLoop } from './loop-run.ts';

const typesOf = (live: readonly LiveEvent[]) =>
  live.flatMap((event) => (event.kind === 'recorded' ? [event.recorded.event.type] : []));

describe('an iteration of a real loop', () => {
  it('takes its steps in order, each stored', async () => {
    shows(
      '002.flow-read-state',
      '002.flow-build-prompt',
      '002.flow-agent',
      '002.flow-validate',
      '002.flow-record',
      '002.flow-decide',
      '002.progress-recorded',
      '002.changes-stored',
    );
    await using run = await runLoop({
      agent: 'command:echo x >> n.txt',
      validate: 'test "$(wc -l < n.txt)" -ge 2',
    });
    const events = await run.project.engine.store.read((tx) =>
      tx.loops.events(run.loop.id, 0, 1000),
    );
    const stored = events.map(({ event }) => event.type);
    expect(stored).toEqual(typesOf(run.project.live));
    const steps = [
      'iteration.started',
      'prompt.built',
      'agent.started',
      'agent.ended',
      'snapshot.taken',
      'verification.ended',
      'iteration.ended',
      'decision.made',
    ];
    const one = stored.filter((type) => steps.includes(type));
    expect(one.slice(0, steps.length)).toEqual(steps);
    expect(one.slice(steps.length)).toEqual(steps);
    const ended = events.flatMap(({ event }) =>
      event.type === 'iteration.ended' ? [event.progress?.exitCode] : [],
    );
    expect(ended).toEqual([1, 0]);
  });

  it('reads status, diff and log of the worktree anew for each prompt', async () => {
    shows('002.var-git-status', '002.var-git-diff', '002.var-git-log', '002.read-anew');
    await using repo = await gitRepo();
    for (let n = 1; n <= 12; n++) await repo.commitAll(`commit ${n}`);
    await repo.write(
      'loopwright.yml',
      `types:
  look:
    prompt-template: "STATUS {{git-status}} DIFF {{git-diff}} LOG {{git-log}} END {{memory}}{{progress}}{{feedback}}{{guidance}}"
`,
    );
    await repo.commitAll('types');
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    /** The parts of the prompts of two iterations, and the branch they worked on. */
    const look = async (title: string, ...more: readonly string[]) => {
      const agent = 'command:echo "line $LOOPWRIGHT_ITERATION" >> README.md';
      const how = ['--agent', agent, '--validate', 'false', '--max-iterations', '2', ...more];
      const { out } = await cli.run('run', title, '--type', 'look', '--json', ...how);
      const { loop, branch } = JSON.parse(out);
      const parts = ['001', '002'].map(async (number) => {
        const file = `.loopwright/loops/${loop}/iterations/${number}/prompt.md`;
        const text = await readFile(path.join(repo.path, file), 'utf8');
        const [, status = '', diff = '', log = ''] = text.split(/STATUS|DIFF|LOG|END/);
        return { status, diff, log: log.match(/^[0-9a-f]{7,} .*$/gm) ?? [] };
      });
      const [first, second] = await Promise.all(parts);
      return { first, second, branch };
    };
    const committed = await look('look');
    expect(committed.first?.log).toHaveLength(10);
    expect(committed.first?.log[0]).toContain('types');
    const newest = await repo.git('log', '-1', '--skip=1', '--format=%h', committed.branch);
    expect(committed.second?.log[0]?.startsWith(newest)).toBe(true);
    const left = await look('look again', '--no-commit');
    expect(left.first).toMatchObject({ status: '  ', diff: '  ' });
    expect(left.second?.status).toMatch(/^ ?M +README\.md$/m);
    expect(left.second?.diff).toContain('\n+line 1\n');
  });

  it('is judged by a shell in the worktree, as the user wrote it', async () => {
    shows('002.validation-shell', '002.validation-in-worktree', '002.validation-user-defined');
    await using run = await runLoop(
      {
        agent: 'command:echo x > n.txt; pwd > where.txt',
        // Loops, quotes and substitutions are the shell's; the folder is the agent's.
        validate:
          'for f in n.txt where.txt; do test -f "$f" || exit 1; done; test "$(cat where.txt)" = "$(pwd)"',
      },
      'verify: { confirm: off }\n',
    );
    expect(run.loop.status).toBe('complete');
    expect(run.loop.workspace.path).toContain('.loopwright/worktrees/');
    const [check] = run.loop.iterations[0]?.report?.levels.L1?.checks ?? [];
    expect(check).toMatchObject({ name: 'validation', passed: true, exitCode: 0 });
  });

  it('goes on after a validation that does not end, and says so in progress', async () => {
    shows('002.validation-timeout', '002.validation-timeout-recorded');
    await using run = await runLoop(
      {
        agent: 'command:echo x >> n.txt',
        validate: 'test ! -f n.txt && exit 1; test "$(wc -l < n.txt)" -ge 2 || sleep 300',
      },
      'validation: { timeout: 1s }\n',
    );
    expect(run.loop.status).toBe('complete');
    expect(run.loop.iterations).toHaveLength(2);
    expect(run.loop.progress[0]).toMatchObject({ iteration: 1, exitCode: null });
    expect(await run.prompt(2)).toContain('timed out after 1 s');
  });
});

describe('two native agents with one request at a time', () => {
  it('run their tools side by side: one waits in a tool for what the other does', async () => {
    shows('002.decision-wrap-calls', '002.slot-only-calls', '002.slot-after-call');
    await using repo = await gitRepo();
    const gate = path.join(repo.outside, 'gate');
    const wait = `while [ ! -f '${gate}' ]; do sleep 0.05; done; echo x > n.txt`;
    const open = `touch '${gate}'; echo x > n.txt`;
    await using server = await startModelServer({
      scenarios: {
        tools({ messages, step }: Ask): Reply {
          const command = messages.join('\n').includes('wait for it') ? wait : open;
          return step === 0 ? { kind: 'acts', acts: [{ kind: 'shell', command }] } : say('Done.');
        },
      },
    });
    const env = {
      ...repo.env,
      ANTHROPIC_API_KEY: 'k-1',
      ANTHROPIC_BASE_URL: server.base('tools', 'calls'),
    };
    await using project = await openedProject(
      { path: repo.path, env },
      { agent: 'native', model: 'm', validate: 'test -f n.txt', 'max-api-calls': '1' },
    );
    const { store, ids, clock } = project.engine;
    for (const title of ['wait for it', 'open it']) {
      await store.write((tx) => tx.tasks.add(ids.task(), { title, description: '' }, clock.now()));
    }
    const { loops } = await project.runReady({ jobs: 2 });
    expect(loops.map((loop) => loop.status)).toEqual(['complete', 'complete']);
    expect(project.engine.slots.queue.held).toMatchObject({ request: 0, agent: 0 });
  });
});

describe('a loop', () => {
  it('is seen as running and rebasing while it is so', async () => {
    shows('002.status-running', '002.status-rebasing', '002.main-updated', '002.status-persisted');
    await using repo = await gitRepo();
    const agent = [
      'echo x >> work.txt',
      `test "$LOOPWRIGHT_ITERATION" = 1 && (unset GIT_TRACE2_EVENT; cd ${repo.path} && echo news > news.txt && git add news.txt && git commit -qm news)`,
      'true',
    ].join('; ');
    await using project = await openedProject(repo, {
      agent: `command:${agent}`,
      validate: 'test "$(wc -l < work.txt)" -ge 2',
      'watch-interval': '0',
    });
    const loop = await project.runText('move');
    const statuses = project.live.flatMap((event) =>
      event.kind === 'recorded' ? [event.loop.status] : [],
    );
    const order = statuses.filter((status, at) => status !== statuses[at - 1]);
    expect(order).toEqual(['pending', 'running', 'rebasing', 'running', 'complete']);
    const stored = await project.engine.store.read((tx) => tx.loops.get(loop.id));
    expect(stored?.status).toBe('complete');
  });

  it('that reaches its maximum has failed, and so has the command', async () => {
    shows('002.max-iterations-fails', '002.status-failed');
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const how = ['--agent', 'command:echo x >> n.txt', '--validate', 'false'];
    const { exitCode, out } = await cli.run(
      'run',
      'never',
      ...how,
      '--max-iterations',
      '2',
      '--json',
    );
    expect(exitCode).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      status: 'failed',
      reason: 'max_iterations',
      iterations: 2,
    });
  });

  it('hears an alert at the boundary, without waiting for one', async () => {
    shows('002.alert-heard', '002.polled-between', '002.decision-non-blocking');
    await using repo = await gitRepo();
    const gate = path.join(repo.outside, 'go');
    await using project = await openedProject(repo, {
      agent: `command:echo x >> n.txt; test "$LOOPWRIGHT_ITERATION" != 1 || while [ ! -f ${gate} ]; do sleep 0.05; done`,
      validate: 'test "$(wc -l < n.txt)" -ge 3',
    });
    const running = project.runText('listen');
    await project.seen('agent.started');
    const [event] = project.live.flatMap((each) => (each.kind === 'recorded' ? [each] : []));
    const to = event?.loop.id ?? '';
    await sendMessage(project.engine, { kind: 'alert', sender: null, to, body: 'THE-ALERT' });
    await writeFile(gate, '');
    const loop = await running;
    expect(loop.status).toBe('complete');
    const told = await Promise.all([1, 2, 3].map((n) => promptOf(project, loop, n)));
    expect(told.map((text) => text.includes('THE-ALERT'))).toEqual([false, true, false]);
    expect(loop.iterations).toHaveLength(3);
  });
});
