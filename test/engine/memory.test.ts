import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Loop } from '../../src/core/loop/loop.ts';
import { standingWarnings } from '../../src/core/loop/stuck.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';

const prompt = ({ engine }: TestProject, loop: Loop, number: number) =>
  readFile(
    path.join(engine.artifacts.loopDir(loop.id), `iterations/00${number}/prompt.md`),
    'utf8',
  );

/** Says the same in every iteration: a report, a suggestion, a learning. */
const talkative = [
  'echo "$LOOPWRIGHT_ITERATION" >> work.txt',
  `cat <<'END'
<failure-report>
what_tried: parse it by hand
why_failed: quotes were not handled
error_category: logic_error
relevant_files: src/parse.ts, src/quote.ts
stack_trace: Error: unexpected quote
  at parse (src/parse.ts:3)
</failure-report>
<retry-suggestion>use the tokenizer</retry-suggestion>
<learning category="pitfall" tags="src/parse.ts, quotes">Quotes nest in src/parse.ts.</learning>
<difficulty-estimate>hard</difficulty-estimate>
END`,
].join('; ');

describe('what an iteration leaves', () => {
  it('is in the next prompt, in the store, and in the iteration', async () => {
    shows(
      '001.attempts-injected',
      '001.learning-from-failure',
      '001.learning-keeps-origin',
      '001.learning-keeps-tags',
      '001.suggestion-shown',
      '001.loop-status-injected',
    );
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: `command:${talkative}`,
      validate: 'echo "unexpected quote"; exit 1',
      'max-iterations': 2,
      holdout: 0,
    });
    const loop = await project.runText('parse quotes in src/parse.ts');
    const second = await prompt(project, loop, 2);
    expect(second).toContain('#### Attempt 1 (default, no_sigil)');
    expect(second).toContain('- **Approach:** parse it by hand');
    expect(second).toContain('- **Error type:** logic_error');
    expect(second).toContain('- **Files involved:** src/parse.ts, src/quote.ts');
    expect(second).toContain('**Suggested approach for this retry:**\nuse the tokenizer');
    expect(second).toContain('- **[pitfall]** Quotes nest in src/parse.ts. _(unconfirmed)_');
    expect(second).toContain('- **This task:** attempt #2, 1 consecutive failure(s)');
    const [learning] = await project.engine.store.read((tx) => tx.learnings.list({}));
    expect(learning).toMatchObject({
      category: 'pitfall',
      status: 'candidate',
      origin: 'agent',
      loopId: loop.id,
      iteration: 1,
      taskId: loop.taskId,
      tags: ['src/parse.ts', 'quotes'],
      paths: ['src/parse.ts'],
    });
    expect(loop.iterations.map(({ injected }) => injected)).toEqual([
      [],
      ['attempt-1', learning?.id],
    ]);
    const metrics = await project.engine.store.read((tx) => tx.attempts.metrics(loop.taskId));
    expect(metrics).toMatchObject({
      totalAttempts: 2,
      consecutiveFailures: 2,
      difficulty: 'hard',
      stuck: false,
    });
  });

  it('is told by the engine when the agent says nothing: the first failing check and its kind', async () => {
    shows('001.report-minimal', '001.fr-auto-category');
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: 'command:echo x >> work.txt; echo hello',
      validate: 'echo "Error: Cannot find module ./gone" >&2; exit 1',
      'max-iterations': 2,
    });
    const loop = await project.runText('find the module');
    const second = await prompt(project, loop, 2);
    expect(second).toContain('- **No structured failure report was provided.**');
    expect(second).toContain('- **Why it failed:** check validation: ');
    expect(second).toContain('- **Error type:** dependency_error');
  });

  it('changes nothing in the prompt when memory is off, and is not kept', async () => {
    shows('001.inject-gated');
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: `command:${talkative}`,
      validate: 'false',
      'max-iterations': 2,
      memory: false,
    });
    const loop = await project.runText('parse quotes');
    const second = await prompt(project, loop, 2);
    expect(second).not.toContain('### ');
    const { learnings, attempts } = await project.engine.store.read(async (tx) => ({
      learnings: await tx.learnings.list({}),
      attempts: await tx.attempts.list(loop.taskId, 10),
    }));
    expect(learnings).toEqual([]);
    expect(attempts.map(({ report }) => report)).toEqual([null, null]);
  });

  it('cuts a learning that is too long at a sentence, and marks it', async () => {
    await using repo = await gitRepo();
    const long = 'Do this. '.repeat(200);
    await using project = await openedProject(repo, {
      agent: `command:echo x >> work.txt; echo '<learning category="other" tags="a">${long}Not.</learning>'`,
      validate: 'false',
      'max-iterations': 2,
    });
    await project.runText('teach much');
    const [kept] = await project.engine.store.read((tx) => tx.learnings.list({}));
    expect(kept?.content).toMatch(/^(?:Do this\. )+_\(truncated\)_$/);
    expect(kept?.content.length).toBeLessThanOrEqual(1000);
  });

  it('keeps secrets out', async () => {
    await using repo = await gitRepo();
    const key = `sk-ant-api03-${'a1B2'.repeat(20)}`;
    await using project = await openedProject(repo, {
      agent: `command:echo x >> work.txt; echo '<learning category="other" tags="key">The key is ${key}.</learning>'`,
      validate: 'false',
      'max-iterations': 1,
    });
    await project.runText('leak');
    const [learning] = await project.engine.store.read((tx) => tx.learnings.list({}));
    expect(learning?.content).toBe('The key is [redacted].');
  });
});

