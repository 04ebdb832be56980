import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FlagValues } from '../../src/core/config/flags.ts';
import type { IterationCompleteEvent, LoopEndEvent } from '../../src/core/strategy/strategy.ts';
import { createLoopStrategy } from '../../src/core/strategy/registry.ts';
import { completed, summary } from '../core/strategy/summary.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';
import { promptOf } from './loop-run.ts';

/** A strategy module that writes every event it is given into a file, and goes on until `last`. */
async function listening(repo: GitRepo, last: number): Promise<void> {
  await writeFile(
    path.join(repo.path, 'listen.mjs'),
    `import { appendFileSync } from 'node:fs';
     const write = (event) => appendFileSync(${JSON.stringify(told(repo))}, JSON.stringify(event) + '\\n');
     export const strategy = {
       name: 'listening',
       async onIterationComplete(event) {
         write(event);
         const feedback = 'HEARD-' + event.iteration;
         return { continue: event.iteration < ${last}, reason: 'heard', feedback, metadata: { heard: event.iteration } };
       },
       onLoopEnd: write,
     };`,
  );
  await repo.write('loopwright.yml', 'strategy: { name: custom, module: listen.mjs }\n');
  await repo.commitAll('strategy');
}

const told = (repo: GitRepo) => path.join(repo.outside, 'told.jsonl');

type Told = readonly (IterationCompleteEvent & LoopEndEvent)[];

