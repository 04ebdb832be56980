import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { realCliThrough } from '../cli/real-cli.ts';
import { eventually, processesWith } from '../support/invariants.ts';
import { sampleOf } from './sample.ts';
import { scenario, type Scenario } from './scenario.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
const text = 'count to three';
const tracer = 'strace';
const noTracer = whyNoTracer();

/** Calls of SQLite on its log and its file that fail from the N-th one on. */
const broken = ['state.db-wal', 'state.db'].flatMap((file) =>
  ['EIO', 'EROFS', 'ENOSPC'].flatMap((error) =>
    ['pwrite64', 'fsync', 'fdatasync'].flatMap((call) =>
      [1, 9, 40].map((nth) => ({ file, error, call, nth })),
    ),
  ),
);

describe.skipIf(noTracer !== null)(
  `a failing disk${noTracer === null ? '' : ` (${noTracer})`}`,
  () => {
    it.concurrent.each(isFull ? broken : sampleOf(broken, 3))(
      'is told and nothing false is stored: $error from $call $nth of $file on',
      async ({ file, error, call, nth }) => {
        await using project = await scenario();
        const { repo, env } = project;
        const target = path.join(repo.path, '.loopwright', file);
        const trace = ['-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', '-P', target];
        const inject = `inject=${call}:error=${error}:when=${nth}+`;
        const traced = await realCliThrough(
          (line) => [tracer, ...trace, '-e', `trace=${call}`, '-e', inject, '--', ...line],
          repo.path,
          env,
          ['run', text],
        ).ended;
        // A call that is never made does not fail: then the loop is simply done.
        if (traced.exitCode !== 0) {
          expect(traced.err).toMatch(/error: .+/);
          expect(traced.err).not.toMatch(/\n\s+at /);
          expect(traced.err + traced.out).not.toMatch(/is complete/);
        }
        await finish(project);
        expect(await project.violations()).toEqual([]);
      },
      180_000,
    );
  },
);

