/**
 * Runs the performance scoreboard against the built package and prints its tables.
 * `node scripts/bench.ts [--quick] [--write]`; `--write` puts the figures into docs/performance.md.
 * The scoreboard (fake agent, meter, floors, reference) lies beside the repository, or where LOOPWRIGHT_SCOREBOARD says.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderFigures, renderLines } from './bench/figures.ts';
import type { Line } from './bench/line.ts';
import { measureFanOut, measureStreaming } from './bench/many-loops.ts';
import { measureFaults, measureOneLoop } from './bench/one-loop.ts';
import { measuredRows } from './bench/rows.ts';
import { createScoreboard } from './bench/scoreboard.ts';
import { measureStartUp } from './bench/start-up.ts';
import { measureWhatChanged } from './bench/what-changed.ts';

const root = path.resolve(import.meta.dirname, '..');
const folder = path.resolve(
  process.env['LOOPWRIGHT_SCOREBOARD'] ?? path.join(root, '../shared/bench'),
);
const cache = path.join(root, 'node_modules/.cache/loopwright-bench');
const page = path.join(root, 'docs/performance.md');
const isQuick = process.argv.includes('--quick');

if (!existsSync(path.join(folder, 'loop.mjs'))) {
  process.stderr.write(
    `there is no scoreboard at ${folder}; name its folder in LOOPWRIGHT_SCOREBOARD\n`,
  );
  process.exit(3);
}

mkdirSync(cache, { recursive: true });
execFileSync(process.execPath, [path.join(root, 'scripts/build.ts')], { stdio: 'inherit' });
const programs = path.join(cache, 'bin');
execFileSync('bash', [path.join(folder, 'build.sh'), programs], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
const config = path.join(cache, 'peers.json');
const entry = packagedEntry();
const rows = measuredRows(entry);
writeFileSync(config, JSON.stringify(rows, null, 2));

const board = createScoreboard({ folder, programs, config });
const by = isQuick ? { iterations: 20, rounds: 2 } : { iterations: 50, rounds: 4 };
const loop = measureOneLoop(board, Object.keys(rows), by);
const lines = [
  ...loop.lines,
  ...told(measureStartUp(entry, isQuick ? 15 : 30)),
  ...told(measureFanOut(board, folder)),
  ...told(await measureStreaming(entry, programs)),
  ...told(measureFaults(board)),
  ...told(await measureWhatChanged(100_000, isQuick ? 5 : 10)),
];
const figures = renderFigures(
  lines.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true })),
  loop.table,
);
process.stdout.write(`${figures}\n`);
if (process.argv.includes('--write')) writeInto(page, figures);

/** What is measured is seen as it comes. */
function told(measured: readonly Line[]): readonly Line[] {
  process.stderr.write(`${renderLines(measured)}\n`);
  return measured;
}

/** The entry as it is published, without sources beside it. */
function packagedEntry(): string {
  const published = path.join(cache, 'package');
  rmSync(published, { recursive: true, force: true });
  mkdirSync(published, { recursive: true });
  const files = ['bin', 'dist', 'package.json'].map((name) => path.join(root, name));
  execFileSync('cp', ['-r', ...files, published]);
  return path.join(published, 'bin/loopwright.cjs');
}

function writeInto(file: string, text: string): void {
  const [start, end] = ['<!-- figures -->', '<!-- end of figures -->'];
  const before = readFileSync(file, 'utf8');
  const [from, to] = [before.indexOf(start) + start.length, before.indexOf(end)];
  writeFileSync(file, `${before.slice(0, from)}\n\n${text}\n\n${before.slice(to)}`);
}
