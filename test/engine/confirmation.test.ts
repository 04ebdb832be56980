import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { proofOf } from '../../src/core/loop/finishing.ts';
import type { Loop } from '../../src/core/loop/loop.ts';
import { memoryCli } from '../cli/memory-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

const testFile = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add } from '../src/add.js';
test('adds', () => assert.equal(add(1, 2), 3));
`;
const validate = 'node --test test/*.test.js';
const broken = 'export const add = (a, b) => a - b;\n';
const fixed = 'export const add = (a, b) => a + b;\n';

async function project(source = broken): Promise<GitRepo> {
  const repo = await gitRepo();
  await repo.write('package.json', '{"type":"module"}\n');
  await repo.write('src/add.js', source);
  await repo.write('test/add.test.js', testFile);
  await repo.write('.gitignore', 'build/\n');
  await repo.commitAll('project');
  return repo;
}

type Script = readonly { readonly run: string; readonly say?: string }[];

/** An agent that runs a shell command per iteration and always claims to be done. */
async function agentOf(repo: GitRepo, script: Script): Promise<string> {
  const file = path.join(repo.outside, 'script.yml');
  const iterations = script.map(({ run, say = '' }) => ({
    steps: [{ run }],
    final: `${say}\n<task-done>{{task-id}}</task-done>`,
  }));
  await writeFile(file, JSON.stringify({ iterations }));
  return `scripted:${file}`;
}

type Flags = Parameters<typeof openedProject>[1];

async function play(
  repo: GitRepo,
  script: Script,
  { description = '', ...flags }: Flags & { readonly description?: string } = {},
): Promise<Loop> {
  const agent = await agentOf(repo, script);
  const settings = { agent, validate, 'max-iterations': script.length, ...flags };
  await using opened = await openedProject(repo, settings);
  return await opened.runText('make it add', { description });
}

const put = (file: string, text: string) =>
  `mkdir -p ${path.dirname(file)} && printf '%s' '${text.replaceAll("'", String.raw`'\''`)}' > ${file}`;
const fix = put('src/add.js', fixed);
const weaken = `sed -i 's/, 3)/, -1)/' test/add.test.js`;

describe('a pass in the worktree', () => {
  it('completes the loop when it holds in a clean checkout with the judge of the base', async () => {
    await using repo = await project();
    const loop = await play(repo, [{ run: fix }]);
    expect(loop).toMatchObject({ status: 'complete', reason: 'verified' });
    expect(proofOf(loop)).toMatchObject({ kind: 'red-green', liftedBy: null });
    const rooms = path.join(repo.env['HOME'] ?? '', '.cache/loopwright/rooms');
    expect(await readdir(rooms)).toEqual([]);
  });

  it.each([
    ['a check that names its task completes', 'true', 'complete'],
    ['a product cannot see that a loop checks it', '[ -n "$LOOPWRIGHT_LOOP" ]', 'failed'],
  ])('%s', async (_, product, status) => {
    await using repo = await gitRepo();
    const check = path.join(repo.outside, 'product.sh');
    await writeFile(check, product);
    const flags = { agent: 'command:echo x > "$LOOPWRIGHT_TASK.txt"', 'max-iterations': 1 };
    const command = `test -f "$LOOPWRIGHT_TASK.txt" && sh '${check}'`;
    await using opened = await openedProject(repo, { ...flags, validate: command });
    const loop = await opened.runText('named by its task');
    expect(loop.status).toBe(status);
    expect(loop.iterations[0]?.report?.overall.passed).toBe(true);
  });

  it('is contradicted by the test as it was, told by name, and blocked when it comes again', async () => {
    await using repo = await project();
    const loop = await play(repo, [{ run: weaken }, { run: 'true' }]);
    expect(loop).toMatchObject({ status: 'blocked', reason: 'judge' });
    const feedback = loop.iterations[0]?.decision?.feedback ?? '';
    expect(feedback).toContain('test/add.test.js was changed (test)');
    expect(feedback).toContain('adds');
    expect(feedback).not.toMatch(/cheat|weaken/i);
    expect(proofOf(loop)).toBeNull();
  });

  it('goes on after it was told, and completes with the code fixed', async () => {
    await using repo = await project();
    const undo = `git checkout -q HEAD~1 -- test && ${fix}`;
    const loop = await play(repo, [{ run: weaken }, { run: undo }]);
    expect(loop.status).toBe('complete');
    expect(proofOf(loop)?.kind).toBe('red-green');
  });

  it.each([
    [
      'an implementation in an ignored folder',
      `${put('build/add.js', fixed)} && ${put('src/add.js', "export * from '../build/add.js';\n")}`,
    ],
    [
      'a package only the worktree has',
      `${put('node_modules/sum/index.js', fixed)} && echo node_modules >> .git/info/exclude 2>/dev/null; echo node_modules >> .gitignore; ${put('src/add.js', "export { add } from 'sum/index.js';\n")}`,
    ],
  ])('does not hold with %s', async (_what, run) => {
    await using repo = await project();
    const loop = await play(repo, [{ run }]);
    expect(loop.status).not.toBe('complete');
    expect(loop.iterations[0]?.confirmation?.verdict).toBe('refused');
  });
});

