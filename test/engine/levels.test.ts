import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { matchesPattern } from '../../src/engine/time-box.ts';
import { allChecks } from '../../src/core/verdict/report.ts';
import type { Loop } from '../../src/core/loop/loop.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

async function runWith(repo: GitRepo, config: string, agent: string, flags = {}): Promise<Loop> {
  await repo.write('loopwright.yml', config);
  await repo.commitAll('config');
  await using project = await openedProject(repo, { agent: `command:${agent}`, ...flags });
  return await project.runText('do the work');
}

const verdicts = (loop: Loop, number: number) => {
  const report = loop.iterations[number - 1]?.report;
  if (!report) return null;
  return Object.fromEntries(
    allChecks(report).map(({ level, check }) => [`${level}/${check.name}`, check.passed]),
  );
};

describe('levels', () => {
  it('run in order, stop at the first that fails, and judge only what the loop added or changed', async () => {
    await using repo = await gitRepo();
    await repo.write('.env', 'old secret of the base');
    await repo.write('.gitignore', '*.key\n');
    const config = `
validation: {command: "echo judged >> ../judged-$LOOPWRIGHT_ITERATION; test -f done"}
verify:
  contracts:
    required: [docs/plan.md]
    rules: [{rule: has_field, file: data.json, field: a.b}]
    naming: [{files: "src/**", pattern: "^[a-z]+\\\\.js$"}]
  fixtures:
    - {name: greets, command: cat, stdin: hello, expect: {contains: hello, exit_code: 0}}
`;
    const agent = [
      'echo ignored > private.key',
      'mkdir -p docs; touch docs/plan.md',
      'case $LOOPWRIGHT_ITERATION in',
      '1) echo "{}" > data.json; echo x > src/Bad.js; echo s > credentials.json;;',
      '2) echo "a: {b: 1}" > data.json; rm src/Bad.js credentials.json;;',
      '3) touch done; echo "debugger;" > src/last.js;;',
      'esac',
    ].join('\n');
    const loop = await runWith(repo, config, agent);
    expect(loop).toMatchObject({ status: 'complete', baseline: { state: 'red' } });
    expect(verdicts(loop, 1)).toEqual({
      'L0/required-files': true,
      'L0/forbidden-files': false,
      'L0/naming': false,
      'L0/rule-1': false,
    });
    expect(verdicts(loop, 2)).toMatchObject({ 'L0/rule-1': true, 'L1/validation': false });
    expect(verdicts(loop, 2)).not.toHaveProperty('L2/greets');
    expect(verdicts(loop, 3)).toEqual({
      'L0/required-files': true,
      'L0/forbidden-files': true,
      'L0/naming': true,
      'L0/rule-1': true,
      'L1/validation': true,
      'L2/greets': true,
      'L3/file-size': true,
      'L3/debug-leftovers': null,
      'L3/todo': true,
      'L3/temporary-files': true,
    });
    // The base has a file missing and still ran its commands.
    expect(
      allChecks(loop.baseline!.report!).map(({ check }) => [check.name, check.passed]),
    ).toEqual([
      ['required-files', false],
      ['validation', false],
      ['greets', true],
    ]);
    expect(loop.iterations[0]?.decision?.feedback).toContain('**L0/forbidden-files** failed');
    expect(loop.iterations[0]?.decision?.feedback).toContain('credentials.json');
  });

  it('keep evidence, hash, commit and environment of every check', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'loopwright.yml',
      'validation: {command: "echo out; echo err >&2; test -f a"}',
    );
    await repo.commitAll('config');
    await using project = await openedProject(repo, { agent: 'command:touch a' });
    const loop = await project.runText('touch a');
    const report = loop.iterations[0]!.report!;
    expect(report.commit).toBe(loop.head);
    expect(report.environment).toMatchObject({ version: '0.0.0-test', cleanRoom: false });
    expect(report.environment?.variables).toContain('PATH');
    const dir = await project.engine.artifacts.iterationDir(loop.id, 1);
    for (const { check } of allChecks(report)) {
      expect(check.outputHash).toMatch(/^[0-9a-f]{64}$/);
      await readFile(path.join(dir, check.evidence ?? ''), 'utf8');
    }
  });

  it('run a failing fixture again when asked, and tell of it', async () => {
    await using repo = await gitRepo();
    const counter = path.join(repo.outside, 'runs');
    const config = `
validation: {command: test -f done}
verify:
  retries-on-fail: 1
  fixtures: [{name: moody, command: 'echo r >> ${counter}; test "$(($(wc -l < ${counter}) % 2))" -eq 0', expect: {exit_code: 0}}]
`;
    const loop = await runWith(repo, config, 'touch done');
    expect(loop.status).toBe('complete');
    expect(loop.iterations[0]?.report?.levels.L2?.checks).toMatchObject([
      { name: 'moody', passed: true, earlierRuns: [false] },
    ]);
  });

  it('never take a schema or expected output from the worktree', async () => {
    await using repo = await gitRepo();
    await repo.write('expected.txt', 'right\n');
    await repo.write('schema.json', '{"type": "object", "required": ["id"]}');
    const config = `
validation: {command: "true"}
verify:
  contracts: {rules: [{rule: json_schema, file: data.json, schema: schema.json}]}
  fixtures: [{name: says, command: cat said.txt, expect: {equals_file: expected.txt}}]
`;
    const agent = [
      'echo wrong | tee said.txt expected.txt',
      'echo "{}" | tee data.json schema.json',
      'test $LOOPWRIGHT_ITERATION = 1 || echo "{\\"id\\": 1}" > data.json',
    ].join('\n');
    const loop = await runWith(repo, config, agent, { 'max-iterations': 2 });
    expect(verdicts(loop, 1)).toMatchObject({ 'L0/rule-1': false });
    expect(verdicts(loop, 2)).toMatchObject({ 'L0/rule-1': true, 'L2/says': false });
    expect(loop.status).toBe('failed');
  });

  it('end a fixture that hangs with all it started, as a failed check', async () => {
    await using repo = await gitRepo();
    const config = `
validation: {command: "true"}
verify: {fixtures: [{name: hangs, command: "sleep 600 & wait", timeout: 1s, expect: {exit_code: 0}}]}
`;
    const loop = await runWith(repo, config, 'echo x > y', { 'max-iterations': 1 });
    expect(loop.iterations[0]?.report?.levels.L2?.checks[0]).toMatchObject({
      passed: false,
      reason: 'timed out after 1 s',
    });
  });
});

