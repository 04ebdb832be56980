import { describe, expect, it } from 'vitest';
import { textWidth } from '../../src/cli/render/width.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { memoryCli } from './memory-cli.ts';

const fails = [
  'echo x >> work.txt',
  `cat <<'END'
<failure-report>
what_tried: a retry around the SQLite lock ${'and again '.repeat(20)}
why_failed: STRASSE is still busy
error_category: logic_error
</failure-report>
END`,
].join('; ');

describe('memory journal', () => {
  it('lists attempts at all tasks, newest first, and searches whatever the case', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    expect((await cli.run('memory', 'journal')).out).toBe('no attempts yet\n');
    const first = await (async () => {
      await using project = await openedProject(repo, {
        agent: `command:${fails}`,
        validate: 'false',
        'max-iterations': 2,
      });
      return await project.runText('wait for the lock');
    })();
    await using project = await openedProject(repo, {
      agent: "command:echo y > done.txt; echo '<summary>Painted it blue.</summary>'",
      validate: 'test -f done.txt',
    });
    const second = await project.runText('paint the door');
    const { attempts } = JSON.parse((await cli.run('memory', 'journal', '--json')).out);
    expect(attempts).toHaveLength(3);
    expect(attempts[0]).toMatchObject({
      taskId: second.taskId,
      title: 'paint the door',
      attempt: 1,
      outcome: 'done',
      loopId: second.id,
    });
    expect(attempts.slice(1)).toMatchObject([
      { taskId: first.taskId, attempt: 2, report: { errorCategory: 'logic_error' } },
      { taskId: first.taskId, attempt: 1 },
    ]);
    const search = async (...words: readonly string[]) => {
      const { out } = await cli.run('memory', 'journal', '--json', ...words);
      return JSON.parse(out).attempts.map(({ attempt }: { attempt: number }) => attempt);
    };
    expect(await search('--search', 'sqlite strasse')).toEqual([2, 1]);
    expect(await search('--search', 'sqlite door')).toEqual([]);
    expect(await search('--limit', '1')).toEqual([1]);
    expect((await cli.run('memory', 'journal', '--search', 'nowhere')).out).toBe(
      'no attempt has these words in it\n',
    );
  });

  it('fits a terminal of 80 columns', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: `command:${fails}`,
      validate: 'false',
      'max-iterations': 1,
    });
    await project.runText(`wait for the lock ${'very '.repeat(40)}long \u001b[31m漢字`);
    const { out } = await memoryCli({ cwd: repo.path, env: repo.env, terminal: 80 }).run(
      'memory',
      'journal',
    );
    // eslint-disable-next-line no-control-regex
    const lines = out.replaceAll(/\u001b\[\d+m/g, '').split('\n');
    expect(lines.length).toBe(5);
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(80);
    expect(lines[0]).toMatch(/^no_sigil +t-[0-9a-f]{8} · attempt 1 · /);
    expect(lines[2]).toContain('tried: a retry around the SQLite lock');
  });
});
