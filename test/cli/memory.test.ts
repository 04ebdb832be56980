import { describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { gitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

const teach =
  'command:echo x >> work.txt; echo \'<learning category="pitfall" tags="src/a.ts">Mind the gap in src/a.ts.</learning>\'';

describe('memory by hand', () => {
  it('is added, listed, shown, edited and exported, in any folder', async () => {
    await using dir = await tempDir();
    const cli = memoryCli({ cwd: dir.path, env: { HOME: dir.path } });
    const fields = ['--category', 'tool_usage', '--tags', 'npm, codegen', '--json'];
    const text = 'Run npm run gen first, see src/gen.ts.';
    const added = await cli.run('memory', 'add', text, ...fields);
    const learning = JSON.parse(added.out);
    expect(learning).toMatchObject({
      status: 'active',
      byHand: true,
      origin: 'person',
      tags: ['npm', 'codegen'],
      paths: ['src/gen.ts'],
    });
    expect(learning.id).toMatch(/^l-[0-9a-f]{6}$/);
    const list = await cli.run('memory', 'list');
    expect(list.out).toContain(learning.id);
    const edited = await cli.run('memory', 'edit', learning.id.slice(0, 5), '--status', 'demoted');
    expect(edited.out).toBe(`${learning.id} is demoted; changed: status\n`);
    expect((await cli.run('memory', 'edit', learning.id, '--status', 'demoted')).out).toContain(
      'nothing changed',
    );
    const cleared = await cli.run('memory', 'edit', learning.id, '--tags', '', '--content', 'New.');
    expect(cleared.out).toBe(`${learning.id} is demoted; changed: content, tags\n`);
    const shown = await cli.run('memory', 'show', learning.id);
    expect(shown.out).toContain('demoted, by hand');
    const exported = await cli.run('memory', 'export');
    expect(JSON.parse(exported.out)).toMatchObject({ id: learning.id, content: 'New.' });
  });

  it('is listed whole when it is piped, and an empty list says why', async () => {
    await using dir = await tempDir();
    const cli = memoryCli({ cwd: dir.path, env: { HOME: dir.path } });
    const text = `The counter in n.txt must be at least ${'very '.repeat(80)}high.`;
    const added = await cli.run('memory', 'add', text);
    expect(added.err).toContain(`no git repository here: it is kept in ${dir.path}`);
    expect((await cli.run('memory', 'list')).out).toContain(text);
    const narrow = memoryCli({ cwd: dir.path, env: { HOME: dir.path }, terminal: 80 });
    const line = (await narrow.run('memory', 'list')).out;
    expect(line).toContain('…');
    expect((await cli.run('memory', 'list', '--category', 'nope')).out).toBe(
      'no learning fits; there are 1 active\n',
    );
  });

  it('takes secrets out of what it is told', async () => {
    await using dir = await tempDir();
    const env = { HOME: dir.path, MY_API_KEY: 'very-secret-value' };
    const cli = memoryCli({ cwd: dir.path, env });
    const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    const fields = ['--tags', `a, ${token}`, '--category', `c\u001b[2J ${token}`];
    const added = await cli.run(
      'memory',
      'add',
      'The key is very-secret-value.',
      ...fields,
      '--json',
    );
    const learning = JSON.parse(added.out);
    expect(learning).toMatchObject({
      content: 'The key is [redacted].',
      tags: ['a', '[redacted]'],
      category: 'c [redacted]',
    });
    const changed = ['--tags', token, '--category', token];
    await cli.run('memory', 'edit', learning.id, ...changed);
    const shown = JSON.parse((await cli.run('memory', 'show', learning.id, '--json')).out);
    expect(shown).toMatchObject({ tags: ['[redacted]'], category: '[redacted]' });
  });

  it('refuses a text that would not be shown whole, and says how long it may be', async () => {
    await using dir = await tempDir();
    const stdin = `${'Step alpha. '.repeat(90)}NEVER do any of the above.`;
    const cli = memoryCli({ cwd: dir.path, env: { HOME: dir.path }, stdin });
    const refused = await cli.run('memory', 'add', '-');
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toContain('the text has 1106 characters, a learning at most 1000');
    const added = JSON.parse((await cli.run('memory', 'add', 'Short.', '--json')).out);
    const edited = await cli.run('memory', 'edit', added.id, '--content', stdin);
    expect(edited.exitCode).toBe(3);
    expect((await cli.run('memory', 'add', 'x', '--category', '')).exitCode).toBe(3);
    expect((await cli.run('memory', 'add', 'x', '--tags', 'y,'.repeat(30))).exitCode).toBe(0);
    const many = Array.from({ length: 21 }, (_, tag) => `t${tag}`).join();
    expect((await cli.run('memory', 'add', 'z', '--tags', many)).exitCode).toBe(3);
  });

  it('refuses an id it does not know, one that can be several, and a text it has', async () => {
    await using dir = await tempDir();
    const cli = memoryCli({ cwd: dir.path, env: { HOME: dir.path } });
    await cli.run('memory', 'add', 'one');
    await cli.run('memory', 'add', 'two');
    const unknown = await cli.run('memory', 'show', 'l-zzz');
    expect(unknown).toMatchObject({ exitCode: 3 });
    expect(unknown.err).toContain('there is no learning l-zzz');
    expect((await cli.run('memory', 'show', 'l-')).err).toContain('l- can be l-');
    expect((await cli.run('memory', 'add', 'one')).err).toContain('says exactly this');
    expect((await cli.run('memory', 'add', '  ')).exitCode).toBe(3);
  });

  it('is reset only when that is confirmed', async () => {
    await using dir = await tempDir();
    const cli = memoryCli({ cwd: dir.path, env: { HOME: dir.path } });
    await cli.run('memory', 'add', 'one');
    const asked = await cli.run('memory', 'reset');
    expect(asked.exitCode).toBe(3);
    expect(asked.err).toContain('1 learning');
    expect((await cli.run('memory', 'reset', '--yes')).out).toContain('forgot 1 learning');
    expect((await cli.run('memory', 'list')).out).toBe('nothing is remembered yet\n');
  });
});

describe('what a loop taught', () => {
  it('is taken back with one command', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const flags = ['--agent', teach, '--validate', 'false', '--max-iterations', '1', '--json'];
    const { out } = await cli.run('run', 'mind the gap', ...flags);
    const { loop, task } = JSON.parse(out);
    const list = JSON.parse((await cli.run('memory', 'list', '--loop', loop, '--json')).out);
    expect(list.learnings).toMatchObject([{ status: 'candidate', loop, task, iteration: 1 }]);
    const forgotten = await cli.run('memory', 'forget', '--loop', 'last', '--json');
    expect(JSON.parse(forgotten.out)).toMatchObject({
      loop,
      learnings: [list.learnings[0].id],
      reports: 1,
      votes: 0,
    });
    expect((await cli.run('memory', 'list')).out).toBe('nothing is remembered yet\n');
    const prompt = await cli.run('prompt', 'render', task);
    expect(prompt.out).toContain('- **No structured failure report was provided.**');
    expect(prompt.out).not.toContain('Why it failed');
  });

  it('is in the prompt that `prompt render` shows, exactly as it is sent', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const copy = `${teach}; cat > sent.md`;
    const flags = ['--agent', copy, '--validate', 'false', '--max-iterations', '2', '--json'];
    const { task, loop } = JSON.parse(
      (await cli.run('run', 'mind the gap in src/a.ts', ...flags)).out,
    );
    const shown = JSON.parse((await cli.run('prompt', 'render', task, '--json')).out);
    expect(shown.prompt).toContain('#### Attempt 2 (default, no_sigil)');
    expect(shown.injected).toEqual(expect.arrayContaining(['attempt-1', 'attempt-2']));
    const detail = JSON.parse((await cli.run('loop', 'show', loop, '--json')).out);
    expect(detail.iterations[1].injected).toContain('attempt-1');
  });
});

