/**
 * Runs the performance scoreboard against the built package and prints its table.
 * `node scripts/bench.ts [--quick] [--write]`; `--write` puts the figures into docs/performance.md.
 * The scoreboard (fake agent, meter, floors, reference) lies beside the repository, or where LOOPWRIGHT_SCOREBOARD says.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { measuredRows } from './bench/rows.ts';
import { renderFigures } from './bench/figures.ts';
import { measureWhatChanged } from './bench/what-changed.ts';

const root = path.resolve(import.meta.dirname, '..');
const scoreboard = path.resolve(
  process.env['LOOPWRIGHT_SCOREBOARD'] ?? path.join(root, '../shared/bench'),
);
const cache = path.join(root, 'node_modules/.cache/loopwright-bench');
const page = path.join(root, 'docs/performance.md');
const isQuick = process.argv.includes('--quick');

if (!existsSync(path.join(scoreboard, 'score.mjs'))) {
  process.stderr.write(
    `there is no scoreboard at ${scoreboard}; name its folder in LOOPWRIGHT_SCOREBOARD\n`,
  );
  process.exit(3);
}

mkdirSync(cache, { recursive: true });
execFileSync(process.execPath, [path.join(root, 'scripts/build.ts')], { stdio: 'inherit' });
execFileSync('bash', [path.join(scoreboard, 'build.sh'), path.join(cache, 'bin')], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
const config = path.join(cache, 'peers.json');
const rows = measuredRows(path.join(root, 'dist/cli.js'));
writeFileSync(config, JSON.stringify(rows, null, 2));

const help = `${process.execPath} ${packagedEntry()} --help`;
const score = run('score.mjs', '--ours', 'ours', '--bare', 'ours-bare', '--help-cmd', help);
const loop = run('loop.mjs', '--only', Object.keys(rows).join(','), '--nosleep', ...rounds());
const changed = await measureWhatChanged(isQuick ? 20_000 : 100_000, isQuick ? 5 : 10);
const figures = renderFigures(`${score.trimEnd()}\n${changed}`, loop);
process.stdout.write(`${figures}\n`);
if (process.argv.includes('--write')) writeInto(page, figures);

function rounds(): readonly string[] {
  return isQuick ? ['--iter', '20', '--rounds', '2'] : ['--iter', '50', '--rounds', '4'];
}

function run(script: string, ...args: readonly string[]): string {
  const common = ['--bin', path.join(cache, 'bin'), '--config', config, '--prio', '--settle', '5'];
  if (isQuick) common.push('--quick');
  const command = [path.join(scoreboard, script), ...common, ...args];
  const { stdout, status } = spawnSync(process.execPath, command, {
    cwd: scoreboard,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`${script} ended with exit code ${status}`);
  return stdout;
}

/** The entry as it is published, without sources beside it. */
function packagedEntry(): string {
  const folder = path.join(cache, 'package');
  mkdirSync(path.join(folder, 'bin'), { recursive: true });
  execFileSync('cp', ['-r', path.join(root, 'dist'), path.join(root, 'package.json'), folder]);
  execFileSync('cp', [path.join(root, 'bin/loopwright.cjs'), path.join(folder, 'bin')]);
  return path.join(folder, 'bin/loopwright.cjs');
}

function writeInto(file: string, text: string): void {
  const [start, end] = ['<!-- figures -->', '<!-- end of figures -->'];
  const before = readFileSync(file, 'utf8');
  const [from, to] = [before.indexOf(start) + start.length, before.indexOf(end)];
  writeFileSync(file, `${before.slice(0, from)}\n\n${text}\n\n${before.slice(to)}`);
}
