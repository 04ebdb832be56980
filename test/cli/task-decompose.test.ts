import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProposal } from '../../src/core/task/decomposition.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

const parts = [
  { title: 'Read quotes', description: 'The tokenizer knows quotes.' },
  { title: 'Read escapes', description: 'And backslashes.', after: [1] },
  { title: 'Report errors', after: ['Read quotes', 2] },
];

/** An agent that answers with this text, and edits files nobody asked it to. */
async function answering(repo: GitRepo, text: string): Promise<string> {
  await writeFile(path.join(repo.env['HOME'] ?? '', 'answer.txt'), text);
  return `command:cat > /dev/null; echo vandal > README.md; cat ${path.join(repo.env['HOME'] ?? '', 'answer.txt')}`;
}

async function added(cli: ReturnType<typeof memoryCli>): Promise<string> {
  const { out } = await cli.run('task', 'add', 'parse everything', '--json');
  return JSON.parse(out).id;
}

describe('task decompose', () => {
  it('stores the parts an agent proposes under the task, in their order', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const task = await added(cli);
    const agent = await answering(
      repo,
      `I looked.\n\n\`\`\`json\n${JSON.stringify(parts)}\n\`\`\`\n`,
    );
    const { exitCode, out } = await cli.run('task', 'decompose', task, '--agent', agent, '--json');
    expect(exitCode).toBe(0);
    const result = JSON.parse(out);
    expect(result.added.map(({ title }: { title: string }) => title)).toEqual([
      'Read quotes',
      'Read escapes',
      'Report errors',
    ]);
    const tree = await cli.run('task', 'tree');
    expect(tree.out).toContain('Read escapes');
    const next = JSON.parse((await cli.run('task', 'next', '--json')).out);
    expect(JSON.stringify(next)).toContain('Read quotes');
    // Neither the checkout nor a branch or worktree of the question is left behind.
    expect(await repo.git('status', '--porcelain')).toBe('');
    expect(await repo.git('branch', '--list', 'loopwright/*')).toBe('');
  });

  it('refuses a task that has open parts, which would only be proposed again', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const task = await added(cli);
    const agent = await answering(repo, JSON.stringify(parts));
    await cli.run('task', 'decompose', task, '--agent', agent);
    const again = await cli.run('task', 'decompose', task, '--agent', agent);
    expect(again.exitCode).toBe(3);
    expect(again.err).toMatch(/has parts already: t-\w+, t-\w+, t-\w+/);
    const list = JSON.parse((await cli.run('task', 'list', '--json')).out);
    expect(list.tasks).toHaveLength(4);
  });

  it('tells the agent how often the task was attempted, not how many attempts it shows', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const flags = ['--agent', 'command:echo x >> n.txt', '--validate', 'false', '--json'];
    const ran = await cli.run('run', 'parse everything', ...flags, '--max-iterations', '6');
    const { task } = JSON.parse(ran.out);
    const proposal = await answering(repo, JSON.stringify(parts));
    const seen = path.join(repo.env['HOME'] ?? '', 'asked.md');
    const agent = proposal.replace('cat > /dev/null', `cat > ${seen}`);
    await cli.run('task', 'decompose', task, '--agent', agent, '--dry-run');
    const asked = await readFile(seen, 'utf8');
    expect(asked).toContain('attempted 6 time(s) before');
    expect(asked).toContain('#### Attempt 6');
    expect(asked).not.toContain('#### Attempt 1 ');
  });

  it('only shows them with --dry-run', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const task = await added(cli);
    const agent = await answering(repo, JSON.stringify(parts));
    const { out } = await cli.run('task', 'decompose', task, '--agent', agent, '--dry-run');
    expect(out).toContain('2. Read escapes (after 1)');
    const list = JSON.parse((await cli.run('task', 'list', '--json')).out);
    expect(list.tasks).toHaveLength(1);
  });

  it('stores nothing when the proposal cannot be used', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const task = await added(cli);
    const agent = await answering(repo, 'I would rather not.');
    const { exitCode, err } = await cli.run('task', 'decompose', task, '--agent', agent);
    expect(exitCode).toBe(3);
    expect(err).toContain('there is no JSON array in the answer');
    const list = JSON.parse((await cli.run('task', 'list', '--json')).out);
    expect(list.tasks).toHaveLength(1);
  });
});

describe('a proposal', () => {
  it.each([
    ['too few parts', [parts[0], parts[1]]],
    ['too many parts', Array.from({ length: 8 }, (_, index) => ({ title: `part ${index}` }))],
    ['a part without a title', [{ title: ' ' }, parts[1], parts[2]]],
    ['the same title twice', [parts[0], parts[0], parts[1]]],
    ['a part that comes after itself', [{ ...parts[0], after: [1] }, parts[1], parts[2]]],
    ['a part that comes after a later one', [{ ...parts[0], after: [3] }, parts[1], parts[2]]],
  ])('is refused for %s', (_, proposal) => {
    expect(() => readProposal(JSON.stringify(proposal))).toThrow('cannot be used');
  });

  it('is the last array of the answer, with brackets in its texts', () => {
    const list = parts.map((part) => ({
      ...part,
      description: '- [ ] one\n- [x] two [see](a.md)',
    }));
    const message = `[1] is a footnote. Here:\n${JSON.stringify(list, null, 2)}\nDone.`;
    expect(readProposal(message)).toHaveLength(3);
  });
});
