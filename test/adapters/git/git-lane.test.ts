import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GitLane } from '../../../src/adapters/git/git-lane.ts';
import { runInLane } from '../../../src/adapters/git/git-lanes.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { signal } from './loop-harness.ts';

const env = { PATH: process.env['PATH'] ?? '' };

function command(script: string, input?: string | Uint8Array) {
  return { script, input, cwd: '/', variables: {}, maxOutputBytes: 64 * 1024 * 1024 };
}

async function output(script: string): Promise<string> {
  const result = await runInLane(env, command(script), signal);
  return result?.stdout.toString('utf8') ?? 'none';
}

describe('a lane', () => {
  test('gives any bytes to a command and brings any bytes back', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string().map((text) => Buffer.from(`${text}\n`)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (input) => {
        const result = await runInLane(env, command('exec cat', input), signal);
        expect(result?.stdout).toEqual(Buffer.from(input));
      }),
      { numRuns: 40, examples: [[Buffer.from('-\0')]] },
    );
  });

  test('keeps output and complaints of many commands apart', async () => {
    const numbers = Array.from({ length: 40 }, (_, index) => index);
    const results = await Promise.all(
      numbers.map((number) =>
        runInLane(
          env,
          command(`printf '%s' ${number}; echo oh ${number} >&2; exit ${number}`),
          signal,
        ),
      ),
    );
    for (const number of numbers) {
      expect(results[number]).toMatchObject({
        exitCode: number,
        stdout: Buffer.from(String(number)),
        stderr: `oh ${number}\n`,
      });
    }
  });

  test('takes megabytes as well as nothing', async () => {
    const size = 5_000_000;
    expect((await output(`head -c ${size} /dev/zero`)).length).toBe(size);
    expect(await output('true')).toBe('');
  });

  test('is used again: one shell for one command after the other', async () => {
    const lane = new GitLane(env);
    const shells = new Set<string>();
    for (let turn = 0; turn < 3; turn++) {
      const result = await lane.run(command('echo $PPID $$'), signal);
      shells.add(result?.stdout.toString('utf8') ?? '');
    }
    lane.end();
    expect(shells.size).toBe(1);
  });

  test('gives a command its own variables and none of those before it', async () => {
    const lane = new GitLane(env);
    const say = command('printf %s "${GIT_DIR-unset}"');
    const first = await lane.run({ ...say, variables: { GIT_DIR: "it's $HOME" } }, signal);
    const second = await lane.run(say, signal);
    lane.end();
    expect(first?.stdout.toString('utf8')).toBe("it's $HOME");
    expect(second?.stdout.toString('utf8')).toBe('unset');
  });

  test('that was killed while it waited has run nothing, and another takes its place', async () => {
    await using dir = await tempDir();
    const ran = path.join(dir.path, 'ran');
    const shell = await output('echo $$');
    process.kill(Number(shell), 'SIGKILL');
    expect(await output(`echo once >> '${ran}'; echo $$`)).not.toBe(shell);
    expect(await readFile(ran, 'utf8')).toBe('once\n');
  });

  test('that is killed with its command answers as for a killed command', async () => {
    const result = await runInLane(env, command('echo before; kill -9 0'), signal);
    expect(result).toMatchObject({ exitCode: 137, stdout: Buffer.from('before\n') });
  });

  test('does not keep its process alive, and ends with it', async () => {
    const module = path.resolve('src/adapters/git/git-lanes.ts');
    const program = `
      import { runInLane } from ${JSON.stringify(pathToFileURL(module).href)};
      const result = await runInLane({ PATH: process.env.PATH }, {
        script: 'echo $$', cwd: '/', variables: {}, maxOutputBytes: 100 }, new AbortController().signal);
      process.stdout.write(result.stdout);
      process.on('exit', () => process.stdout.write('left'));
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    await new Promise((resolve) => child.once('close', resolve));
    const [shell = ''] = said.split('\n');
    expect(said).toBe(`${shell}\nleft`);
    await expect
      .poll(() => readFile(`/proc/${shell}/stat`, 'utf8').catch(() => 'gone'))
      .toMatch(/gone|\) Z /);
  });
});
