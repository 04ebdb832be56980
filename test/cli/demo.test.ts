import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { LoopResult } from '../../src/protocol/loop-result.ts';
import { tempDir } from '../support/temp-dir.ts';
import { memoryCli } from './memory-cli.ts';
import { realCli } from './real-cli.ts';

const run = promisify(execFile);

describe('demo', () => {
  it('shows a refuted claim, a regression and the proof, and keeps everything', async () => {
    await using dir = await tempDir();
    const folder = path.join(dir.path, 'roman');
    const env = { PATH: process.env['PATH'] ?? '', HOME: dir.path };
    const started = performance.now();
    const { exitCode, out, err } = await realCli(dir.path, env, ['demo', '--dir', 'roman']).ended;
    expect(exitCode).toBe(0);
    // A few seconds on a quiet machine; the promise is 20 after the install. Busy ones get more.
    expect(performance.now() - started).toBeLessThan(50_000);
    expect(err).toContain('2 of 8 tests pass');
    expect(err).toContain('claims to be done');
    expect(story(out)).toMatchInlineSnapshot(`
      "What happened
        ✗ 1. The agent said it was done. The engine ran the checks: 4 of 8 tests pass.
             So it was not, and the next iteration was told why.
        ✗ 2. The agent got further: 5 of 8 tests pass. But “writes the seven letters”
             had passed before: named in the next prompt.
        ✓ 3. The engine ran the checks: 8 of 8 tests pass. That is the proof, so the
             loop is complete."
    `);
    expect(out).toContain("+  [900, 'CM'],");
    expect(out).toContain(`cd ${folder}`);
    const { stdout } = await run('git', ['log', '--all', '--format=%s'], { cwd: folder });
    expect(
      stdout
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('Iteration')),
    ).toHaveLength(3);
  });

  it('prints the result of the run as one object', async () => {
    await using dir = await tempDir();
    const env = { PATH: process.env['PATH'] ?? '', HOME: dir.path };
    const cli = memoryCli({ cwd: dir.path, env });
    const { exitCode, out } = await cli.run('demo', '--dir', 'here', '--json');
    expect(exitCode).toBe(0);
    expect(LoopResult().parse(JSON.parse(out))).toMatchObject({
      status: 'complete',
      iterations: 3,
      filesChanged: ['src/roman.js'],
      tests: { total: 8, passed: 8, failed: 0, skipped: 0 },
    });
    expect(JSON.parse(out).dir).toBe(path.join(dir.path, 'here'));
  });

  it('is not led astray by the settings of the user', async () => {
    await using dir = await tempDir();
    await mkdir(path.join(dir.path, '.config/loopwright'), { recursive: true });
    await writeFile(
      path.join(dir.path, '.config/loopwright/config.yml'),
      'limits: { max-iterations: 1 }\n',
    );
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: dir.path,
      LOOPWRIGHT_LIMITS_MAX_ITERATIONS: '1',
    };
    const { exitCode } = await memoryCli({ cwd: dir.path, env }).run(
      'demo',
      '--dir',
      'here',
      '--json',
    );
    expect(exitCode).toBe(0);
  });

  it('overwrites nothing', async () => {
    await using dir = await tempDir();
    await writeFile(path.join(dir.path, 'mine.txt'), 'mine');
    const { exitCode, err } = await memoryCli({ cwd: dir.path }).run('demo', '--dir', '.');
    expect(exitCode).toBe(3);
    expect(err).toContain('is not empty');
    expect(await readFile(path.join(dir.path, 'mine.txt'), 'utf8')).toBe('mine');
  });
});

/** The part between the summary of the run and the patch. */
function story(out: string): string {
  return out.slice(out.indexOf('What happened'), out.indexOf('What changed')).trim();
}