describe('a task that fails again and again', () => {
  it('is stuck after three failures, gets a larger model, and then needs a person', async () => {
    shows(
      '001.escalates-on-failures',
      '001.stuck-after-three',
      '001.stuck-warning',
      '001.escalation-ladder',
    );
    await using repo = await gitRepo();
    await repo.write(
      'loopwright.yml',
      [
        'agents: {mine: {command: "echo x >> work.txt; echo \\"model: $LOOPWRIGHT_MODEL\\""}}',
        'models: {mine: {small: tiny, medium: middling, large: huge}}',
        'validation: {command: "false"}',
        'limits: {max-iterations: 4}',
        '',
      ].join('\n'),
    );
    await repo.commitAll('configuration');
    await using project = await openedProject(repo, { agent: 'mine' });
    const loop = await project.runText('move the mountain');
    expect(loop.status).toBe('failed');
    expect(loop.iterations.map(({ model, modelReason }) => [model, modelReason])).toEqual([
      ['middling', 'default, cost-optimized strategy'],
      ['middling', 'default, cost-optimized strategy'],
      ['huge', 'escalated after 2 consecutive failures'],
      ['huge', 'escalated after 3 consecutive failures'],
    ]);
    expect(await prompt(project, loop, 3)).not.toContain('Stuck loop detected');
    const fourth = await prompt(project, loop, 4);
    expect(fourth).toContain('**Stuck loop detected.** This task has failed 3+ times');
    expect(fourth).toContain('**Current model:** huge (escalated after 3 consecutive failures)');
    expect(loop.warnings.join()).toContain(`loopwright task decompose ${loop.taskId}`);
    const { task, metrics } = await project.engine.store.read(async (tx) => ({
      task: await tx.tasks.get(loop.taskId),
      metrics: await tx.attempts.metrics(loop.taskId),
    }));
    expect(task?.status).toBe('failed');
    expect(task?.reason).toMatch(
      /^needs a person: failed 4 times in a row \(.*\)\. Tried: attempt 2/,
    );
    expect(metrics).toMatchObject({ stuck: true, needsPerson: task?.reason });
  });

  it('needs a person also when its loop fails before it is stuck, and says what was tried', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: 'command:echo x >> work.txt',
      validate: 'echo "TypeError: zebra undefined"; exit 1',
      'max-iterations': 1,
    });
    const loop = await project.runText('feed the zebra');
    const task = await project.engine.store.read((tx) => tx.tasks.get(loop.taskId));
    expect(task?.reason).toMatch(
      /^needs a person: failed once \(.*\)\. Tried: attempt 1: check validation: .*it says: TypeError: zebra undefined$/,
    );
  });

  it('is no longer stuck once it is done, and the model that did it is remembered', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: 'command:echo x >> work.txt',
      validate: 'test "$(wc -l < work.txt)" -ge 5',
      'no-progress-limit': 0,
    });
    const loop = await project.runText('write five lines');
    expect(loop.status).toBe('complete');
    expect(loop.warnings.join()).toContain('stuck after');
    expect(standingWarnings(loop)).toEqual([]);
    const metrics = await project.engine.store.read((tx) => tx.attempts.metrics(loop.taskId));
    expect(metrics).toEqual({
      totalAttempts: 5,
      consecutiveFailures: 0,
      difficulty: null,
      suggestedModel: 'default',
      stuck: false,
      needsPerson: null,
    });
  });
});
