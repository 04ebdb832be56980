/** P9 of the scoreboard and what one engine costs while many agents stream. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Line } from './line.ts';
import { best, worst, type Scoreboard } from './scoreboard.ts';

const loops = 100;
const memory = '/dev/shm';

/** A hundred loops on worktrees of a repository in memory, beside the plainest program that does so. */
export function measureFanOut(board: Scoreboard, scripts: string): readonly Line[] {
  const parent = existsSync(memory) ? memory : tmpdir();
  const folder = mkdtempSync(path.join(parent, 'loopwright-fan-out-'));
  const repository = path.join(folder, 'repository');
  const floor = 'floor-parallel';
  try {
    execFileSync(process.execPath, [path.join(scripts, 'components/mkrepo.mjs'), repository]);
    const only = `${floor},ours`;
    const { rows } = board.run('fanout.mjs', { only, repo: repository, tmp: folder, n: loops });
    const plain = { against: null };
    return [
      {
        id: 'P9',
        what: `${loops} loops on worktrees: wall`,
        value: best(rows, 'ours', 'wall_s'),
        unit: 's',
        against: { value: best(rows, floor, 'wall_s'), name: 'naive node' },
        wanted: 1,
      },
      {
        ...plain,
        id: 'P9b',
        what: `${loops} loops: first agent`,
        value: best(rows, 'ours', 'first_ms'),
        unit: 'ms',
        wanted: 300,
      },
      {
        ...plain,
        id: 'P9c',
        what: `${loops} loops: memory`,
        value: worst(rows, 'ours', 'rss_mb'),
        unit: 'MB',
        wanted: 150,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const streaming = 200;
/** Each prints 64 KiB every so often, for long enough that the last one is started before the first one ends. */
const pauseMs = 300;
const printed = '10M';
const watchedMs = 8000;
const watcher = `
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { writeFileSync } from 'node:fs';
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
let looks = 0;
process.on('SIGUSR2', () => {
  looks += 1;
  if (looks > 1) writeFileSync(process.env.LOOPWRIGHT_BENCH_DELAY, String(delay.percentile(99) / 1e6));
  delay.reset();
});
`;

/** Two hundred agents that print slowly, all at once under one engine. Looked at from when all of them run. */
export async function measureStreaming(entry: string, programs: string): Promise<readonly Line[]> {
  const parent = existsSync(memory) ? memory : tmpdir();
  const folder = mkdtempSync(path.join(parent, 'loopwright-streaming-'));
  try {
    const { share, delayMs } = await watchEngine(folder, entry, programs);
    const line = { against: null };
    return [
      {
        ...line,
        id: 'S2',
        what: `${streaming} streaming agents: share of one core`,
        value: share * 100,
        unit: '%',
        wanted: 30,
      },
      {
        ...line,
        id: 'S3',
        what: `${streaming} streaming agents: event-loop delay p99`,
        value: delayMs,
        unit: 'ms',
        wanted: 20,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function watchEngine(
  folder: string,
  entry: string,
  programs: string,
): Promise<{ readonly share: number; readonly delayMs: number }> {
  const cwd = path.join(folder, 'repository');
  const log = path.join(folder, 'agents.log');
  const delay = path.join(folder, 'delay');
  const preload = path.join(folder, 'watch.mjs');
  writeFileSync(preload, watcher);
  execFileSync('git', ['init', '-q', '-b', 'main', cwd]);
  const author = ['-c', 'user.name=n', '-c', 'user.email=n@localhost'];
  execFileSync('git', [...author, 'commit', '-qm', 'start', '--allow-empty'], { cwd });
  const plan = path.join(folder, 'plan.md');
  writeFileSync(plan, Array.from({ length: streaming }, (_, at) => `- [ ] task ${at}\n`).join(''));
  const env = {
    ...process.env,
    PATH: `${path.join(programs, 'agents')}:${process.env['PATH']}`,
    FA_BYTES: printed,
    FA_CHUNK_MS: String(pauseMs),
    FA_EDIT: '',
    FA_LOG: log,
    LOOPWRIGHT_BENCH_DELAY: delay,
  };
  spawnSync(process.execPath, [entry, 'task', 'import', plan], { cwd, env, stdio: 'ignore' });
  const words = ['run', '--jobs', String(streaming), '--agent', 'command:claude -p'];
  const limits = ['--max-iterations', '1', '--no-verify', '--no-commit', '--memory', 'off'];
  const engine = spawn(
    process.execPath,
    ['--import', preload, entry, ...words, '--pass-env', 'FA_*', ...limits],
    { cwd, env, stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => {
    engine.once('close', resolve);
  });
  const count = (letter: string): number =>
    existsSync(log)
      ? readFileSync(log, 'utf8')
          .split('\n')
          .filter((line) => line.startsWith(letter)).length
      : 0;
  const isAlive = (): boolean => engine.exitCode === null;
  while (isAlive() && count('S') < streaming && count('E') === 0) await sleep(50);
  const peak = count('S') - count('E');
  engine.kill('SIGUSR2');
  const [from, used] = [performance.now(), cpuMs(engine.pid)];
  while (isAlive() && count('E') === 0 && performance.now() - from < watchedMs) await sleep(50);
  const [to, later] = [performance.now(), cpuMs(engine.pid)];
  if (isAlive()) engine.kill('SIGUSR2');
  while (isAlive() && !existsSync(delay)) await sleep(50);
  engine.kill('SIGTERM');
  await ended;
  if (peak < streaming)
    process.stderr.write(`only ${peak} of ${streaming} agents were streaming at once\n`);
  const delayMs = existsSync(delay) ? Number(readFileSync(delay, 'utf8')) : Number.NaN;
  return { share: peak < streaming ? Number.NaN : (later - used) / (to - from), delayMs };
}

/** Of the process alone, all its threads; by the clock of the kernel, a hundred ticks a second. */
function cpuMs(pid: number | undefined): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
