import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryCli } from '../cli/memory-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { storeViolations } from '../support/invariants.ts';
import { openedProject } from '../support/opened-project.ts';

const suite = `import assert from 'node:assert/strict';
import { test } from 'node:test';

test('adds', () => {
  assert.equal(1 + 1, 2);
});

test('subtracts', () => {
  assert.equal(2 + 1, 1);
});
`;

async function withSuite(): Promise<GitRepo> {
  const repo = await gitRepo();
  await repo.write('test/math.test.js', suite);
  await repo.commitAll('suite');
  return repo;
}

const cheat = `command:sed -i "s/test('subtracts'/test.skip('subtracts'/" test/math.test.js; echo x >> work.txt`;
const validate = 'node --test test/*.test.js';
const warnings = (text: string) => text.split('only tests changed, no code did').length - 1;

describe('an agent that cheats', () => {
  it('is shown at one glance by run and by loop explain', async () => {
    await using repo = await withSuite();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const ran = await cli.run(
      'run',
      'fix it',
      '--agent',
      cheat,
      '--validate',
      validate,
      '--max-iterations',
      '1',
    );
    expect(ran.exitCode).not.toBe(0);
    const told = `${ran.out}${ran.err}`.split('\n').map((line) => line.trim());
    expect(told.filter((line) => line.startsWith('cheat'))).toHaveLength(1);
    expect(told.join('\n')).toContain('WEAKENED');
    expect(told.join('\n')).toMatch(
      /the test "subtracts" is marked as skipped.*test\/math\.test\.js/,
    );
    const { out } = await cli.run('loop', 'explain', 'last');
    expect(out).toContain('CHEAT: what judges the work was changed in iteration 1');
    expect(out).toMatch(/cheat +the test "subtracts" is marked as skipped/);
    const json = JSON.parse((await cli.run('loop', 'explain', 'last', '--json')).out);
    expect(json.iterations[0].violations).toMatchObject([
      { kind: 'skipped-test', subject: 'subtracts' },
    ]);
    const receipt = await cli.run('receipt', 'show', 'last');
    expect(receipt.out).toMatch(
      /✗ L1\/integrity · sha256 [0-9a-f]{16} .*\n +the test "subtracts" is marked/,
    );
  });

  it('gets no score for it, and is told first', async () => {
    await using repo = await withSuite();
    await using project = await openedProject(repo, {
      agent: cheat,
      validate,
      'max-iterations': 1,
    });
    const [iteration] = (await project.runText('fix it')).iterations;
    expect(iteration?.decision?.inputs.progress).toMatchObject({ level: 0, bestLevel: 0.5 });
    expect(iteration?.decision?.feedback).toMatch(/^.*\n\n\*\*L1\/integrity\*\* failed/);
  });

  it('completes without another agent once a person has approved what was found', async () => {
    await using repo = await withSuite();
    const cli = memoryCli({ cwd: repo.path, env: { ...repo.env, USER: 'ada' } });
    const limit = ['--validate', validate, '--max-iterations', '1'];
    const ran = await cli.run('run', 'fix it', '--agent', cheat, ...limit);
    expect(ran.exitCode).toBe(1);
    expect(ran.out).toMatch(/loopwright approve loop-\w+ +accept what integrity found/);
    const approved = await cli.run('approve', 'last', '--note', 'it was never right');
    expect(approved).toMatchObject({ exitCode: 0 });
    expect(approved.out).toContain('is complete');
    const shown = JSON.parse((await cli.run('loop', 'show', 'last', '--json')).out);
    expect(shown).toMatchObject({ status: 'complete', iterations: [{ outcome: 'done' }] });
    const { out } = await cli.run('loop', 'explain', 'last');
    expect(out).toContain('integrity skipped (accepted by a person: the test "subtracts"');
    const top = out.split('iteration 1')[0];
    expect(top).toContain('ACCEPTED: 1 finding of integrity by ada: it was never right');
    const json = JSON.parse((await cli.run('loop', 'explain', 'last', '--json')).out);
    expect(json.accepted).toEqual([{ by: 'ada', reason: 'it was never right', findings: 1 }]);
    const log = await cli.run('logs', 'last');
    expect(log.out).toContain('ada accepts 1 finding of integrity: it was never right');
    const receipt = await cli.run('receipt', 'verify', 'last');
    expect(receipt).toMatchObject({ exitCode: 0 });
    expect(await storeViolations(repo)).toEqual([]);
  });

  it.each([
    ['changed a test and nothing else', '', true],
    ['changed code as well', '; echo x >> work.txt', false],
  ])('is warned of when it %s', async (_name, more, isWarned) => {
    await using repo = await withSuite();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const agent = `command:sed -i 's/2 + 1, 1/2 + 1, 3/' test/math.test.js${more}`;
    const limit = ['--validate', validate, '--max-iterations', '1'];
    const ran = await cli.run('run', 'fix it', '--agent', agent, ...limit);
    expect(ran.exitCode).toBe(0);
    // Once in the story, once in the summary.
    expect(warnings(`${ran.out}${ran.err}`)).toBe(isWarned ? 2 : 0);
    const { out } = await cli.run('loop', 'explain', 'last');
    expect(warnings(out)).toBe(isWarned ? 1 : 0);
    const json = JSON.parse((await cli.run('loop', 'explain', 'last', '--json')).out);
    expect(json.onlyTestsChanged).toEqual(isWarned ? ['test/math.test.js'] : []);
  });

  it('stays caught by what nobody has approved', async () => {
    await using repo = await withSuite();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const empties = `if [ $LOOPWRIGHT_ITERATION = 1 ]; then ${cheat.slice('command:'.length)}; else rm test/math.test.js; echo "test('ok', () => {})" > test/b.test.js; fi`;
    const limit = ['--validate', `${validate}; false`, '--max-iterations', '1'];
    await cli.run('run', 'fix it', '--agent', `command:${empties}`, ...limit);
    const approved = await cli.run('approve', 'last');
    // The command still fails, so that the loop ends as before.
    expect(approved.out).toContain('failed');
    await cli.run('loop', 'resume', 'last', '--max-iterations', '2');
    const json = JSON.parse((await cli.run('loop', 'explain', 'last', '--json')).out);
    expect(json.iterations[0].violations).toEqual([]);
    expect(json.iterations[1].violations).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'removed-test', subject: 'adds' })]),
    );
  });

  it('cannot hide it behind hundreds of files of its own', async () => {
    await using repo = await withSuite();
    const many = `mkdir a; for i in $(seq 1 220); do echo "// $i" > a/$i.test.js; done; ${cheat.slice('command:'.length)}`;
    await using project = await openedProject(repo, {
      agent: `command:${many}`,
      validate,
      'max-iterations': 1,
    });
    const loop = await project.runText('fix it');
    expect(loop.iterations[0]?.report?.levels.L1?.checks.at(-1)?.violations).toMatchObject([
      { kind: 'skipped-test', subject: 'subtracts', file: 'test/math.test.js' },
    ]);
  });

  it('only warns with `integrity: warn`', async () => {
    await using repo = await withSuite();
    await using project = await openedProject(repo, { agent: cheat, validate, integrity: 'warn' });
    const loop = await project.runText('fix it');
    expect(loop.status).toBe('complete');
    const checks = loop.iterations[0]?.report?.levels.L1?.checks ?? [];
    expect(checks.map(({ name, passed }) => [name, passed])).toEqual([
      ['validation', true],
      ['integrity', null],
    ]);
  });
});

