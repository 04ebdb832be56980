import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createLogRotation, rotateLog } from '../../../src/adapters/files/rotate-log.ts';
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

/** A file size limit stands for a full disk: the copy of the log fails half way. */
function rotateWithoutRoom(file: string): string {
  const script = `
    const { createLogRotation } = await import(${JSON.stringify(module)});
    const rotate = createLogRotation(() => 0);
    process.stdout.write(JSON.stringify([rotate(${JSON.stringify(file)}), rotate(${JSON.stringify(file)})]));`;
  const limited = 'trap "" XFSZ; ulimit -f 64; exec "$0" --input-type=module -e "$1"';
  const { stdout, stderr } = spawnSync('sh', ['-c', limited, process.execPath, script], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout;
}

test('a log that cannot be copied keeps every older log, says so once and throws nothing', async () => {
  await using dir = await tempDir();
  const file = path.join(dir.path, 'daemon.log');
  writeFileSync(file, 'x'.repeat(10 * 1024 * 1024));
  for (const number of [1, 2, 3, 4]) writeFileSync(`${file}.${number}`, `old ${number}`);
  const [first, second] = JSON.parse(rotateWithoutRoom(file));
  expect(first).toMatch(/^warning: this log could not be rotated .*EFBIG/);
  expect(second).toBeNull();
  expect(readdirSync(dir.path)).toHaveLength(5);
  for (const number of [1, 2, 3, 4]) {
    expect(readFileSync(`${file}.${number}`, 'utf8')).toBe(`old ${number}`);
  }
  expect(statSync(file).size).toBe(10 * 1024 * 1024);
});

test('a rotation that failed is tried again after a minute', () => {
  let [now, isFull] = [0, true];
  const tries: number[] = [];
  const rotate = createLogRotation(
    () => now,
    () => {
      tries.push(now);
      if (isFull) throw new Error('no space left');
    },
  );
  expect(rotate('log')).toContain('no space left');
  now = 59_999;
  expect(rotate('log')).toBeNull();
  now = 60_000;
  expect(rotate('log')).toBeNull();
  isFull = false;
  now = 120_000;
  expect(rotate('log')).toBeNull();
  expect(tries).toEqual([0, 60_000, 120_000]);
});
