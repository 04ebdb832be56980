import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { captureStream } from '../../../src/adapters/process/capture.ts';
import { createSystemClock } from '../../../src/adapters/clock/system-clock.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import { createRedaction } from '../../../src/core/redact/redactor.ts';
import type { ProcessSpec } from '../../../src/ports/process.ts';
import { tempDir, type TempDir } from '../../support/temp-dir.ts';
import { never, specOf } from './fixture.ts';

const mb = 1024 * 1024;
const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
const timeoutMs = isFull ? 300_000 : 60_000;

let dir: TempDir;
let supervisor: ReturnType<typeof createSupervisor>;

beforeEach(async () => {
  dir = await tempDir();
  supervisor = createSupervisor();
});

afterEach(async () => {
  await supervisor[Symbol.asyncDispose]();
  await dir[Symbol.asyncDispose]();
});

const sh = (script: string, changes: Partial<ProcessSpec> = {}): ProcessSpec =>
  specOf(['sh', '-c', script], dir.path, { timeoutMs, ...changes });

/** Runs it twice, since the first run warms the heap up; how much memory the second one took in addition. */
async function growthOf(spec: (share: number) => ProcessSpec, line: (text: string) => void) {
  await supervisor.run(spec(0.25), { line }, never);
  let peak = 0;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const before = process.memoryUsage.rss();
  const looking = setInterval(look, 5);
  const result = await supervisor.run(spec(1), { line }, never);
  clearInterval(looking);
  look();
  return { result, growthBytes: peak - before };
}

describe('output of any size takes constant memory', () => {
  test(
    'in lines, to a file',
    async () => {
      const size = (isFull ? 1024 : 160) * mb;
      const stdoutFile = path.join(dir.path, 'stdout');
      let chars = 0;
      const { result, growthBytes } = await growthOf(
        (share) => sh(`yes 0123456789abcdef | head -c ${size * share}`, { stdoutFile }),
        (text) => {
          chars += text.length;
        },
      );
      expect(result).toMatchObject({ end: { kind: 'exited', code: 0 }, stdoutBytes: size });
      expect((await stat(stdoutFile)).size).toBe(size);
      expect(chars).toBeGreaterThan(size / 2);
      expect(growthBytes).toBeLessThan(20 * mb);
    },
    timeoutMs,
  );

  test(
    'in a single line',
    async () => {
      const size = (isFull ? 512 : 96) * mb;
      const lines: number[] = [];
      const { result, growthBytes } = await growthOf(
        (share) => sh(`head -c ${size * share} /dev/zero | tr '\\0' a`),
        (text) => lines.push(text.length),
      );
      expect(result).toMatchObject({ end: { kind: 'exited', code: 0 }, stdoutBytes: size });
      // The beginning is kept, and how much is missing is said.
      expect(lines).toHaveLength(2);
      expect(lines[1]).toBeLessThan(mb + 100);
      expect(growthBytes).toBeLessThan(20 * mb);
    },
    timeoutMs,
  );

  test(
    'when the disk is slow: the program waits',
    async () => {
      const size = 24 * mb;
      const stdoutFile = path.join(dir.path, 'stdout');
      const made = spawn('mkfifo', [stdoutFile]);
      await once(made, 'exit');
      // Somebody reads it from the beginning: a pipe that nobody reads is not written.
      const held = openSync(stdoutFile, constants.O_RDONLY | constants.O_NONBLOCK);
      // Takes a megabyte at a time, with pauses in between.
      const reader = spawn('sh', [
        '-c',
        `while dd bs=1M count=1 iflag=fullblock 2>/dev/null | wc -c | grep -v '^0$'; do sleep 0.02; done < "$0" | awk '{ n += $1 } END { print n }'`,
        stdoutFile,
      ]);
      let text = '';
      reader.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      const before = process.memoryUsage.rss();
      const { stdoutBytes } = await supervisor.run(
        sh(`head -c ${size} /dev/zero`, { stdoutFile }),
        {},
        never,
      );
      const growth = process.memoryUsage.rss() - before;
      closeSync(held);
      await once(reader, 'close');
      expect(stdoutBytes).toBe(size);
      expect(Number(text)).toBe(size);
      expect(growth).toBeLessThan(16 * mb);
    },
    timeoutMs,
  );
});

