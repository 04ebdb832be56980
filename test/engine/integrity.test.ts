import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { allowViolations } from '../../src/engine/allow-violations.ts';
import { endSession, startSession } from '../../src/engine/session.ts';
import { memoryCli } from '../cli/memory-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
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

  it('completes once a person has allowed what was found, and nothing beyond it', async () => {
    await using repo = await withSuite();
    await using project = await openedProject(repo, {
      agent: cheat,
      validate,
      'max-iterations': 1,
    });
    const loop = await project.runText('fix it');
    expect(loop.status).toBe('failed');
    const session = await startSession(project.engine, 'run');
    const allowed = await allowViolations(project.engine, session, loop.id, {
      by: 'ada',
      reason: 'dropped',
    });
    await endSession(project.engine, session);
    expect(allowed.allowedViolations).toEqual(['skipped-test test/math.test.js subtracts']);
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const resumed = await cli.run('loop', 'resume', loop.id, '--max-iterations', '3');
    expect(resumed.exitCode).toBe(0);
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
  it('is run again when it fails, and marked when it flips too often', async () => {
    await using repo = await gitRepo();
    const counter = path.join(repo.outside, 'runs');
    // Every other run fails.
    const check = `echo r >> ${counter}; test "$(($(wc -l < ${counter}) % 2))" -eq 0`;
    await repo.write(
      'loopwright.yml',
      'verify: { retries-on-fail: 1, flaky: { flaky-runs: 6 } }\n',
    );
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
    expect(out).toContain('flaky: L1/validation flipped 7 times in 8 runs');
  });
});
