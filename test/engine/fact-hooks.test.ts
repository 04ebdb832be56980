import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

describe('hooks that follow a fact', () => {
  it('run in order beside the loop, and know what they are about', async () => {
    await using repo = await gitRepo();
    const log = path.join(repo.outside, 'hooks.log');
    const names = [
      'loop-start',
      'loop-end',
      'test-failure',
      'test-success',
      'file-change',
      'progress',
    ];
    const hooks = names.map((name) => `  ${name}: ["cat >> '${log}'"]`).join('\n');
    await repo.write('loopwright.yml', `hooks:\n${hooks}\n  error: ["exit 7"]\n`);
    await repo.commitAll('project');
    const project = await openedProject(repo, {
      agent: 'command:echo x >> n.txt',
      validate: 'test "$(wc -l < n.txt)" -ge 2',
    });
    const loop = await project.runText('count');
    await project[Symbol.asyncDispose]();
    expect(loop.status).toBe('complete');
    const told = (await readFile(log, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(told.map(({ hook }) => hook).filter((name) => name !== 'progress')).toEqual([
      'loop-start',
      'file-change',
      'test-failure',
      'file-change',
      'test-success',
      'loop-end',
    ]);
    expect(told.at(-1)).toMatchObject({ hook: 'loop-end', loop: loop.id, status: 'complete' });
  });

  it('that fail or hang delay nothing and are told', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'loopwright.yml',
      `hooks:
  loop-start: ["echo broken >&2; exit 7"]
  loop-end: [{ command: 'sleep 300', timeout: 100ms }]
`,
    );
    await repo.commitAll('project');
    const project = await openedProject(repo, {
      agent: 'command:echo x > done.txt',
      validate: 'test -f done.txt',
    });
    const loop = await project.runText('make it');
    await project[Symbol.asyncDispose]();
    expect(loop.status).toBe('complete');
    const notices = project.live.flatMap((event) => (event.kind === 'notice' ? [event.text] : []));
    const warnings = notices.filter((text) => text.includes(' hook of '));
    expect(warnings).toEqual([
      `warning: the loop-start hook of ${loop.id} failed: exit code 7: broken`,
      `warning: the loop-end hook of ${loop.id} failed: timed-out`,
    ]);
  });
});
