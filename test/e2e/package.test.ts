import { execFile } from 'node:child_process';
import { cp, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startModelServer } from '../../src/adapters/model-server/model-server.ts';
import { gitRepo } from '../support/git-repo.ts';
import { builtPackage } from '../support/built-package.ts';
import { tempDir, type TempDir } from '../support/temp-dir.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

describe('the package as it is published', () => {
  let dir: TempDir;
  let bin: string;

  beforeAll(async () => {
    const built = await builtPackage(['README.md', 'CHANGELOG.md', 'LICENSE']);
    dir = built;
    bin = built.bin;
  }, 120_000);

  afterAll(() => dir[Symbol.asyncDispose]());

  it('has a sound shape', async () => {
    const { messages } = await publint({ pkgDir: dir.path, strict: true });
    expect(messages.filter(({ type }) => type !== 'suggestion')).toEqual([]);
  });

  it('answers without its sources and without node_modules', async () => {
    const { stdout } = await run(process.execPath, [bin, '--version'], { cwd: dir.path });
    expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/);
    const help = await run(process.execPath, [bin, 'run', '--help'], { cwd: dir.path });
    expect(help.stdout).toContain('--validate');
  });

  it('answers --help without loading the program, in the same words', async () => {
    const quick = await run(process.execPath, [bin, '--help'], { cwd: dir.path });
    const program = path.join(dir.path, 'dist/cli.js');
    const slow = await run(process.execPath, [program, '--help'], { cwd: dir.path });
    expect(quick.stdout).toBe(slow.stdout);
    expect(quick.stdout).toContain('Usage: loopwright');
  });

  it('runs the demo: migrations and the scripted player are found beside the bundle', async () => {
    const where = path.join(dir.path, 'sample');
    const { stdout } = await run(process.execPath, [bin, 'demo', '--dir', where, '--json'], {
      cwd: dir.path,
    });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'complete', iterations: 3, exitCode: 0 });
  });

  it.each([
    ['ANTHROPIC', ''],
    ['OPENAI', '/v1'],
  ])('runs the native agent with an %s key and nothing installed', async (prefix, suffix) => {
    await using server = await startModelServer();
    await using repo = await gitRepo();
    const env = {
      ...repo.env,
      [`${prefix}_API_KEY`]: 'correct-horse-battery-staple',
      [`${prefix}_BASE_URL`]: `${server.base('ok', prefix)}${suffix}`,
    };
    const check = ['--validate', 'test -f hello.txt'];
    const argv = [bin, 'run', 'say hello', ...check, '--agent', 'native', '--model', 'm', '--json'];
    const { stdout } = await run(process.execPath, argv, { cwd: repo.path, env });
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'complete',
      iterations: 1,
      tokens: { input: 2000, output: 200, cacheRead: 400 },
    });
  });

  it('has programs of one file for where nothing else of it can be read', async () => {
    for (const name of ['door-caller.js', 'hook-runner.js']) {
      const text = await readFile(path.join(dir.path, 'dist', name), 'utf8');
      const imported = [...text.matchAll(/(?:from|import) ?["']([^"']+)["']/g)].map(
        ([, from]) => from,
      );
      expect(imported.filter((from) => from?.startsWith('node:') !== true)).toEqual([]);
    }
  });

  it('is a library', async () => {
    const program = `import { run, parseSigils } from ${JSON.stringify(path.join(dir.path, 'dist/index.js'))};
      console.log(typeof run, parseSigils('<task-done>t-1</task-done>').taskDone);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout.trim()).toBe('function t-1');
    expect((await stat(path.join(dir.path, 'dist/types/index.d.ts'))).isFile()).toBe(true);
  });

  it('stays small', async () => {
    const dist = path.join(dir.path, 'dist');
    const names = (await readdir(dist)).filter((name) => name.endsWith('.js'));
    const sizes = await Promise.all(
      names.map(async (name) => (await stat(path.join(dist, name))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3_500_000);
  });
});

describe('an old Node', () => {
  it('is handed over to the clone’s own, or told in one sentence what is needed', async () => {
    await using dir = await tempDir();
    await cp(path.join(root, 'bin'), path.join(dir.path, 'bin'), { recursive: true });
    const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.11.0' });
      Object.defineProperty(process, 'version', { value: 'v20.11.0' });
      process.argv.splice(1, 0, 'x');
      require(${JSON.stringify(path.join(dir.path, 'bin/loopwright.cjs'))});`;
    const failed = await run(process.execPath, ['-e', pretend]).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 3 });
    expect(failed).toMatchObject({
      stderr: expect.stringMatching(/^loopwright needs Node 22\.18[^\n]*\n$/),
    });
  });
});
