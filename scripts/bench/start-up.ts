/** P8 of the scoreboard, and how long `status` takes with many tasks: the fastest of many starts, taken in turns. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Line } from './line.ts';

const manyTasks = 10_000;

export function measureStartUp(entry: string, rounds: number): readonly Line[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'loopwright-start-'));
  try {
    const [few, many] = [
      repository(folder, 'few', entry, 1),
      repository(folder, 'many', entry, manyTasks),
    ];
    const [empty = 0, help = 0, status = 0, full = 0] = fastest(rounds, [
      { args: ['-e', '0'], cwd: folder },
      { args: [entry, '--help'], cwd: folder },
      { args: [entry, 'status'], cwd: few },
      { args: [entry, 'status'], cwd: many },
    ]);
    return [
      {
        id: 'P8',
        what: '`--help`',
        value: help,
        unit: 'ms',
        against: { value: empty, name: 'node -e 0' },
        wanted: 1.15,
      },
      {
        id: 'S1',
        what: `\`status\` with ${manyTasks} tasks, above one with a single task`,
        value: full - status,
        unit: 'ms',
        against: null,
        wanted: 100,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function repository(folder: string, name: string, entry: string, tasks: number): string {
  const cwd = path.join(folder, name);
  const git = (...args: readonly string[]): unknown => execFileSync('git', args, { cwd });
  execFileSync('git', ['init', '-q', '-b', 'main', cwd]);
  writeFileSync(path.join(cwd, 'README.md'), 'x\n');
  git('add', '-A');
  git('-c', 'user.name=n', '-c', 'user.email=n@localhost', 'commit', '-qm', 'start');
  const plan = Array.from({ length: tasks }, (_, at) => `- [ ] task number ${at}\n`).join('');
  writeFileSync(path.join(folder, `${name}.md`), plan);
  execFileSync(process.execPath, [entry, 'task', 'import', path.join(folder, `${name}.md`)], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return cwd;
}

type Start = { readonly args: readonly string[]; readonly cwd: string };

function fastest(rounds: number, starts: readonly Start[]): readonly number[] {
  const times = starts.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, { args, cwd }] of starts.entries()) {
      const from = performance.now();
      spawnSync(process.execPath, args, {
        cwd,
        stdio: 'ignore',
        env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined },
      });
      times[at] = Math.min(times[at] ?? Number.POSITIVE_INFINITY, performance.now() - from);
    }
  }
  return times;
}
