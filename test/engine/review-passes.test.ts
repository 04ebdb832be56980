import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { realCli } from '../cli/real-cli.ts';
import { memoryCli } from '../cli/memory-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';

/** What a careful agent writes: one more section with every pass, until nothing is left to change. */
const parts = [
  '# Plan\n\n## Summary\n\nText about `README.md`.\n\n## Goals\n\n- one\n\n## Non-Goals\n\n- two\n\n## Proposed Solution\n\nText.\n\n## Risks\n\n- none\n',
  '\nIt changes `src/app.js` and adds `src/new.js` (new).\n',
  '\n## Edge Cases\n\n- empty\n- huge\n- interrupted\n',
  '\n## Alternatives\n\n- none was simpler\n',
  '\n## Steps\n\n1. first\n2. second\n',
];

/** The agent writes the parts that belong to iterations up to its own; `$HOME/parts` holds them. */
async function planner(repo: GitRepo, written: readonly (readonly number[])[]): Promise<string> {
  for (const [index, indexes] of written.entries()) {
    const text = indexes.map((part) => parts[part] ?? '').join('');
    await writeFile(path.join(repo.env['HOME'] ?? '', `part-${index + 1}`), text);
  }
  const script = path.join(repo.outside, 'agent.sh');
  await writeFile(
    script,
    'mkdir -p docs; f=$HOME/part-$LOOPWRIGHT_ITERATION; if [ -s "$f" ]; then cat "$f" >> docs/plan.md; fi; echo ok\n',
  );
  return `command:sh ${script}`;
}

async function json(repo: GitRepo, ...argv: readonly string[]) {
  const { out } = await memoryCli({ cwd: repo.path, env: repo.env }).run(...argv, '--json');
  return JSON.parse(out);
}

const passes = (detail: { iterations: { pass: string }[] }) =>
  detail.iterations.map(({ pass }) => pass);

const all = [
  '1 of 5: completeness',
  '2 of 5: correctness',
  '3 of 5: edge-cases',
  '4 of 5: architecture',
  '5 of 5: clarity',
];

