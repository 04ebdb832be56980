import { execFile } from 'node:child_process';
import type { Stats } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, stat, truncate } from 'node:fs/promises';
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

async function keptIn(tmp: string): Promise<ReadonlyMap<string, Stats>> {
  const kept = path.join(folderIn(tmp), `config-${process.version}`);
  const names = await readdir(kept);
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await stat(path.join(kept, name))] as const),
    ),
  );
}

async function ask(bin: string, tmp: string): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: tmp, TMPDIR: tmp };
  const { stdout } = await run(process.execPath, [bin, 'config', 'schema'], { cwd: tmp, env });
  return stdout;
}

function folderIn(tmp: string): string {
  return path.join(tmp, `loopwright-code-${process.getuid?.()}`);
}

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

  it('is started by its bundle alone too', async () => {
    const entry = path.join(dir.path, 'dist/cli.js');
    const { stdout } = await run(process.execPath, [entry, 'run', '--help'], { cwd: dir.path });
    expect(stdout).toContain('loopwright run');
  });

  it('answers --help without loading the program, in the same words', async () => {
    const quick = await run(process.execPath, [bin, '--help'], { cwd: dir.path });
    const slow = await run(process.execPath, [bin, 'help'], { cwd: dir.path });
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

  it('runs with a strategy of the user’s own, and says nothing about how it loads it', async () => {
    await using repo = await gitRepo();
    const strategy =
      "name: 'once', onIterationComplete: () => ({ continue: false, reason: 'enough' })";
    await repo.write('once.mjs', `await null;\nexport const strategy = { ${strategy} };\n`);
    await repo.write('loopwright.yml', 'strategy: { name: custom, module: once.mjs }\n');
    await repo.commitAll('strategy');
    const argv = [bin, 'run', 'x', '--agent', 'command:true', '--validate', 'false', '--json'];
    const ended = await run(process.execPath, argv, { cwd: repo.path, env: repo.env }).catch(
      (error: unknown) => error,
    );
    expect(ended).toMatchObject({ stdout: expect.stringContaining('strategy_stop') });
    expect(ended).toMatchObject({ stderr: expect.not.stringContaining('Warning') });
  });

  describe('keeps the code it compiled', () => {
    it('for itself alone, and takes it the next time', async () => {
      await using tmp = await tempDir();
      const first = await ask(bin, tmp.path);
      const kept = await keptIn(tmp.path);
      expect([...kept.keys()].some((name) => name.startsWith('core.'))).toBe(true);
      expect((await stat(folderIn(tmp.path))).mode & 0o777).toBe(0o700);
      expect(await ask(bin, tmp.path)).toBe(first);
      const again = await keptIn(tmp.path);
      for (const [name, { ino }] of kept) expect(again.get(name)?.ino).toBe(ino);
    });

    it('and makes it anew when a file of it was cut off', async () => {
      await using tmp = await tempDir();
      const first = await ask(bin, tmp.path);
      const kept = await keptIn(tmp.path);
      for (const name of kept.keys()) {
        await truncate(path.join(folderIn(tmp.path), `config-${process.version}`, name), 100);
      }
      expect(await ask(bin, tmp.path)).toBe(first);
      for (const { size } of (await keptIn(tmp.path)).values()) expect(size).toBeGreaterThan(100);
    });

    it('but takes and leaves none where others can write', async () => {
      await using tmp = await tempDir();
      await mkdir(folderIn(tmp.path));
      await chmod(folderIn(tmp.path), 0o777);
      expect(await ask(bin, tmp.path)).toContain('json-schema.org');
      expect(await readdir(folderIn(tmp.path))).toEqual([]);
    });
  });

  it('stays small', async () => {
    const dist = path.join(dir.path, 'dist');
    const names = (await readdir(dist)).filter((name) => /\.c?js$/.test(name));
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
      stderr: expect.stringMatching(/^loopwright needs Node 24[^\n]*\n$/),
    });
  });
});
