import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FlagValues } from '../../src/core/config/flags.ts';
import type { Loop } from '../../src/core/loop/loop.ts';
import { rejectLoop } from '../../src/engine/answer-approval.ts';
import { startSession } from '../../src/engine/session.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';

const promptOf = ({ engine }: TestProject, { id }: Loop, number: number) =>
  readFile(path.join(engine.artifacts.loopDir(id), `iterations/00${number}/prompt.md`), 'utf8');

const block = (text: string): string | undefined =>
  /## Verification Feedback\n([\s\S]*?)(?=\n## |$)/.exec(text)?.[1];

const works = 'command:echo x >> app.js';

describe('of an attempt whose checks passed, memory and the next prompt name what was missing', () => {
  const claims = `${works}; echo '<promise>COMPLETE</promise>'`;
  it.each<[string, string, FlagValues, string]>([
    [
      'a claim',
      '',
      { agent: works, validate: 'true' },
      'the checks pass, but they passed before the work began, so the agent must also claim to be done',
    ],
    [
      'a diff',
      '',
      { agent: 'command:true', validate: 'true' },
      'the checks pass, but nothing differs from the base',
    ],
    [
      'a gate',
      'gates: [{ type: command, name: lines, command: "false" }]\nverify: { require-claim: never }\n',
      { agent: claims, validate: 'true' },
      'the checks pass, but not the gate lines: exit code 1, expected 0',
    ],
  ])('%s', async (_what, config, flags, reason) => {
    await using repo = await gitRepo();
    if (config !== '') {
      await repo.write('loopwright.yml', config);
      await repo.commitAll('configuration');
    }
    await using project = await openedProject(repo, { ...flags, 'max-iterations': 2 });
    const loop = await project.runText('do it');
    const [first, second] = await project.engine.store.read((tx) =>
      tx.attempts.list(loop.taskId, 10),
    );
    for (const attempt of [first, second]) {
      expect(attempt?.outcome).not.toBe('done');
      expect(attempt?.report?.whyFailed).toBe(reason);
    }
    expect(await promptOf(project, loop, 2)).toContain(`- **Why it failed:** ${reason}`);
    const metrics = await project.engine.store.read((tx) => tx.attempts.metrics(loop.taskId));
    expect(metrics).toMatchObject({ totalAttempts: 2, consecutiveFailures: 2 });
    expect(loop.consecutiveFailures).toBe(2);
  });
});

it('of an attempt that a person sent back, memory says who and why', async () => {
  await using repo = await gitRepo();
  const config = 'gates: [{ type: approval }]\nverify: { require-claim: never }\n';
  await repo.write('loopwright.yml', config);
  await repo.commitAll('configuration');
  await using project = await openedProject(repo, { agent: works, validate: 'true' });
  const { engine } = project;
  const loop = await project.runText('do it');
  expect(loop).toMatchObject({ status: 'blocked', reason: 'approval' });
  const session = await startSession(engine, 'run');
  await rejectLoop(engine, session, loop, { by: 'ada', text: 'use fewer words' });
  const [attempt] = await engine.store.read((tx) => tx.attempts.list(loop.taskId, 10));
  expect(attempt).toMatchObject({
    outcome: 'failed',
    report: { whyFailed: 'rejected by ada: use fewer words' },
  });
});

describe('feedback of failing checks', () => {
  it.each([
    ['crashed', 'exit 3', ''],
    ['timed out', 'sleep 600', ', iteration-timeout: 1s'],
  ])('is still there after an agent that %s without doing anything', async (_how, does, more) => {
    shows('003.fixed-feedback-agent');
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', `limits: { error-backoff: 1s${more} }\n`);
    await repo.commitAll('configuration');
    const agent = `command:if [ "$LOOPWRIGHT_ITERATION" = 2 ]; then ${does}; fi; echo x >> app.js`;
    await using project = await openedProject(repo, {
      agent,
      validate: 'echo THE-CHECK-SAYS $(cat app.js | wc -l); false',
      'max-iterations': 3,
    });
    const loop = await project.runText('do it');
    expect(loop.iterations.map(({ report }) => report === null)).toEqual([false, true, false]);
    const [second, third] = [await promptOf(project, loop, 2), await promptOf(project, loop, 3)];
    // Behind it stands which limit ended the agent, where one did.
    const [checks = ''] = (block(second) ?? '').split('\n\nYou work');
    expect(checks).toContain('THE-CHECK-SAYS 1');
    expect(block(third)).toContain(checks);
  });
});
