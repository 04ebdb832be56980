import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { memoryCli } from './memory-cli.ts';

const fixtures = new URL('../fixtures/test-output/', import.meta.url);

function fixture(name: string): string {
  return readFileSync(new URL(name, fixtures), 'utf8');
}

async function said(stdin: string): Promise<string> {
  const { out } = await memoryCli({ cwd: '/', stdin }).run('parse', 'tests');
  return out.trim();
}

describe('parse tests', () => {
  it('reads a file and names what failed', async () => {
    const cli = memoryCli({ cwd: new URL('mocha/', fixtures).pathname });
    const { exitCode, out } = await cli.run('parse', 'tests', 'mixed.txt');
    expect(exitCode).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "✗ mocha: 7 tests, 3 passed, 2 failed, 2 skipped
      ✗ parser > compares objects
        AssertionError [ERR_ASSERTION]: Expected values to be loosely deep-equal:
      ✗ parser > deeper > throws
        TypeError: boom
      "
    `);
  });

  it('says packages where the tests are not named', async () => {
    expect(await said(fixture('go/plain-pass.txt'))).toBe(
      '✓ go test: 1 package, 1 passed, 0 failed, 0 skipped',
    );
  });

  it('reads standard input, and prints everything it found as JSON', async () => {
    const cli = memoryCli({ cwd: '/', stdin: fixture('gtest/xml.txt') });
    const { out } = await cli.run('parse', 'tests', '--json', '-');
    expect(JSON.parse(out)).toMatchObject({
      framework: 'junit',
      total: 10,
      passed: 5,
      failed: 3,
      skipped: 2,
      green: false,
      unknown: false,
      incomplete: false,
    });
  });

  it('looks for one runner alone when asked to', async () => {
    const cli = memoryCli({
      cwd: '/',
      stdin: fixture('tape/pass.txt') + fixture('vitest/pass.txt'),
    });
    const counted = async (...options: readonly string[]) => {
      const { out } = await cli.run('parse', 'tests', '--json', ...options);
      const run: unknown = JSON.parse(out);
      return run;
    };
    expect(await counted()).toMatchObject({ framework: 'tap+vitest', passed: 5 });
    expect(await counted('--runner', 'tape')).toMatchObject({ framework: 'tap', passed: 2 });
    expect(await counted('--runner', 'cargo')).toMatchObject({ framework: null, green: null });
  });

  it('says why it cannot tell', async () => {
    expect(await said('hello')).toBe('? no test runner was recognised');
    expect(await said(fixture('vitest/none.txt'))).toContain('; no test ran');
    expect(await said(fixture('deno/killed.txt'))).toContain('; the output is not whole');
    expect(await said(`${fixture('jest/pass.txt')}npm ERR! Test failed.\n`)).toContain(
      '; something else in the output failed',
    );
  });

  it('refuses a file that is not there', async () => {
    const { exitCode, err } = await memoryCli({ cwd: '/' }).run('parse', 'tests', 'nowhere.log');
    expect(exitCode).toBe(3);
    expect(err).toContain('there is no such file');
  });
});
