/**
 * Guards against losing speed by accident. Everything is a ratio to a floor measured in the same run, with limits far above what a
 * quiet machine gives: the figures themselves are in docs/performance.md.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { builtPackage } from '../support/built-package.ts';
import type { TempDir } from '../support/temp-dir.ts';

const run = promisify(execFile);
const bare = ['--in-place', '--no-commit', '--memory', 'off', '--no-verify', '--keep-going'];

let dir: TempDir;
let bin: string;

beforeAll(async () => {
  const built = await builtPackage();
  dir = built;
  bin = built.bin;
}, 120_000);

afterAll(() => dir[Symbol.asyncDispose]());

type Measured = { readonly ms: number; readonly peakMb: number };

/** Wall time, and the largest memory of the process itself where the system tells. */
async function measure(argv: readonly string[], repo: GitRepo): Promise<Measured> {
  const started = performance.now();
  const child = spawn(process.execPath, argv, { cwd: repo.path, env: repo.env, stdio: 'ignore' });
  const exited = once(child, 'exit');
  let peakKb = 0;
  const look = setInterval(() => {
    const status = `/proc/${child.pid}/status`;
    if (!existsSync(status)) return;
    const found = /VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'));
    peakKb = Math.max(peakKb, Number(found?.[1] ?? 0));
  }, 50);
  await exited;
  clearInterval(look);
  return { ms: performance.now() - started, peakMb: peakKb / 1024 };
}

async function fastest(argv: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 8; round++) {
    const started = performance.now();
    await run(process.execPath, [...argv]);
    times.push(performance.now() - started);
  }
  return Math.min(...times);
}

function loop(agent: string, iterations: number): readonly string[] {
  const limit = ['--max-iterations', String(iterations)];
  return [bin, 'run', `${iterations} times`, '--agent', `command:${agent}`, ...limit, ...bare];
}

describe('the bare loop', () => {
  it('costs a small multiple of starting the agent, and no memory as it goes on', async () => {
    await using repo = await gitRepo();
    const floor = path.join(repo.path, '.git/floor.mjs');
    await writeFile(
      floor,
      `import { spawn } from 'node:child_process'; import { once } from 'node:events';
       for (let i = 0; i < Number(process.argv[2]); i++) await once(spawn('sh', ['-c', 'true'], { stdio: 'ignore' }), 'exit');`,
    );
    const perIteration = async (argv: (count: number) => readonly string[]) => {
      const few = await measure(argv(5), repo);
      const many = await measure(argv(65), repo);
      return { ms: (many.ms - few.ms) / 60, grownMb: many.peakMb - few.peakMb };
    };
    const nothing = await perIteration((count) => [floor, String(count)]);
    const ours = await perIteration((count) => loop('cat > /dev/null', count));
    expect(ours.ms / Math.max(nothing.ms, 1)).toBeLessThan(60);
    expect(ours.grownMb).toBeLessThan(40);
  });

  it('passes a large output on at a small multiple of copying it', async () => {
    await using repo = await gitRepo();
    const flood = 'yes "a line of an ordinary transcript of an agent" | head -c 60000000';
    const started = performance.now();
    await run('sh', ['-c', `${flood} | tee copy > /dev/null`], { cwd: repo.path });
    const copied = performance.now() - started;
    const small = await measure(loop('echo small', 1), repo);
    const large = await measure(loop(flood, 1), repo);
    expect((large.ms - small.ms) / copied).toBeLessThan(20);
    expect(large.peakMb - small.peakMb).toBeLessThan(64);
  });
});

describe('--help', () => {
  it('takes little longer than starting node', async () => {
    const node = await fastest(['-e', '0']);
    expect((await fastest([bin, '--help'])) / node).toBeLessThan(2.5);
  });
});