describe('parse sigils', () => {
  it('prints the documented shape', async () => {
    const stdin = [
      '<failure-report>what_tried: a\nwhy_failed: b</failure-report>',
      '<learning category="pitfall" tags="x, y">Mind it.</learning>',
      '```\n<task-done>t-1</task-done>\n```',
      '<next-model>large</next-model>',
    ].join('\n');
    const { out, exitCode } = await memoryCli({ cwd: '/', stdin }).run('parse', 'sigils', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toEqual({
      taskDone: null,
      taskFailed: null,
      nextModel: 'large',
      summary: null,
      failureReport: {
        whatTried: 'a',
        whyFailed: 'b',
        errorCategory: 'unknown',
        relevantFiles: [],
        stackTrace: null,
      },
      learnings: [{ category: 'pitfall', tags: ['x', 'y'], content: 'Mind it.' }],
      difficulty: null,
      retrySuggestion: null,
    });
  });

  it('says it in words', async () => {
    const stdin = '<task-failed>t-1</task-failed>\n<task-done>t-1</task-done>';
    const { out } = await memoryCli({ cwd: '/', stdin }).run('parse', 'sigils');
    expect(out).toBe('failed      t-1\n');
    const none = await memoryCli({ cwd: '/', stdin: 'hello' }).run('parse', 'sigils');
    expect(none.out).toBe('no sigils\n');
  });
});
