import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Loop } from '../../src/core/loop/loop.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

/** Red on the base, green as soon as an agent has touched `done`. */
const validation = 'validation: {command: test -f done}\n';
const touches = 'touch done; echo $LOOPWRIGHT_ITERATION >> work.txt';

async function open(repo: GitRepo, config: string, agent: string, flags = {}) {
  await repo.write('loopwright.yml', config);
  await repo.commitAll('config');
  return openedProject(repo, { agent: `command:${agent}`, ...flags });
}

const gatesOf = (loop: Loop) =>
  loop.iterations.map(({ gates = [] }) => gates.map(({ name, passed }) => `${name} ${passed}`));

/** A program on PATH of its own folder. */
async function program(repo: GitRepo, name: string, script: string): Promise<string> {
  const folder = path.join(repo.outside, 'bin');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(path.join(folder, name), 0o755);
  return folder;
}

describe('a command gate', () => {
  it('is looked at only when the checks pass, and feeds back what it says', async () => {
    await using repo = await gitRepo();
    const config = `${validation}gates: [{type: command, name: lines, command: 'echo GATE-SAYS; test "$(wc -l < work.txt)" -ge 3'}]\n`;
    const late =
      'echo x >> work.txt; test $LOOPWRIGHT_ITERATION = 1 || touch done; cat > prompt.txt';
    await using project = await open(repo, config, late);
    const loop = await project.runText('write lines');
    expect(loop).toMatchObject({ status: 'complete', reason: 'verified' });
    expect(gatesOf(loop)).toEqual([[], ['lines false'], ['lines true']]);
    expect(loop.iterations.map(({ outcome }) => outcome)).toEqual(['no_sigil', 'failed', 'done']);
    expect(loop.iterations[1]?.decision).toMatchObject({ continue: true });
    const prompt = await repo.git('show', `${loop.workspace.branch}:prompt.txt`);
    expect(prompt).toContain('GATE-SAYS');
    expect(prompt).toContain('the gate **lines** does not: exit code 1, expected 0');
  });

  it.each([
    ['stop', 'failed'],
    ['escalate', 'blocked'],
  ])('with on-failure %s leaves the loop %s, with the work kept', async (then, status) => {
    await using repo = await gitRepo();
    const config = `${validation}gates: [{type: command, command: 'false', on-failure: ${then}}]\n`;
    await using project = await open(repo, config, touches);
    const loop = await project.runText('work');
    expect(loop).toMatchObject({ status, reason: 'gate' });
    expect(loop.text).toBe('the gate command failed: exit code 1, expected 0');
  });

  it('judges the same files once with when: on-change', async () => {
    await using repo = await gitRepo();
    const count = path.join(repo.outside, 'count');
    const config = `${validation}gates: [{type: command, command: 'echo x >> ${count}; false', when: on-change}]\n`;
    await using project = await open(repo, config, 'touch done', { 'max-iterations': 3 });
    const loop = await project.runText('work');
    expect(loop.reason).toBe('max_iterations');
    expect(gatesOf(loop)).toEqual([['command false'], ['command false'], ['command false']]);
    expect(await readFile(count, 'utf8')).toBe('x\n');
  });

  it('runs the script of the base: an agent that rewrites it finds it put back', async () => {
    await using repo = await gitRepo();
    await repo.write('gate.sh', 'exit 1\n');
    const config = `${validation}gates: [{type: command, command: sh gate.sh, on-failure: stop}]\n`;
    await using project = await open(repo, config, `${touches}; echo 'exit 0' > gate.sh`);
    const loop = await project.runText('work');
    expect(loop).toMatchObject({ status: 'failed', reason: 'gate' });
    expect(loop.iterations[0]?.restored).toEqual(['gate.sh']);
  });

  it('that hangs is ended at its time and fails', async () => {
    await using repo = await gitRepo();
    const config = `${validation}gates: [{type: command, command: 'sleep 600', timeout: 1s, on-failure: stop}]\n`;
    await using project = await open(repo, config, touches);
    expect((await project.runText('work')).text).toContain('timed out after 1 s');
  });
});

const test = (name: string, body: string) =>
  `require('node:test')('${name}', () => require('node:assert').equal(${body}));`;

describe('the red-first gate', () => {
  const config = `validation: {command: 'node --test --test-reporter=tap'}\nverify: {require-claim: never}\ngates: [{type: red-first, on-failure: stop}]\n`;

  async function withTest(body: string, code: string): Promise<Loop> {
    await using repo = await gitRepo();
    await repo.write('src/app.js', 'exports.two = () => 1;\nexports.one = () => 1;\n');
    await repo.write('test/one.test.js', test('one', "require('../src/app.js').one(), 1"));
    const agent = `echo "${body}" > test/two.test.js; ${code}`;
    await using project = await open(repo, config, agent);
    return await project.runText('two is 2');
  }

  it('passes for tests that fail on the base, proven in a worktree of its own', async () => {
    const loop = await withTest(
      test('two', "require('../src/app.js').two(), 2"),
      "sed -i 's/two = () => 1/two = () => 2/' src/app.js",
    );
    expect(loop.iterations[0]?.gates?.[0]).toMatchObject({
      passed: true,
      reason: 'red on the base, green now: test/two.test.js',
      exitCode: 1,
    });
    expect(loop.status).toBe('complete');
  });

  it('fails for tests that pass without the work', async () => {
    const loop = await withTest(test('two', '2, 2'), 'true');
    expect(loop).toMatchObject({ status: 'failed', reason: 'gate' });
    expect(loop.text).toContain("the loop's tests do not fail on the base's code");
  });

  it('names a new test that passes on the base beside one that fails there', async () => {
    const both = [test('two', "require('../src/app.js').two(), 2"), test('nothing', '1, 1')];
    const loop = await withTest(
      both.join('\n'),
      "sed -i 's/two = () => 1/two = () => 2/' src/app.js",
    );
    expect(loop.text).toContain("new tests pass on the base's code too: nothing");
  });

  it('fails when no test was added and the base was green', async () => {
    const loop = await withTest(
      '// nothing',
      'git mv -f test/two.test.js a 2>/dev/null; mv test/two.test.js note.js',
    );
    expect(loop.text).toContain('no test was added');
  });
});