describe('a loop of the type plan', () => {
  it('runs its five passes, each with its own focus and its own check', async () => {
    await using repo = await gitRepo();
    const agent = await planner(repo, [[0], [1], [2], [3], [4]]);
    const done = await json(repo, 'run', 'an idea', '--type', 'plan', '--agent', agent);
    expect(done).toMatchObject({ status: 'complete', iterations: 5, proof: 'red-green' });
    const detail = await json(repo, 'loop', 'show', done.loop);
    expect(passes(detail)).toEqual(all);
    const checks = detail.iterations.map(
      ({ verification }: { verification: { levels: { L1: { checks: { name: string }[] } } } }) =>
        verification.levels.L1.checks.map(({ name }) => name),
    );
    expect(checks.slice(0, 4)).toEqual([
      ['pass-completeness'],
      ['pass-correctness'],
      ['pass-edge-cases'],
      ['pass-architecture'],
    ]);
    expect(checks[4]).toHaveLength(5);
    const state = path.join(repo.path, '.loopwright');
    const files = await readdir(state, { recursive: true });
    const prompts = files.filter((file) => file.endsWith('prompt.md')).toSorted();
    expect(prompts).toHaveLength(5);
    const second = await readFile(path.join(state, prompts[1] ?? ''), 'utf8');
    expect(second).toContain('This iteration is review pass 2 of 5: correctness.');
    expect(second).toContain('What the plan says about this repository is true');
    expect(second).not.toContain('Every goal and criterion');
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    expect((await cli.run('loop', 'show', done.loop)).out).toContain('3 of 5: edge-cases');
    const explained = (await cli.run('loop', 'explain', done.loop)).out;
    expect(explained).toContain('iteration 2: done, review pass 2 of 5: correctness');
    expect(explained).not.toContain('stuck');
  }, 120_000);

  it('repeats a pass until its check passes', async () => {
    await using repo = await gitRepo();
    const agent = await planner(repo, [[0], [1], [], [2], [3], [4]]);
    const done = await json(repo, 'run', 'an idea', '--type', 'plan', '--agent', agent);
    expect(done).toMatchObject({ status: 'complete', iterations: 6 });
    const detail = await json(repo, 'loop', 'show', done.loop);
    expect(passes(detail)).toEqual([...all.slice(0, 3), ...all.slice(2)]);
  }, 120_000);

  it('ends early after two passes in a row that change nothing, with all checks executed', async () => {
    await using repo = await gitRepo();
    const agent = await planner(repo, [[0, 1, 2, 3, 4]]);
    const done = await json(repo, 'run', 'an idea', '--type', 'plan', '--agent', agent);
    expect(done).toMatchObject({ status: 'complete', iterations: 3 });
    const detail = await json(repo, 'loop', 'show', done.loop);
    expect(detail.iterations[2].verification.levels.L1.checks).toHaveLength(5);
  }, 120_000);

  it('goes through the other passes when two without a change left something open', async () => {
    await using repo = await gitRepo();
    const agent = await planner(repo, [[0, 1, 2], [], [], [3], [4]]);
    const done = await json(repo, 'run', 'an idea', '--type', 'plan', '--agent', agent);
    expect(done).toMatchObject({ status: 'complete', iterations: 5 });
  }, 120_000);

  it('continues with the same pass after kill -9', async () => {
    await using repo = await gitRepo();
    const agent = await planner(repo, [[0], [1], [], [2], [3], [4]]);
    const killed = realCli(
      repo.path,
      { ...repo.env, LOOPWRIGHT_FAIL_AT: 'after:agent.started:3:kill' },
      ['run', 'an idea', '--type', 'plan', '--agent', agent],
    );
    await killed.ended;
    expect(killed.child.signalCode).toBe('SIGKILL');
    const next = realCli(repo.path, repo.env, ['run', '--json']);
    const { out } = await next.ended;
    expect(JSON.parse(out).loops).toMatchObject([{ status: 'complete' }]);
    const detail = await json(repo, 'loop', 'show', 'last');
    expect(passes(detail)).toEqual([...all.slice(0, 3), ...all.slice(2)]);
  }, 120_000);
});

describe('passes of a type of the project', () => {
  it('take the inputs of the type, quoted', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'loopwright.yml',
      `types:
  letter:
    prompt-template: 'Pass {{pass}}. {{pass-focus}} {{file}} {{feedback}}'
    inputs: [{ name: file, default: "a b.txt" }]
    passes:
      - { name: salutation, focus: Be kind., check: 'grep -q Dear {{file}}' }
      - { name: ending, focus: Say goodbye., check: 'grep -q Yours {{file}}' }
`,
    );
    await repo.commitAll('type');
    const agent =
      'command:cat > /dev/null; echo Dear >> "a b.txt"; [ $LOOPWRIGHT_ITERATION = 1 ] || echo Yours >> "a b.txt"';
    const done = await json(repo, 'run', 'write', '--type', 'letter', '--agent', agent);
    expect(done).toMatchObject({ status: 'complete', iterations: 2 });
  }, 120_000);

  it('are held back by a check of the user whose name begins like theirs', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'loopwright.yml',
      `validation: { commands: { pass-port: 'test -s port.txt' } }
types:
  letter:
    passes:
      - { name: salutation, focus: Be kind., check: 'grep -q Dear a.txt' }
      - { name: ending, focus: Say goodbye., check: 'grep -q Yours a.txt' }
`,
    );
    await repo.commitAll('type');
    const agent =
      'command:cat > /dev/null; echo Dear >> a.txt; [ $LOOPWRIGHT_ITERATION = 1 ] || echo x > port.txt; [ $LOOPWRIGHT_ITERATION != 3 ] || echo Yours >> a.txt';
    const done = await json(repo, 'run', 'write', '--type', 'letter', '--agent', agent);
    expect(done).toMatchObject({ status: 'complete', iterations: 3 });
    const detail = await json(repo, 'loop', 'show', done.loop);
    expect(passes(detail)).toEqual(['1 of 2: salutation', '1 of 2: salutation', '2 of 2: ending']);
  }, 120_000);
});