async function toldTo(repo: GitRepo): Promise<Told> {
  const text = await readFile(told(repo), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The results that a listening strategy hears at the end of a loop. */
async function endsOf(flags: FlagValues): Promise<readonly string[]> {
  await using repo = await gitRepo();
  await listening(repo, 9);
  await using project = await openedProject(repo, flags);
  await project.runText('end');
  return (await toldTo(repo)).flatMap((event) => event.finalResult ?? []);
}

const agent = 'command:if [ "$LOOPWRIGHT_ITERATION" = 2 ]; then exit 3; fi; echo x >> n.txt';

describe('a strategy of the user', () => {
  it('is asked after every iteration with all there is to know, and obeyed', async () => {
    shows(
      '003.one-callback',
      '003.no-order-of-calls',
      '003.may-be-async',
      '003.event-iteration',
      '003.event-total',
      '003.event-elapsed',
      '003.event-agent-result',
      '003.event-agent-success',
      '003.event-report',
      '003.event-report-null',
      '003.event-passed',
      '003.event-previous',
      '003.event-max-iterations',
      '003.event-max-time',
      '003.event-run-id',
      '003.event-work-order',
      '003.summary-iteration',
      '003.summary-agent',
      '003.summary-passed',
      '003.summary-duration',
      '003.summary-tokens',
      '003.end-fields',
      '003.asks-after-each',
      '003.keeps-history',
      '003.obeys-stop',
      '003.decision-continue',
      '003.decision-metadata',
      '003.decision-logged',
    );
    await using repo = await gitRepo();
    await listening(repo, 3);
    await using project = await openedProject(repo, {
      agent,
      validate: 'echo NOT-YET; false',
      'max-iterations': 9,
      'error-backoff': '1ms',
    });
    const loop = await project.runText('listen');
    expect(loop).toMatchObject({ status: 'failed', reason: 'strategy_stop', text: 'heard' });
    const events = await toldTo(repo);
    const asked = events.slice(0, 3);
    for (const event of asked) {
      expect(event).toMatchObject({
        loopId: loop.id,
        taskId: loop.taskId,
        maxIterations: 9,
        maxTimeMs: 4 * 3_600_000,
      });
      expect(event.elapsedMs).toBeGreaterThan(0);
    }
    expect(asked.map((event) => [event.iteration, event.totalIterations])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    expect(asked.map((event) => [event.agentSuccess, event.agentResult.exitCode])).toEqual([
      [true, 0],
      [false, 3],
      [true, 0],
    ]);
    expect(asked.map((event) => event.verificationPassed)).toEqual([false, null, false]);
    expect(asked[1]?.verificationReport).toBeNull();
    expect(asked[0]?.verificationReport).toMatchObject({
      overall: { passed: false },
      levels: { L1: { passed: false, checks: [{ name: 'validation', passed: false }] } },
    });
    expect(asked[0]?.verificationReport?.levels.L1?.checks[0]?.output).toContain('NOT-YET');
    expect(asked[0]?.previousIterations).toEqual([]);
    const history = asked[2]?.previousIterations ?? [];
    expect(history).toMatchObject([
      { iteration: 1, agentSuccess: true, verificationPassed: false, tokensUsed: null },
      { iteration: 2, agentSuccess: false, verificationPassed: null, tokensUsed: null },
    ]);
    // Durations of the iterations themselves: together they fit into the time of the loop.
    const sum = history.reduce((total, each) => total + each.durationMs, 0);
    expect(sum).toBeLessThanOrEqual(asked[2]?.elapsedMs ?? 0);
    expect(events.slice(3)).toEqual([
      {
        loopId: loop.id,
        taskId: loop.taskId,
        totalIterations: 3,
        finalResult: 'strategy_stop',
        elapsedMs: expect.any(Number),
      },
    ]);
    const decisions = loop.iterations.map(({ decision }) => decision);
    expect(decisions.map((each) => [each?.continue, each?.inputs.strategy?.reason])).toEqual([
      [true, 'heard'],
      [true, 'heard'],
      [false, 'heard'],
    ]);
    expect(decisions.map((each) => each?.metadata)).toEqual([
      { heard: 1 },
      { heard: 2 },
      { heard: 3 },
    ]);
  });

  it('has its feedback in the next prompt, once', async () => {
    shows('003.decision-feedback', '003.applies-feedback');
    await using repo = await gitRepo();
    await listening(repo, 3);
    await using project = await openedProject(repo, {
      agent: 'command:echo x >> n.txt',
      validate: 'false',
    });
    const loop = await project.runText('listen');
    const prompts = await Promise.all([1, 2, 3].map((number) => promptOf(project, loop, number)));
    expect(prompts.map((text) => text.match(/HEARD-\d/g))).toEqual([
      null,
      ['HEARD-1'],
      ['HEARD-2'],
    ]);
  });

  it('hears of a pass once', async () => {
    shows('003.end-success');
    const passes = { agent: 'command:echo x > n.txt', validate: 'test -f n.txt' };
    expect(await endsOf(passes)).toEqual(['success']);
  });

  it('hears of the cap once, although it wanted to go on', async () => {
    shows('003.end-max-iterations', '003.end-silent-cap');
    const capped = { agent, validate: 'false', 'max-iterations': 1 };
    expect(await endsOf(capped)).toEqual(['max_iterations']);
  });

  it('hears of the time limit once', async () => {
    shows('003.end-timeout');
    const slow = { agent: 'command:sleep 300', validate: 'false', 'max-duration': '700ms' };
    expect(await endsOf(slow)).toEqual(['timeout']);
  });

  it('hears of a loop that broke once', async () => {
    shows('003.end-error');
    const broken = { agent: 'command:exit 3', validate: 'false', 'max-consecutive-errors': 1 };
    expect(await endsOf(broken)).toEqual(['error']);
  });

  it('may leave onLoopEnd out, and answers nonsense in vain', async () => {
    shows('003.loop-end-optional', '003.decision-wrong');
    await using repo = await gitRepo();
    await repo.write(
      'odd.mjs',
      `export const strategy = { name: 'odd', onIterationComplete: () => ({ continue: 'no' }) };`,
    );
    await repo.write('loopwright.yml', 'strategy: { name: custom, module: odd.mjs }\n');
    await repo.commitAll('strategy');
    await using project = await openedProject(repo, {
      agent: 'command:echo x >> n.txt',
      validate: 'test "$(wc -l < n.txt)" -ge 2',
    });
    const loop = await project.runText('odd');
    expect(loop).toMatchObject({ status: 'complete' });
    expect(loop.warnings.join('\n')).toContain('strategy odd');
  });

  it('does not outlive the cap of the loop', async () => {
    shows('003.cap-above');
    await using repo = await gitRepo();
    await listening(repo, 99);
    const flags = { agent: 'command:echo x >> n.txt', validate: 'false', 'max-iterations': 2 };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('for ever');
    expect(loop).toMatchObject({ status: 'failed', reason: 'max_iterations' });
    expect(loop.iterations).toHaveLength(2);
  });
});

describe('built-in strategies without settings', () => {
  it('fixed runs three iterations', async () => {
    shows('003.fixed-default');
    const fixed = createLoopStrategy({ name: 'fixed' });
    const goesOn = await Promise.all(
      [1, 2, 3].map(async (n) => (await fixed.onIterationComplete(completed(n))).continue),
    );
    expect(goesOn).toEqual([true, true, false]);
  });

  it('hybrid runs three and at most two more, for a rise of 0.1', async () => {
    shows('003.hybrid-defaults', '003.hybrid-first');
    const hybrid = createLoopStrategy({ name: 'hybrid' });
    const decide = async (...scores: number[]) => {
      const all = scores.map((score, at) =>
        summary({ iteration: at + 1, checkScores: { 'L1/test': score } }),
      );
      const event = completed(all.length, {
        verificationPassed: false,
        current: all.at(-1) ?? summary(),
        previousIterations: all.slice(0, -1),
      });
      return (await hybrid.onIterationComplete(event)).continue;
    };
    expect(await decide(0)).toBe(true);
    expect(await decide(0, 0)).toBe(true);
    expect(await decide(0, 0, 0.09)).toBe(false);
    expect(await decide(0, 0, 0.1, 0.2)).toBe(true);
    expect(await decide(0, 0, 0.1, 0.2, 0.3)).toBe(false);
    const alone = createLoopStrategy({ name: 'hybrid', base: 1 });
    expect((await alone.onIterationComplete(completed(1))).continue).toBe(true);
  });

  it('hybrid stops on a pass', async () => {
    shows('003.hybrid-pass');
    const hybrid = createLoopStrategy({ name: 'hybrid' });
    const decision = await hybrid.onIterationComplete(completed(1, { verificationPassed: true }));
    expect(decision).toMatchObject({ continue: false, reason: 'Verification passed' });
  });

  it('ralph runs at least 2 and at most 10, and compares 3', async () => {
    shows('003.ralph-defaults');
    const ralph = createLoopStrategy({ name: 'ralph' });
    const decide = async (alike: number, count: number) => {
      const all = Array.from({ length: count }, (_, at) => {
        const failing = at < count - alike ? `test ${at}` : 'the same';
        return summary({ iteration: at + 1, failures: [failing] });
      });
      const event = completed(count, {
        verificationPassed: false,
        current: all.at(-1) ?? summary(),
        previousIterations: all.slice(0, -1),
      });
      return (await ralph.onIterationComplete(event)).reason;
    };
    expect(await decide(1, 1)).toContain('Minimum of 2');
    expect(await decide(2, 3)).not.toContain('Convergence');
    expect(await decide(3, 4)).toContain('Convergence');
    expect(await decide(1, 10)).toContain('Maximum of 10');
  });
});
