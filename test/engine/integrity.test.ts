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

const skips = `command:sed -i "s/test('subtracts'/test.skip('subtracts'/" test/math.test.js; echo x >> work.txt`;
const validate = 'node --test test/*.test.js';

describe('an agent that changes what judges it', () => {
  it('is shown at one glance by run and by loop explain', async () => {
    await using repo = await withSuite();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const ran = await cli.run(
      'run',
      'fix it',
      '--agent',
      skips,
      '--validate',
      validate,
      '--max-iterations',
      '1',
    );
    expect(ran.exitCode).not.toBe(0);
    const told = `${ran.out}${ran.err}`.split('\n').map((line) => line.trim());
    expect(told.filter((line) => /^judge +✗ integrity failed/.test(line))).toHaveLength(1);
    expect(told.join('\n')).toContain('the test "subtracts" ran on the base and is skipped now');
    const { out } = await cli.run('loop', 'explain', 'last');
    expect(out).toContain('What judges the work was changed in iteration 1');
    expect(out).toMatch(/judge +the test "subtracts" ran on the base and is skipped now/);
    const json = JSON.parse((await cli.run('loop', 'explain', 'last', '--json')).out);
    expect(json.iterations[0].violations).toMatchObject([
      { kind: 'skipped-test', subject: 'subtracts' },
    ]);
    const receipt = await cli.run('receipt', 'show', 'last');
    expect(receipt.out).toMatch(
      /✗ L1\/integrity · sha256 [0-9a-f]{16} .*\n +the test "subtracts" ran on the base/,
    );
  });

  it('gets no score for it, and is told first', async () => {
    await using repo = await withSuite();
    await using project = await openedProject(repo, {
      agent: skips,
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
    const ran = await cli.run('run', 'fix it', '--agent', skips, ...limit);
    expect(ran.exitCode).toBe(1);
    expect(ran.out).toMatch(/loopwright approve loop-\w+ +accept what integrity found/);
    const approved = await cli.run('approve', 'last', '--note', 'it was never right');
    expect(approved).toMatchObject({ exitCode: 0 });
    // One yes, to what is shown: the confirmation that follows asks for no second one.
    expect(approved.err).toContain("+test.skip('subtracts'");
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
  ])('is said when it %s; the test as it was still fails', async (_name, more, isOnly) => {
    await using repo = await withSuite();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const agent = `command:sed -i 's/2 + 1, 1/2 + 1, 3/' test/math.test.js${more}`;
    const limit = ['--validate', validate, '--max-iterations', '1'];
    const ran = await cli.run('run', 'fix it', '--agent', agent, ...limit);
    expect(ran.exitCode).toBe(2);
    expect(`${ran.out}${ran.err}`).toContain('test/math.test.js was changed (test)');
    const approved = await cli.run('approve', 'last');
    expect(approved.out).toContain('is complete');
    const shown = JSON.parse((await cli.run('loop', 'show', 'last', '--json')).out);
    expect(shown.proof).toBe(isOnly ? 'unproven' : 'red-green');
    const json = JSON.parse((await cli.run('loop', 'explain', 'last', '--json')).out);
    expect(json.onlyTestsChanged).toEqual(isOnly ? ['test/math.test.js'] : []);
  });

  it('stays caught by what nobody has approved', async () => {
    await using repo = await withSuite();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const empties = `if [ $LOOPWRIGHT_ITERATION = 1 ]; then ${skips.slice('command:'.length)}; else sed -i "s/test('adds'/test.skip('adds'/" test/math.test.js; fi`;
    await repo.write(
      'loopwright.yml',
      'validation: { commands: { extra: { command: "false" } } }\n',
    );
    await repo.commitAll('another check');
    const limit = ['--validate', validate, '--max-iterations', '1'];
    await cli.run('run', 'fix it', '--agent', `command:${empties}`, ...limit);
    const approved = await cli.run('approve', 'last');
    // The other check still fails, so that the loop ends as before.
    expect(approved.out).toContain('failed');
    await cli.run('loop', 'resume', 'last', '--max-iterations', '2');
    const json = JSON.parse((await cli.run('loop', 'explain', 'last', '--json')).out);
    expect(json.iterations[0].violations).toEqual([]);
    expect(json.iterations[1].violations).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'skipped-test', subject: 'adds' })]),
    );
  });

  it('cannot hide it behind hundreds of files of its own', async () => {
    await using repo = await withSuite();
    const many = `mkdir a; for i in $(seq 1 220); do echo "// $i" > a/$i.test.js; done; ${skips.slice('command:'.length)}`;
    await using project = await openedProject(repo, {
      agent: `command:${many}`,
      validate,
      'max-iterations': 1,
    });
    const loop = await project.runText('fix it');
    expect(loop.iterations[0]?.report?.levels.L1?.checks.at(-1)?.violations).toMatchObject([
      { kind: 'skipped-test', subject: 'subtracts' },
    ]);
  });

  it('only warns with `integrity: warn`; the judge of the base still counts', async () => {
    await using repo = await withSuite();
    await using project = await openedProject(repo, {
      agent: skips,
      validate,
      integrity: 'warn',
      'max-iterations': 1,
    });
    const loop = await project.runText('fix it');
    expect(loop).toMatchObject({ status: 'blocked', reason: 'judge' });
    expect(loop.iterations[0]?.confirmation).toMatchObject({ verdict: 'contradicted' });
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
