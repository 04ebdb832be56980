import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { startModelServer } from '../../src/adapters/model-server/model-server.ts';
import { say, type Ask, type Reply } from '../../src/adapters/model-server/scenario.ts';
import { fold } from '../../src/core/loop/evolve.ts';
import { isLoopwrightError } from '../../src/core/error.ts';
import { createLoopStrategy } from '../../src/core/strategy/registry.ts';
import type { IterationSummary } from '../../src/core/strategy/strategy.ts';
import { sendMessage } from '../../src/engine/send-message.ts';
import { loopDetail } from '../../src/protocol/loop-detail.ts';
import { memoryCli } from '../cli/memory-cli.ts';
import { completed, summary } from '../core/strategy/summary.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';
import { promptOf, runLoop } from './loop-run.ts';

/** A model that writes a file and is done. */
function works({ step }: Ask): Reply {
  if (step > 0) return say('Done.');
  return { kind: 'acts', acts: [{ kind: 'shell', command: 'echo x > n.txt' }] };
}

describe('progress', () => {
  it('can be cleared by a person, and the next prompt tells nothing of earlier iterations', async () => {
    shows('000.clear-by-hand');
    await using repo = await gitRepo();
    const stop = `test "$LOOPWRIGHT_ITERATION" = 2 && echo '{"action":"stop","reason":"for now"}'`;
    await repo.write('loopwright.yml', `hooks: { post-iteration: [${JSON.stringify(stop)}] }\n`);
    await repo.commitAll('configuration');
    const flags = { agent: 'command:echo x >> n.txt', validate: 'false', 'max-iterations': 3 };
    const first = await openedProject(repo, flags);
    const loop = await first.runText('count');
    await first[Symbol.asyncDispose]();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    expect(await cli.run('loop', 'clear-progress', loop.id)).toMatchObject({ exitCode: 0 });
    await using second = await openedProject(repo, flags);
    await second.resume(loop.id);
    expect(await promptOf(second, loop, 2)).toContain('## Iteration 1');
    expect(await promptOf(second, loop, 3)).not.toMatch(/## Iteration \d/);
  });
});

describe('memory', () => {
  it.each([
    ['SQLite', 'sqlite'],
    ['sqlite', 'SQLITE'],
  ])('finds %s by %s', async (tag, asked) => {
    shows('001.matching-ignores-case');
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const text = `Open ${tag} with foreign keys on.`;
    await cli.run('memory', 'add', text, '--category', 'pitfall', '--tags', tag);
    const { out } = await cli.run('memory', 'search', `${asked} foreign keys`, '--json');
    expect(JSON.parse(out)).toMatchObject([{ content: text }]);
    const alone = await cli.run('memory', 'search', asked, '--json');
    expect(JSON.parse(alone.out)).toMatchObject([{ content: text }]);
  });

  it('keeps the cause of an attempt that timed out, also when it changed files', async () => {
    shows('001.outcomes-error-type');
    await using run = await runLoop({
      agent: 'command:echo x >> n.txt; sleep 300',
      validate: 'echo "AssertionError: 1 is not 2"; false',
      'iteration-timeout': '700ms',
      'max-iterations': 2,
    });
    using database = new DatabaseSync(path.join(run.repo.path, '.loopwright/state.db'));
    const rows = database.prepare('select outcome, error_type from iteration_outcomes').all();
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { outcome: 'timed_out', error_type: 'timeout' },
      { outcome: 'timed_out', error_type: 'timeout' },
    ]);
    expect(await run.prompt(2)).toContain('- **Error type:** timeout');
  });

  it('restores which learning superseded which', async () => {
    shows('001.superseded-restored');
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const past = { category: 'pitfall', created_at: '2026-01-01T00:00:00.000Z' };
    const file = path.join(repo.outside, 'learnings.jsonl');
    const lines = [
      { id: 'l-000001', content: 'Old.', status: 'pruned', supersededBy: 'l-000002', ...past },
      { id: 'l-000002', content: 'New.', status: 'active', ...past },
    ];
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(await cli.run('memory', 'import', file, '--restore')).toMatchObject({ exitCode: 0 });
    const { out } = await cli.run('memory', 'export', '--all');
    const exported = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const links = exported.map(({ id, supersededBy }) => [id, supersededBy ?? null]);
    expect(Object.fromEntries(links)).toEqual({ 'l-000001': 'l-000002', 'l-000002': null });
  });

  it('counts no attempt for an iteration that was skipped', async () => {
    shows('001.attempts-without-gaps');
    await using repo = await gitRepo();
    const skip = `test -f '${repo.outside}/seen' || { touch '${repo.outside}/seen'; echo '{"action":"skip","reason":"not now"}'; }`;
    await repo.write('loopwright.yml', `hooks: { pre-iteration: [${JSON.stringify(skip)}] }\n`);
    await repo.commitAll('configuration');
    const flags = { agent: 'command:echo x >> n.txt', validate: 'false', 'max-iterations': 2 };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('count');
    expect(loop.iterations.map(({ status }) => status)).toEqual([
      'skipped',
      'completed',
      'completed',
    ]);
    const attempts = await project.engine.store.read((tx) => tx.attempts.list(loop.taskId, 9));
    expect(attempts.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('keeps a learning that is too long, cut behind a sentence', async () => {
    shows('001.learning-cut');
    const long = 'Do this first. '.repeat(100);
    await using run = await runLoop({
      agent: `command:echo x > n.txt; echo '<learning category="other" tags="a">${long}</learning>'; echo '<learning category="other" tags="b">${long}Two.</learning>'`,
      validate: 'test -f n.txt',
    });
    expect(run.loop.warnings).toContain(
      '2 learnings of more than 1000 characters were cut behind a sentence',
    );
    const { store } = run.project.engine;
    const [kept] = await store.read((tx) => tx.learnings.list({}));
    expect(kept?.content.startsWith('Do this first. Do this first.')).toBe(true);
    expect(Array.from(kept?.content ?? '').length).toBeLessThanOrEqual(1100);
    expect(kept?.content).toMatch(/first\. _\(truncated\)_$/);
  });

  it('explains its sigils in the system prompt of an agent that has one', async () => {
    shows('001.compat-system-prompt');
    await using repo = await gitRepo();
    await using server = await startModelServer({ scenarios: { works } });
    const env = {
      ...repo.env,
      ANTHROPIC_API_KEY: 'k-1',
      ANTHROPIC_BASE_URL: server.base('works', 'run'),
    };
    await using project = await openedProject(
      { path: repo.path, env },
      { agent: 'native', model: 'm', validate: 'test -f n.txt' },
    );
    await project.runText('do it');
    const [request] = server.requests('run').filter(({ kind }) => kind === 'ask');
    const { system, messages } = JSON.parse(JSON.stringify(request?.body));
    expect(JSON.stringify(system)).toContain('<failure-report>');
    expect(JSON.stringify(messages)).not.toContain('<failure-report>');
  });
});

describe('shares', () => {
  it('of more than a prompt holds all reach the loop', async () => {
    shows('002.share-never-lost');
    await using repo = await gitRepo();
    const gate = path.join(repo.outside, 'go');
    await using project = await openedProject(repo, {
      agent: `command:echo x >> n.txt; while [ ! -f ${gate} ]; do sleep 0.05; done`,
      validate: 'test "$(wc -l < n.txt)" -ge 5',
      'no-progress-limit': 0,
    });
    const running = project.runText('listen');
    await project.seen('agent.started');
    const [event] = project.live.flatMap((each) => (each.kind === 'recorded' ? [each] : []));
    const to = event?.loop.id ?? '';
    const marks = ['FIRST', 'SECOND', 'THIRD'];
    for (const mark of marks) {
      const body = `${mark}-BEGINS ${'x'.repeat(1200)} ${mark}-ENDS`;
      await sendMessage(project.engine, { kind: 'share', sender: null, to, body });
    }
    await writeFile(gate, '');
    const loop = await running;
    // What a prompt has no room for stands in a file that it names.
    const prompts = await Promise.all(
      [1, 2, 3, 4, 5].map(async (n) => {
        const dir = await project.engine.artifacts.iterationDir(loop.id, n);
        const file = path.join(dir, 'input-files.json');
        return `${await promptOf(project, loop, n)}${await readFile(file, 'utf8').catch(() => '')}`;
      }),
    );
    for (const mark of marks) {
      const told = prompts.filter((text) => text.includes(`${mark}-ENDS`));
      expect({ mark, told: told.length }).toEqual({ mark, told: 1 });
      expect(told[0]).toContain(`${mark}-BEGINS`);
    }
  });
});

/** As a program would call it that knows the document and not our types. */
function create(config: unknown) {
  return createLoopStrategy(JSON.parse(JSON.stringify(config)));
}

/** Whether the strategy goes on after so many iterations, each as the function says. */
async function goesOn(
  config: object,
  count: number,
  each: (at: number) => Partial<IterationSummary> = (at) => ({ failures: [`test ${at}`] }),
): Promise<boolean> {
  const all = Array.from({ length: count }, (_, at) => summary({ iteration: at + 1, ...each(at) }));
  const event = completed(count, {
    verificationPassed: false,
    current: all.at(-1) ?? summary(),
    previousIterations: all.slice(0, -1),
  });
  return (await create(config).onIterationComplete(event)).continue;
}

const rising = (at: number) => ({ checkScores: { 'L1/test': at * 0.3 } });
const alike = () => ({ failures: ['same'] });
/** Of three failures two are always the same. */
const partly = (at: number) => ({ failures: ['a', 'b', `c ${at}`] });

describe('createLoopStrategy', () => {
  it('takes the keys of the document', async () => {
    shows('003.factory-keys');
    const fixed = { mode: 'fixed', maxIterations: 2 };
    expect([await goesOn(fixed, 1), await goesOn(fixed, 2)]).toEqual([true, false]);
    const hybrid = { mode: 'hybrid', baseIterations: 2, maxBonusIterations: 1 };
    expect(await goesOn(hybrid, 1)).toBe(true);
    expect(await goesOn({ ...hybrid, progressThreshold: 0.2 }, 2, rising)).toBe(true);
    expect(await goesOn({ ...hybrid, progressThreshold: 0.4 }, 2, rising)).toBe(false);
    expect(await goesOn(hybrid, 3, rising)).toBe(false);
    const ralph = { mode: 'ralph', minIterations: 1, maxIterations: 4, windowSize: 2 };
    expect(await goesOn(ralph, 3)).toBe(true);
    expect(await goesOn(ralph, 4)).toBe(false);
    expect(await goesOn(ralph, 2, alike)).toBe(false);
    expect(await goesOn({ ...ralph, minIterations: 3 }, 2, alike)).toBe(true);
    expect(await goesOn({ ...ralph, windowSize: 3 }, 2, alike)).toBe(true);
    expect(await goesOn(ralph, 2, partly)).toBe(true);
    expect(await goesOn({ ...ralph, convergenceThreshold: 0.4 }, 2, partly)).toBe(false);
    const names = ['fixed', 'hybrid', 'ralph'].map((mode) => create({ mode }).name);
    expect(names).toEqual(['fixed', 'hybrid', 'ralph']);
  });

  it.each([[null], ['fixed'], [[]], [{}], [{ mode: 7 }], [{ mode: 'fixed', maxIterations: '3' }]])(
    'says what is wrong with %j',
    (config) => {
      shows('003.factory-wrong');
      let thrown: unknown = null;
      try {
        create(config);
      } catch (error) {
        thrown = error;
      }
      expect(isLoopwrightError(thrown) ? thrown.code : thrown).toMatch(/^strategy\./);
    },
  );
});

describe('an iteration', () => {
  it('has the status post_hooks while hooks run after the agent', async () => {
    shows('004.status-post-hooks');
    await using run = await runLoop(
      { agent: 'command:echo x > n.txt', validate: 'test -f n.txt' },
      'hooks: { post-iteration: ["true"] }\n',
    );
    const events = await run.project.engine.store.read((tx) =>
      tx.loops.events(run.loop.id, 0, 1000),
    );
    const seen = events.map((_event, at) => fold(events.slice(0, at + 1))?.iterations[0]?.status);
    expect(seen).toContain('post_hooks');
    expect(seen.at(-1)).toBe('completed');
  });

  it('has no changed files when they are not tracked', async () => {
    shows('004.tracking-off');
    await using run = await runLoop(
      { agent: 'command:echo x > n.txt', validate: 'test -f n.txt' },
      'verify: { track-file-changes: false }\n',
    );
    expect(run.loop.status).toBe('complete');
    expect(loopDetail(run.loop, []).iterations[0]).toMatchObject({
      filesCreated: [],
      filesModified: [],
      filesDeleted: [],
    });
  });

  it('counts as successful when its verification passed', async () => {
    shows('004.total-successful');
    await using run = await runLoop({
      agent: 'command:echo x >> n.txt',
      validate: 'test "$(wc -l < n.txt)" -ge 3',
    });
    expect(loopDetail(run.loop, []).totals).toMatchObject({ iterations: 3, successful: 1 });
  });
});