describe('a store that is taken away during a run', () => {
  it.concurrent.each([
    ['deleted', (file: string) => `rm '${file}' '${file}-wal' '${file}-shm'`],
    ['replaced', (file: string) => `cp '${file}' '${file}.new' && mv '${file}.new' '${file}'`],
  ])(
    'is noticed while the agent works, which is ended: %s',
    async (_, fault) => {
      await using project = await scenario();
      const file = path.join(project.repo.path, '.loopwright/state.db');
      const safe = path.join(project.repo.outside, 'state.db');
      await inSecondIteration(project, `cp '${file}' '${safe}'; ${fault(file)}; exec sleep 300`);
      const program = path.join(import.meta.dirname, 'programs/run.ts');
      const child = spawn(process.execPath, [program, '3000', text], {
        cwd: project.repo.path,
        env: project.env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let out = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
      await new Promise((resolve) => child.on('close', resolve));
      expect(out).toMatch(/^store\.gone: .*was moved, deleted or replaced while it was in use/m);
      expect(out).not.toMatch(/ complete$/m);
      await eventually(() => processesWith(project.token).length === 0, 'the agent is ended');
    },
    120_000,
  );

  it('is not made anew behind the back of its user', async () => {
    await using project = await scenario();
    const file = path.join(project.repo.path, '.loopwright/state.db');
    await inSecondIteration(project, `rm '${file}' '${file}-wal' '${file}-shm'`);
    const run = await project.run(['run', text]);
    expect(run.exitCode).not.toBe(0);
    expect(run.err).toContain('was moved, deleted or replaced while it was in use');
    expect(existsSync(file)).toBe(false);
    // The work is still on the loop's branch.
    const branches = await project.repo.git('branch', '--list', 'loopwright/*');
    expect(branches).not.toBe('');
  }, 120_000);

  it('is reported as damaged, and a copy put into its place goes on', async () => {
    await using project = await scenario();
    const file = path.join(project.repo.path, '.loopwright/state.db');
    const failAt = { LOOPWRIGHT_FAIL_AT: 'after:iteration.ended:1:kill' };
    await project.run(['run', text], failAt);
    const safe = path.join(project.repo.outside, 'safe.db');
    using database = new DatabaseSync(file);
    database.exec('pragma wal_checkpoint(truncate)');
    database.close();
    await copyFile(file, safe);
    const { size } = await stat(file);
    await writeFile(file, Buffer.alloc(size, 0xab));
    const refused = await project.run(['run']);
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toContain('is damaged or not a Loopwright database');
    await rm(file);
    await copyFile(safe, file);
    await finish(project);
    expect(await project.violations()).toEqual([]);
  }, 120_000);
});

describe('a store that somebody else has locked', () => {
  it('is waited for, said so, and the loop goes on', async () => {
    await using project = await scenario();
    const gate = path.join(project.repo.outside, 'gate');
    await inSecondIteration(
      project,
      `echo locked now; while [ ! -e '${gate}' ]; do sleep 0.1; done`,
    );
    const run = project.start(['run', text]);
    await run.printed((said) => said.includes('locked now'));
    using other = new DatabaseSync(path.join(project.repo.path, '.loopwright/state.db'));
    other.exec('begin immediate');
    await writeFile(gate, '');
    await run.printed((said) => said.includes('is locked by another program; waiting for it'));
    other.exec('rollback');
    const { exitCode, out, err } = await run.ended;
    expect(exitCode, out + err).toBe(0);
    expect(await project.violations()).toEqual([]);
  }, 120_000);
});

describe('the log of the store', () => {
  it('stays small over a long run', async () => {
    await using project = await scenario();
    const log = path.join(project.repo.path, '.loopwright/state.db-wal');
    const iterations = isFull ? 200 : 12;
    const config = path.join(project.repo.path, 'loopwright.yml');
    const settings = await readFile(config, 'utf8');
    await writeFile(config, settings.replace('-ge 3', `-ge ${iterations}`).replace('10ms', '0'));
    const home = path.join(project.repo.env['HOME'] ?? '', '.config/loopwright/config.yml');
    const sizes: number[] = [];
    const run = project.start(['run', text, '--max-iterations', '0', '--no-progress-limit', '0']);
    const timer = setInterval(() => {
      void stat(log).then(
        ({ size }) => sizes.push(size),
        () => undefined,
      );
    }, 100);
    const { exitCode, out, err } = await run.ended;
    clearInterval(timer);
    expect(exitCode, out + err + home).toBe(0);
    expect(sizes.length).toBeGreaterThan(0);
    // SQLite folds it back every 1000 pages of 4 KB; one transaction may pass that by its own size.
    expect(Math.max(...sizes)).toBeLessThan(6 * 1024 * 1024);
  }, 600_000);
});

/** The agent of the second iteration does this first, once. */
async function inSecondIteration(project: Scenario, script: string): Promise<void> {
  const file = path.join(project.repo.outside, 'agent.sh');
  const flag = path.join(project.repo.outside, 'broken');
  const [first = '', ...work] = (await readFile(file, 'utf8')).trim().split('\n');
  const once = `if [ "$LOOPWRIGHT_ITERATION" = 2 ] && [ ! -e '${flag}' ]; then : > '${flag}'; ${script}; fi`;
  await writeFile(file, [first, once, ...work, ''].join('\n'));
}

/** Goes on until nothing is left to do. */
async function finish(project: Scenario): Promise<void> {
  const again = await project.run(['run']);
  const loops = await project.loops();
  if (loops.length > 0) {
    expect([0, 3], again.out + again.err).toContain(again.exitCode);
    return;
  }
  const anew = await project.run(['run', text]);
  expect(anew.exitCode, anew.out + anew.err).toBe(0);
}

function whyNoTracer(): string | null {
  const tried = spawnSync(tracer, ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true']);
  if (tried.error !== undefined) return 'there is no strace';
  return tried.status === 0 ? null : `strace: ${tried.stderr.toString().trim()}`;
}