describe('the convergence gate', () => {
  it('asks for iterations that change nothing any more', async () => {
    await using repo = await gitRepo();
    const config = `${validation}gates: [{type: convergence, window: 2}]\n`;
    await using project = await open(repo, config, 'touch done');
    const loop = await project.runText('work');
    expect(loop.status).toBe('complete');
    expect(gatesOf(loop)).toEqual([['convergence false'], ['convergence true']]);
  });
});

const judged = (judge: string) =>
  `${validation}gates: [{type: llm-judge, agent: 'command:${judge}', criteria: be kind, on-failure: stop}]\n`;

describe('the llm-judge gate', () => {
  const line = 'grep "^VERDICT" "$LOOPWRIGHT_PROMPT_FILE"';

  it.each([
    [`${line} | grep PASS`, 'complete', null],
    [`${line} | grep FAIL`, 'failed', 'the judge says fail'],
    [line, 'failed', 'the judge says fail'],
    ['echo looks good: VERDICT PASS', 'failed', 'the judge gave no verdict'],
    [`echo "I say $(${line} | grep PASS)"`, 'failed', 'the judge gave no verdict'],
    ['exit 3', 'failed', 'the judge ended as crashed'],
  ])('%s: %s', async (judge, status, text) => {
    await using repo = await gitRepo();
    await using project = await open(repo, judged(judge), touches);
    const loop = await project.runText('work', { description: 'describe me' });
    expect(loop.status).toBe(status);
    if (text !== null) expect(loop.text).toContain(text);
    const dir = project.engine.artifacts.loopDir(loop.id);
    const prompt = await readFile(path.join(dir, 'judge-1/prompt.md'), 'utf8');
    for (const part of ['describe me', 'be kind', '+++ b/work.txt']) expect(prompt).toContain(part);
  });

  it('cannot change the work: what the judge writes is thrown away', async () => {
    await using repo = await gitRepo();
    await using project = await open(
      repo,
      judged(`echo evil > evil.txt; ${line} | grep PASS`),
      touches,
    );
    const loop = await project.runText('work');
    expect(loop.status).toBe('complete');
    const files = await repo.git('ls-tree', '--name-only', loop.workspace.branch ?? '');
    expect(files.split('\n')).not.toContain('evil.txt');
    expect(await repo.git('branch', '--list', 'loopwright/*-judge')).toBe('');
  });
});

describe('the ci gate', () => {
  const config = `${validation}gates: [{type: ci, poll-interval: 1s, timeout: 1h, on-failure: stop}]\n`;

  async function withForge(name: string, script: string): Promise<{ loop: Loop; asked: string }> {
    await using repo = await gitRepo();
    const log = path.join(repo.outside, 'asked');
    const bin = await program(repo, name, `echo "$@" >> ${log}\nn=$(wc -l < ${log})\n${script}`);
    await repo.write('loopwright.yml', config);
    await repo.commitAll('config');
    const env = { ...repo.env, PATH: `${bin}:${repo.env['PATH']}` };
    await using project = await openedProject(
      { path: repo.path, env },
      { agent: `command:${touches}` },
    );
    const loop = await project.runText('work');
    return { loop, asked: await readFile(log, 'utf8').catch(() => '') };
  }

  it('waits for the runs of the commit, looking again and again', async () => {
    const { loop, asked } = await withForge(
      'gh',
      `case $n in
1) echo '[]';;
2) echo '[{"name":"test","status":"in_progress","conclusion":null}]';;
*) echo '[{"name":"test","status":"completed","conclusion":"success"},{"name":"lint","status":"completed","conclusion":"skipped"}]';;
esac`,
    );
    expect(loop.status).toBe('complete');
    expect(loop.iterations).toHaveLength(1);
    expect(asked.trim().split('\n')).toHaveLength(3);
    expect(asked).toContain(`--commit ${loop.head}`);
  });

  it('fails with the run that failed', async () => {
    const { loop } = await withForge(
      'gh',
      `echo '[{"name":"test","status":"completed","conclusion":"failure","url":"https://ci/1"}]'`,
    );
    expect(loop.text).toBe('the gate ci failed: test: failure https://ci/1');
  });

  it('asks glab where gh does not know the repository', async () => {
    const { loop } = await withForge(
      'glab',
      `echo '[{"id":2,"status":"success"},{"id":1,"status":"failed"}]'`,
    );
    expect(loop.status).toBe('complete');
  });

  it('fails when no forge can be asked, and says so', async () => {
    const { loop } = await withForge('glab', 'echo "not signed in" >&2; exit 4');
    expect(loop.status).toBe('failed');
    expect(loop.text).toContain('glab failed: not signed in');
  });
});

describe('gates that cannot be carried out', () => {
  it('are refused before anything is spent', async () => {
    await using repo = await gitRepo();
    await using twins = await open(repo, `${validation}gates: [ci, ci]\n`, touches);
    await expect(twins.runText('x')).rejects.toMatchObject({ code: 'run.gate_names' });
    await using bare = await open(repo, `${validation}gates: [red-first]\n`, touches);
    await expect(bare.runText('x', { commit: false })).rejects.toMatchObject({
      code: 'run.needs_commits',
    });
  });
});