describe('a look that finds nothing', () => {
  it('is no pass by itself: a runner without tests stays unproven', async () => {
    await using repo = await gitRepo();
    const validate = 'printf "TAP version 13\\n1..0\\n# tests 0\\n# pass 0\\n# fail 0\\n"';
    const config = `validation: {command: ${JSON.stringify(validate)}}\nverify: {require-claim: never}\n`;
    const loop = await runWith(repo, config, 'echo x > y', { 'max-iterations': 1 });
    expect(verdicts(loop, 1)).toMatchObject({ 'L0/forbidden-files': true, 'L1/validation': null });
    expect(loop.status).toBe('failed');
  });
});

describe('a clean room', () => {
  it('judges the commit alone: ignored files, the home and odd variables do not help', async () => {
    await using repo = await gitRepo();
    await repo.write('.gitignore', 'cheat\n');
    await repo.write(
      'loopwright.yml',
      `validation: {command: 'test -f cheat && exit 9; test -z "$SPECIAL" || exit 8; test -z "$(ls -A "$HOME")" || exit 7; git symbolic-ref -q HEAD && exit 6; test -f real'}
verify: {clean-room: true}
env: {pass: ["SPEC*"]}
`,
    );
    await repo.commitAll('config');
    const env = { ...repo.env, SPECIAL: 'x' };
    const agent = 'command:touch cheat; test $LOOPWRIGHT_ITERATION = 1 || touch real; echo x >> y';
    await using project = await openedProject({ path: repo.path, env }, { agent });
    const loop = await project.runText('work');
    expect(loop.iterations.map(({ report }) => report?.levels.L1?.checks[0]?.exitCode)).toEqual([
      1, 0,
    ]);
    expect(loop.status).toBe('complete');
    expect(loop.iterations[1]?.report?.environment?.cleanRoom).toBe(true);
    expect(await repo.git('worktree', 'list')).not.toContain('-clean');
    expect(await repo.git('branch', '--list', 'loopwright/*-clean')).toBe('');
  });

  it('is refused where there are no commits to make it from', async () => {
    await using repo = await gitRepo();
    const config = 'validation: {command: "true"}\nverify: {clean-room: true}\n';
    await repo.write('loopwright.yml', config);
    await using project = await openedProject(repo, { agent: 'command:true' });
    await expect(project.runText('x', { commit: false })).rejects.toMatchObject({
      code: 'run.needs_commits',
    });
  });
});

describe("a user's pattern", () => {
  it('that backtracks without end is ended and matches nothing', () => {
    expect(matchesPattern('(a+)+$', `${'a'.repeat(40)}!`)).toBeNull();
    expect(matchesPattern('(a+)+$', 'aaa')).toBe(true);
  });
});