describe('feedback', () => {
  it('is in exactly one prompt, once', async () => {
    await using repo = await gitRepo();
    const agent = `command:cat "$LOOPWRIGHT_PROMPT_FILE" > ${repo.outside}/$LOOPWRIGHT_ITERATION.md; echo x >> n.txt`;
    const counter = path.join(repo.outside, 'runs');
    const said = 'broken-by-the-first-iteration';
    // Green on the base, red after the first iteration, then green.
    const fails = `echo r >> ${counter}; test "$(wc -l < ${counter})" -ne 2 || { echo ${said}; exit 1; }`;
    await using project = await openedProject(repo, {
      agent,
      validate: fails,
      'max-iterations': 3,
    });
    await project.runText('listen');
    const counts = await Promise.all(
      [1, 2, 3].map(async (number) => {
        const prompt = await readFile(path.join(repo.outside, `${number}.md`), 'utf8');
        const block = prompt.split('These are results of checks').length - 1;
        return [block, prompt.split(`\n${said}\n`).length - 1];
      }),
    );
    expect(counts.map(([block]) => block)).toEqual([0, 1, 0]);
    expect(counts[1]?.[1]).toBeGreaterThanOrEqual(1);
  });

  it('names tests that broke and that were fixed', async () => {
    await using repo = await withSuite();
    const agent = `command:sed -i -e 's/2 + 1, 1/2 - 1, 1/' -e 's/1 + 1, 2/1 + 1, 3/' test/math.test.js`;
    await using project = await openedProject(repo, { agent, validate, 'max-iterations': 1 });
    const feedback = (await project.runText('swap')).iterations[0]?.decision?.feedback ?? '';
    expect(feedback).toContain('Newly broken tests: `adds`');
    expect(feedback).toContain('Newly fixed tests: `subtracts`');
  });
});

describe('a flaky check', () => {
  it('is run again when it fails, and marked when it says two things of the same files', async () => {
    await using repo = await gitRepo();
    const counter = path.join(repo.outside, 'runs');
    // Every other run fails.
    const check = `echo r >> ${counter}; test "$(($(wc -l < ${counter}) % 2))" -eq 0`;
    await repo.write('loopwright.yml', 'verify: { retries-on-fail: 1 }\n');
    await repo.commitAll('config');
    await using project = await openedProject(repo, {
      agent: 'command:echo x >> work.txt',
      validate: check,
      'max-iterations': 3,
    });
    const loop = await project.runText('flip');
    const runs = loop.iterations.map(({ report }) => report?.levels.L1?.checks[0]);
    expect(runs.map((each) => [each?.earlierRuns, each?.passed])).toEqual(
      Array.from({ length: 3 }, () => [[false], true]),
    );
    const { out } = await memoryCli({ cwd: repo.path, env: repo.env }).run(
      'loop',
      'explain',
      'last',
    );
    expect(out).toContain('flaky: L1/validation passed 1 of 2 times on the same files');
  });
});
