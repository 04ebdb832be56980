import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fold } from '../../src/core/loop/evolve.ts';
import { summarise } from '../../src/core/loop/iteration-summary.ts';
import { parseTests } from '../../src/core/verdict/test-output/parse-tests.ts';
import { extractSummary } from '../../src/core/transcript/sigils.ts';
import { LoopDetail, loopDetail } from '../../src/protocol/loop-detail.ts';
import { memoryCli } from '../cli/memory-cli.ts';
import { readRecording } from '../support/agent-cli/recording.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';
import { runLoop } from './loop-run.ts';

const cargo =
  'test a ... ok\\ntest b ... FAILED\\n\\ntest result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out\\n';

/** Modifies, creates and deletes a file, and talks on both streams. */
const agent = [
  'cat > /dev/null',
  'echo more >> README.md',
  'echo new > created.txt',
  'rm src/app.js',
  'echo to-stderr >&2',
  'echo "working in $(pwd) with $COLOUR"',
  'printf "## Summary\\nChanged three files.\\n"',
].join('; ');

describe('an iteration', () => {
  it('keeps everything that happened in it', async () => {
    shows(
      '004.started-at',
      '004.ended-at',
      '004.keeps-prompt',
      '004.keeps-result',
      '004.has-metadata',
      '004.duration-of-ended',
      '004.status-completed',
      '004.result-exit-code',
      '004.result-stdout',
      '004.result-stderr',
      '004.result-modified',
      '004.result-created',
      '004.result-deleted',
      '004.result-tests-run',
      '004.result-tests',
      '004.result-progress',
      '004.result-summary',
      '004.result-duration',
      '004.working-dir',
      '004.env-vars',
    );
    await using run = await runLoop(
      { agent: `command:${agent}`, validate: `printf '${cargo}'; false`, 'max-iterations': 1 },
      'env: { set: { COLOUR: green } }\n',
    );
    const [iteration] = loopDetail(run.loop, []).iterations;
    expect(iteration).toMatchObject({
      number: 1,
      status: 'completed',
      exitCode: 0,
      filesModified: ['README.md'],
      filesCreated: ['created.txt'],
      filesDeleted: ['src/app.js'],
      testsRun: true,
      tests: { total: 3, passed: 1, failed: 1, skipped: 1 },
      progressDetected: true,
      summary: 'Changed three files.',
      metadata: { attempt: 1, counted: true, agent: 'done' },
    });
    const started = Date.parse(iteration?.startedAt ?? '');
    const ended = Date.parse(iteration?.endedAt ?? '');
    expect(ended - started).toBeGreaterThan(0);
    expect(Math.abs(ended - started - (iteration?.durationMs ?? 0))).toBeLessThan(1000);
    const folder = path.join(run.project.engine.artifacts.loopDir(run.loop.id), 'iterations/001');
    const kept = (name: string) => readFile(path.join(folder, name), 'utf8');
    const out = await kept('stdout.log');
    expect(out).toContain(`working in ${run.loop.workspace.path} with green\n## Summary`);
    expect(await kept('stderr.log')).toBe('to-stderr\n');
    expect(await kept('prompt.md')).toContain('**Title:** do it');
  });

  it('goes from status to status as the loop does', async () => {
    shows(
      '004.has-status',
      '004.snapshot-before',
      '004.status-pending',
      '004.status-pre-hooks',
      '004.status-executing',
      '004.pre-hooks',
      '004.post-hooks',
    );
    await using run = await runLoop(
      {
        agent: 'command:cp "$HOME/order" order; echo agent >> "$HOME/order"',
        validate: 'test -f order',
      },
      'hooks:\n  pre-iteration: [\'echo pre >> "$HOME/order"\']\n  post-iteration: [\'echo post >> "$HOME/order"\']\nenv: { pass: [HOME] }\n',
    );
    expect(run.loop.status).toBe('complete');
    const events = await run.project.engine.store.read((tx) =>
      tx.loops.events(run.loop.id, 0, 1000),
    );
    const at = (type: string) => events.findIndex(({ event }) => event.type === type);
    const started = events[at('iteration.started')]?.event;
    expect(started).toMatchObject({ startTree: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect(at('iteration.started')).toBeLessThan(at('agent.started'));
    const statuses = events.flatMap((_event, index) => {
      const status = fold(events.slice(0, index + 1))?.iterations[0]?.status;
      return status === undefined ? [] : [status];
    });
    const order = statuses.filter((status, index) => status !== statuses[index - 1]);
    expect(order.filter((status) => status !== 'post_hooks')).toEqual([
      'pending',
      'pre_hooks',
      'executing',
      'verifying',
      'completed',
    ]);
    const home = run.repo.env['HOME'] ?? '';
    expect(await readFile(path.join(home, 'order'), 'utf8')).toBe('pre\nagent\npost\n');
  });

  it('that times out says so, with its limit', async () => {
    shows('004.status-timed-out', '004.ends-in-time', '004.timeout-told');
    await using run = await runLoop({
      agent: 'command:sleep 300',
      validate: 'false',
      'iteration-timeout': '500ms',
      'max-iterations': 1,
    });
    const [iteration] = loopDetail(run.loop, []).iterations;
    expect(iteration).toMatchObject({ number: 1, status: 'timed_out' });
    expect(String(iteration?.metadata['evidence'])).toContain('500ms');
    expect(iteration?.durationMs).toBeLessThan(60_000);
  });

  it('that breaks keeps its error', async () => {
    shows('004.status-failed', '004.fail-keeps-error');
    await using run = await runLoop({
      agent: 'command:echo "no such model" >&2; exit 3',
      validate: 'false',
      'max-iterations': 1,
    });
    const [iteration] = loopDetail(run.loop, []).iterations;
    expect(iteration).toMatchObject({ status: 'failed', exitCode: 3 });
    expect(JSON.stringify(iteration?.metadata)).toContain('no such model');
  });

  it('knows how full the context was', async () => {
    shows('004.result-context');
    await using repo = await gitRepo();
    const { lines } = readRecording('claude', 'ok');
    const stream = path.join(repo.outside, 'stream.jsonl');
    const used = lines.map((line) =>
      line.replaceAll(/"input_tokens":\d+/g, '"input_tokens":50000'),
    );
    await writeFile(stream, `${used.join('\n')}\n`);
    await repo.write(
      'loopwright.yml',
      `agents: { recorded: { command: "cat ${stream}; echo x > n.txt", format: claude-stream } }\n`,
    );
    await repo.commitAll('configuration');
    await using project = await openedProject(repo, {
      agent: 'recorded',
      validate: 'test -f n.txt',
    });
    const [iteration] = loopDetail(await project.runText('do it'), []).iterations;
    expect(iteration?.contextPercent).toBe(5);
  });

  it('has no test counts when parsing is off', async () => {
    shows('004.parse-tests-off');
    await using run = await runLoop(
      {
        agent: 'command:echo x > n.txt',
        validate: `printf '${cargo}'; false`,
        'max-iterations': 1,
      },
      'verify: { parse-tests: false }\n',
    );
    expect(loopDetail(run.loop, []).iterations[0]).toMatchObject({ testsRun: false, tests: null });
  });
});

describe('Claude Code', () => {
  it('is started without a terminal, with a stream of events, and the prompt on its stdin', async () => {
    shows('004.claude-arguments', '004.prompt-sent');
    await using repo = await gitRepo();
    const bin = path.join(repo.outside, 'bin');
    const { lines } = readRecording('claude', 'ok');
    await mkdir(bin);
    await writeFile(path.join(repo.outside, 'stream.jsonl'), `${lines.join('\n')}\n`);
    await writeFile(
      path.join(bin, 'claude'),
      `#!/bin/sh
case "$*" in *--version*) echo "2.0.0 (Claude Code)"; exit 0;; esac
printf '%s\n' "$@" > '${repo.outside}/argv'
cat > '${repo.outside}/stdin'
echo x > n.txt
cat '${repo.outside}/stream.jsonl'
`,
    );
    await chmod(path.join(bin, 'claude'), 0o755);
    const env = { ...repo.env, PATH: `${bin}:${repo.env['PATH']}` };
    await using project = await openedProject(
      { path: repo.path, env },
      { agent: 'claude', validate: 'test -f n.txt' },
    );
    const loop = await project.runText('greet the world');
    expect(loop.status).toBe('complete');
    const given = await readFile(path.join(repo.outside, 'argv'), 'utf8');
    const argv = given.split('\n');
    expect(argv).toContain('-p');
    expect(argv[argv.indexOf('--output-format') + 1]).toBe('stream-json');
    expect(given).not.toContain('greet the world');
    expect(await readFile(path.join(repo.outside, 'stdin'), 'utf8')).toContain(
      '**Title:** greet the world',
    );
  });
});

describe('a summary', () => {
  it('begins at a heading or label, has five lines at most, and is never empty', () => {
    shows('004.summary-markers', '004.summary-five-lines', '004.summary-empty');
    for (const marker of ['## Summary', '### Summary', 'Summary:']) {
      expect(extractSummary(`Text.\n${marker}\none\ntwo`)).toBe('one\ntwo');
      expect(extractSummary(`${marker}\n1\n2\n3\n4\n5\n6`)).toBe('1\n2\n3\n4\n5');
      expect(extractSummary(`${marker}\n\n`)).toBeNull();
    }
    expect(extractSummary('## Summary\n\n### Summary\nthe second')).toBe('the second');
  });
});

describe('the iterations of a loop', () => {
  it('are all there for another process, by number and newest last', async () => {
    shows(
      '004.history-last',
      '004.history-by-number',
      '004.history-filter',
      '004.history-limit',
      '004.history-persist',
      '004.history-json-file',
      '004.number-unique',
    );
    await using run = await runLoop({
      agent: 'command:echo x >> n.txt',
      validate: 'echo "$(wc -l < n.txt)"; false',
      'max-iterations': 7,
      'no-progress-limit': 0,
    });
    await run.project[Symbol.asyncDispose]();
    const cli = memoryCli({ cwd: run.repo.path, env: run.repo.env });
    const { out } = await cli.run('loop', 'show', run.loop.id, '--json');
    const detail = LoopDetail().parse(JSON.parse(out));
    expect(detail.iterations.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(detail.iterations.every(({ status }) => status === 'completed')).toBe(true);
    const one = await cli.run('loop', 'explain', run.loop.id, '--json');
    expect(JSON.parse(one.out).iterations[2]).toMatchObject({ number: 3 });
  });
});

/** The scores of the checks of an iteration whose validation does this once there is work. */
async function scores(validate: string): Promise<Readonly<Record<string, number>>> {
  await using run = await runLoop({
    agent: 'command:echo x > n.txt',
    validate: `test -f n.txt || exit 1; ${validate}`,
    'max-iterations': 1,
  });
  return summarise(run.loop.iterations[0]!).checkScores;
}

describe('test output', () => {
  it.each([
    ['cargo', 'test result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out'],
    ['jest', 'Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 skipped, 3 passed, 6 total'],
    ['pytest', '=========== 3 passed, 1 failed, 2 skipped in 0.12s ==========='],
  ])('of %s gives its numbers', (framework, line) => {
    shows('004.parses-zeros');
    const { total, passed, failed, skipped } = parseTests(`${line}\n`);
    expect([framework, total, passed, failed, skipped]).toEqual([framework, 6, 3, 1, 2]);
  });

  it('of no runner gives nothing', () => {
    shows('004.parses-nothing');
    expect(parseTests('compiled 3 files, 1 passed by\n')).toMatchObject({
      framework: null,
      total: 0,
      unknown: true,
    });
  });

  it('gives a check the share of its tests as its score, and none without tests', async () => {
    shows('004.tests-success-rate');
    expect(await scores(`printf '${cargo}'; false`)).toEqual({ 'L1/validation': 1 / 3 });
    expect(await scores(String.raw`printf 'TAP version 13\n1..0\n'`)).toEqual({});
  });

  it('has details of each test', () => {
    shows('004.tests-details');
    const xml = `<testsuite name="s" tests="3" failures="1" skipped="1">
<testcase classname="s" name="a" time="0.25"/>
<testcase classname="s" name="b"><failure message="1 is not 2"/></testcase>
<testcase classname="s" name="c"><skipped/></testcase>
</testsuite>`;
    const tests = parseTests(xml).tests.map(({ name, status }) => `${name.at(-1)} ${status}`);
    expect(tests).toEqual(['a passed', 'b failed', 'c skipped']);
    const [first, second] = parseTests(xml).tests;
    expect(first?.durationMs).toBe(250);
    expect(second?.error).toContain('1 is not 2');
  });
});
