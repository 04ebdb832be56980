import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { rotateLog } from '../../../src/adapters/files/rotate-log.ts';
import { tempDir } from '../../support/temp-dir.ts';

const module = path.join(import.meta.dirname, '../../../src/adapters/files/rotate-log.ts');

/** Prints numbered lines to a log that it was given as its output, as a daemon in the background does. */
function print(file: string, from: number, to: number): void {
  const script = `
    const { rotateLog } = await import(${JSON.stringify(module)});
    for (let line = ${from}; line <= ${to}; line++) {
      rotateLog(${JSON.stringify(file)}, { maxBytes: 1000, files: 5 });
      process.stdout.write('line ' + line + '\\n');
    }`;
  const log = openSync(file, 'a');
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', log, 'inherit'],
  });
  closeSync(log);
  expect(status).toBe(0);
}

test('a log keeps five files within the limit and loses no line, also after a restart', async () => {
  await using dir = await tempDir();
  const file = path.join(dir.path, 'daemon.log');
  print(file, 1, 500);
  print(file, 501, 1000);
  const names = readdirSync(dir.path).toSorted();
  const numbered = ['.1', '.2', '.3', '.4'].map((end) => `daemon.log${end}`);
  expect(names).toEqual(['daemon.log', ...numbered]);
  for (const name of names) {
    expect(statSync(path.join(dir.path, name)).size).toBeLessThan(1010);
  }
  const order = [...numbered.toReversed(), 'daemon.log'];
  const lines = order.flatMap((name) =>
    readFileSync(path.join(dir.path, name), 'utf8').trim().split('\n'),
  );
  const last = lines.map((line) => Number(line.slice(5)));
  expect(last).toEqual(Array.from(last, (_, index) => 1000 - last.length + 1 + index));
  expect(last.length).toBeGreaterThan(400);
});

test('a log below 10 MB is left alone, one above is put aside', async () => {
  await using dir = await tempDir();
  const file = path.join(dir.path, 'daemon.log');
  writeFileSync(file, 'x'.repeat(10 * 1024 * 1024 - 1));
  rotateLog(file);
  expect(readdirSync(dir.path)).toEqual(['daemon.log']);
  writeFileSync(file, 'y', { flag: 'a' });
  rotateLog(file);
  expect(statSync(file).size).toBe(0);
  expect(statSync(`${file}.1`).size).toBe(10 * 1024 * 1024);
});