describe('changes to the judge', () => {
  it('count when the task allows them; alone they prove nothing', async () => {
    await using repo = await project();
    const loop = await play(repo, [{ run: weaken }], { description: 'Allow: test/**' });
    expect(loop.status).toBe('complete');
    expect(proofOf(loop)).toMatchObject({
      kind: 'unproven',
      why: expect.stringContaining('and no code'),
    });
  });

  it("are lifted by the agent's own word, and then the completion is unproven and lists them", async () => {
    await using repo = await project();
    const say = '<judge-changed>the task wants a difference</judge-changed>';
    const loop = await play(repo, [{ run: weaken, say }]);
    expect(loop).toMatchObject({ status: 'complete', reason: 'unproven' });
    expect(proofOf(loop)).toMatchObject({ kind: 'unproven', liftedBy: 'agent' });
    expect(proofOf(loop)?.confirmation?.changes).toMatchObject([{ path: 'test/add.test.js' }]);
  });

  it('are accepted by a person who is shown the diff; then no other agent runs', async () => {
    await using repo = await project();
    const agent = await agentOf(repo, [{ run: weaken }, { run: 'true' }]);
    const cli = memoryCli({ cwd: repo.path, env: { ...repo.env, USER: 'ada' } });
    const ran = await cli.run('run', 'make it add', '--agent', agent, '--validate', validate);
    expect(ran.exitCode).toBe(2);
    expect(`${ran.out}${ran.err}`).toContain('blocked (judge)');
    const approved = await cli.run('approve', 'last');
    expect(approved.err).toContain('-test(');
    expect(approved.err).toMatch(/\+.*-1\)/);
    expect(approved.out).toContain('is complete');
    const json = JSON.parse((await cli.run('loop', 'show', 'last', '--json')).out);
    expect(json).toMatchObject({ status: 'complete', proof: 'unproven' });
    expect(json.iterations).toHaveLength(2);
  });

  it('that only add to it do not matter', async () => {
    await using repo = await project();
    const more = put('test/more.test.js', testFile.replace('adds', 'adds more'));
    const loop = await play(repo, [{ run: `${fix} && ${more}` }]);
    expect(loop.status).toBe('complete');
    expect(proofOf(loop)?.kind).toBe('red-green');
  });
});