test('a program that goes on printing after its run was cut is ended', async () => {
  const stop = new AbortController();
  const spec = sh(`trap '' TERM PIPE; while :; do echo x; done`, { graceMs: 100 });
  const { end } = await supervisor.run(spec, { line: () => stop.abort() }, stop.signal);
  expect(end).toEqual({ kind: 'cancelled' });
});

test('any bytes, cut anywhere, reach the file as they are and the reader as the same lines', async () => {
  const clock = createSystemClock();
  const capture = async (chunks: readonly Uint8Array[], file: string): Promise<string[]> => {
    const lines: string[] = [];
    const source = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
    const captured = captureStream(source, {
      file: openSync(file, 'w'),
      tailBytes: 64,
      line: (line) => lines.push(line),
      redactor: createRedaction([]).stream(),
      broken: (error) => expect.unreachable(String(error)),
    });
    await captured.drained(clock);
    return lines;
  };
  const file = path.join(dir.path, 'captured');
  // Much of what makes UTF-8 valid, invalid and cut.
  const byte = fc.constantFrom(
    0x0a,
    0x0d,
    0x41,
    0x00,
    0x80,
    0xc3,
    0xe2,
    0x82,
    0xac,
    0xf0,
    0x9f,
    0xff,
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(byte, { maxLength: 9 }), { maxLength: 8 }),
      async (parts) => {
        const chunks = parts.filter((part) => part.length > 0).map((part) => Uint8Array.from(part));
        const whole = Buffer.concat(chunks);
        const lines = await capture(chunks, file);
        expect(await readFile(file)).toEqual(whole);
        expect(lines).toEqual(whole.length === 0 ? [] : await capture([whole], file));
      },
    ),
    { numRuns: 150 },
  );
});

describe('secrets of the environment', () => {
  const canary = 'canary/9f8e+7d6c"5b4a';
  const split = Array.from(canary, (char) => `printf '%s' '${char}'`).join('; sleep 0.001; ');

  test.each([
    ['whole', `printf '%s\\n' "$API_TOKEN"`],
    ['byte by byte', `${split}; echo`],
    ['in base64', `printf 'x%sy' "$API_TOKEN" | base64`],
    ['to stderr', `printf '%s\\n' "$API_TOKEN" >&2`],
    ['and nothing else', `printf '%s' "$API_TOKEN"`],
  ])('printed %s reach neither file nor reader nor tail', async (_name, script) => {
    const stdoutFile = path.join(dir.path, 'stdout');
    const stderrFile = path.join(dir.path, 'stderr');
    const lines: string[] = [];
    const env = { PATH: process.env['PATH'] ?? '', API_TOKEN: canary };
    const result = await supervisor.run(
      sh(script, { env, stdoutFile, stderrFile }),
      { line: (line) => lines.push(line) },
      never,
    );
    const everything = [
      await readFile(stdoutFile, 'utf8'),
      await readFile(stderrFile, 'utf8'),
      result.stdoutTail,
      result.stderrTail,
      lines.join('\n'),
    ];
    const base64 = Buffer.from(`x${canary}`).toString('base64').slice(2, 20);
    for (const text of everything) {
      expect(text).not.toContain(canary);
      expect(text).not.toContain(base64);
    }
    expect(everything.filter((text) => text.includes('[redacted]')).length).toBeGreaterThan(1);
    expect(result.stdoutBytes).toBe((await stat(stdoutFile)).size);
  });

  test('are not taken for secrets when their names say nothing', async () => {
    const env = { PATH: process.env['PATH'] ?? '', GREETING: 'good morning' };
    const { stdoutTail } = await supervisor.run(sh('echo "$GREETING"', { env }), {}, never);
    expect(stdoutTail).toBe('good morning\n');
  });
});

test.skipIf(!existsSync('/dev/full'))(
  'a disk without space is told in words, without the name of a system call',
  async () => {
    const spec = sh('echo hello', { stdoutFile: '/dev/full' });
    await expect(supervisor.run(spec, {}, never)).rejects.toMatchObject({
      code: 'process.output_file',
      message: 'The output of a process cannot be written to its file: no space left on device.',
    });
  },
);