describe('on a green base', () => {
  const sub = put('src/sub.js', 'export const sub = (a, b) => a - b;\n');
  const subTest = put(
    'test/sub.test.js',
    testFile
      .replace('add }', 'sub }')
      .replace('add.js', 'sub.js')
      .replace('adds', 'subtracts')
      .replace('add(1, 2), 3', 'sub(3, 2), 1'),
  );

  it('a test that fails without the work is proof', async () => {
    await using repo = await project(fixed);
    const loop = await play(repo, [{ run: `${sub} && ${subTest}` }]);
    expect(loop).toMatchObject({ status: 'complete', reason: 'verified' });
    expect(proofOf(loop)?.kind).toBe('red-first');
  });

  it('work without a test is complete and unproven, and the first prompt asked for one', async () => {
    await using repo = await project(fixed);
    const loop = await play(repo, [{ run: sub }]);
    expect(loop).toMatchObject({ status: 'complete', reason: 'unproven' });
    expect(loop.text).toContain('unproven');
  });

  it('`proof: require` goes on until there is one', async () => {
    await using repo = await project(fixed);
    const loop = await play(repo, [{ run: sub }, { run: subTest }], { proof: 'require' });
    expect(loop.status).toBe('complete');
    expect(loop.iterations).toHaveLength(2);
    expect(loop.iterations[0]?.decision?.feedback).toContain('Add a test');
    expect(proofOf(loop)?.kind).toBe('red-first');
  });

  it('unproven work is not merged by itself; a person takes it', async () => {
    await using repo = await project(fixed);
    const agent = await agentOf(repo, [{ run: sub }]);
    const cli = memoryCli({ cwd: repo.path, env: { ...repo.env, USER: 'ada' } });
    const flags = ['--agent', agent, '--validate', validate, '--merge', 'local'];
    const ran = await cli.run('run', 'subtract', ...flags);
    expect(ran.exitCode).toBe(2);
    expect(`${ran.out}${ran.err}`).toContain('complete, unproven');
    const tasks = JSON.parse((await cli.run('task', 'list', '--json')).out);
    expect(JSON.stringify(tasks)).toContain('"blocked"');
    const approved = await cli.run('approve', 'last');
    expect(approved.out).toContain('complete');
    const json = JSON.parse((await cli.run('task', 'list', '--json')).out);
    expect(JSON.stringify(json)).toContain('"done"');
  });
});

describe('a check that could not run on the base', () => {
  it.each([
    ['a program behind one that is there', 'sh -c "no-such-program --all"', 'not found'],
    ['a script that is not there', 'npm run check', 'Missing script'],
    ['a rule that is not there', 'make check', 'No rule to make target'],
    ['a file that is not there', 'node check.mjs', 'check.mjs'],
  ])('blocks the loop before an agent starts: %s', async (_what, command, reason) => {
    await using repo = await project();
    await repo.write('Makefile', 'all:\n\ttrue\n');
    await repo.commitAll('makefile');
    const loop = await play(repo, [{ run: fix }], { validate: command });
    expect(loop).toMatchObject({ status: 'blocked', reason: 'setup' });
    expect(loop.text).toContain(reason);
    expect(loop.text).toContain('workspace.link');
    expect(loop.iterations).toEqual([]);
  });

  it('`allow-broken` goes on, and a pass is unproven', async () => {
    await using repo = await project();
    const run = put('check.mjs', 'process.exit(0);\n');
    const flags = { validate: 'node check.mjs', baseline: 'allow-broken' };
    const loop = await play(repo, [{ run }], flags);
    expect(loop).toMatchObject({ status: 'complete', reason: 'unproven' });
  });
});

describe('hidden checks', () => {
  it('run when a loop is confirmed, and tell the agent nothing but their name', async () => {
    await using repo = await project();
    const script = path.join(repo.outside, 'secret-check.sh');
    await writeFile(script, `echo 'the secret answer is 42'; grep -q 'a + b' src/add.js\n`);
    await repo.write('loopwright.yml', `verify: { hidden: { sums: "sh ${script}" } }\n`);
    await repo.commitAll('hidden');
    const only = put('src/add.js', 'export const add = () => 3;\n');
    const loop = await play(repo, [{ run: only }, { run: fix }]);
    expect(loop.status).toBe('complete');
    const feedback = loop.iterations[0]?.decision?.feedback ?? '';
    expect(feedback).toContain('sums');
    expect(feedback).not.toContain('42');
  });
});
