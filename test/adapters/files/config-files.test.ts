import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/adapters/files/config-files.ts';
import { configHome } from '../../../src/adapters/files/config-home.ts';
import { originOf } from '../../../src/core/config/layers.ts';
import { defaultSettings } from '../../../src/core/config/schema.ts';
import { isLoopwrightError } from '../../../src/core/error.ts';
import { tempDir } from '../../support/temp-dir.ts';

async function load(root: string, env: Record<string, string> = {}, flags = {}) {
  const home = path.join(root, 'home');
  return loadConfig({ projectRoot: root, env, home, flags, platform: 'linux' });
}

async function failure(text: string | Uint8Array): Promise<string> {
  await using dir = await tempDir();
  await writeFile(path.join(dir.path, 'loopwright.yml'), text);
  const error: unknown = await load(dir.path).then(
    () => new Error('expected a configuration error'),
    (reason: unknown) => reason,
  );
  if (isLoopwrightError(error)) return `${error.code}\n${error.message}`;
  throw error;
}

describe('loading', () => {
  it('works without any file', async () => {
    await using dir = await tempDir();
    const config = await load(dir.path);
    expect(config.settings).toEqual(defaultSettings());
    expect(config.files).toEqual([]);
    const outside = await loadConfig({ projectRoot: null, env: {}, home: dir.path, flags: {} });
    expect(outside.settings).toEqual(defaultSettings());
  });

  it('layers the user file, the project file, the environment and the flags', async () => {
    await using dir = await tempDir();
    const userFolder = path.join(dir.path, 'own');
    await mkdir(userFolder);
    await writeFile(
      path.join(userFolder, 'config.yml'),
      'agent: pi\nlimits:\n  max-iterations: 1\nenv:\n  pass: [A]\n',
    );
    await writeFile(
      path.join(dir.path, 'loopwright.yml'),
      '# comment\nlimits:\n  max-iterations: 2\n  idle-timeout: 1h30m\nenv:\n  +pass: [B]\n',
    );
    const config = await load(
      dir.path,
      { LOOPWRIGHT_HOME: userFolder, LOOPWRIGHT_GIT_MERGE: 'local' },
      { base: 'main' },
    );
    expect(config.settings.agent).toBe('pi');
    expect(config.settings.limits).toMatchObject({
      'max-iterations': 2,
      'idle-timeout': 5_400_000,
    });
    expect(config.settings.env.pass).toEqual(['A', 'B']);
    expect(config.settings.git).toMatchObject({ merge: 'local', base: 'main' });
    expect(config.warnings).toEqual([]);
    expect(originOf(config.origins, ['limits', 'max-iterations'])).toEqual({
      layer: 'project',
      file: 'loopwright.yml',
      line: 3,
      column: 3,
    });
    expect(config.files.map((file) => file.path)).toEqual([
      path.join(userFolder, 'config.yml'),
      path.join(dir.path, 'loopwright.yml'),
    ]);
    expect(config.files[1]?.size).toBe(78);
  });

  it('reads .yaml too, and warns when both are there', async () => {
    await using dir = await tempDir();
    await writeFile(path.join(dir.path, 'loopwright.yaml'), 'agent: pi\n');
    expect((await load(dir.path)).settings.agent).toBe('pi');
    await writeFile(path.join(dir.path, 'loopwright.yml'), 'agent: codex\n');
    const both = await load(dir.path);
    expect(both.settings.agent).toBe('codex');
    expect(both.warnings).toEqual([
      {
        code: 'config.two_files',
        message: 'loopwright.yaml is ignored, since loopwright.yml exists',
      },
    ]);
  });

  it('takes an empty file, commented sections, a byte order mark and words like off', async () => {
    await using dir = await tempDir();
    const file = path.join(dir.path, 'loopwright.yml');
    await writeFile(file, '');
    expect((await load(dir.path)).settings).toEqual(defaultSettings());
    await writeFile(
      file,
      '\uFEFFlimits:\n#  max-iterations: 3\nsandbox: off\nverify:\n  integrity: off\n',
    );
    const { settings } = await load(dir.path);
    expect(settings.sandbox.level).toBe('off');
    expect(settings.verify.integrity).toBe('off');
  });
});

describe('a file that is wrong', () => {
  it('is told with line, column and the nearest key, all problems at once', async () => {
    expect(
      await failure(
        [
          'validation:',
          '  command: npm test',
          '  timeout: 5min',
          'limits:',
          '  max-iteration: 5',
          'memory:',
          '  enabled: "false"',
          'stop:',
          '  - on: max-duration',
          '    value: 2h',
          '  - on: file-contain',
          '    path: x',
          'stategy: fixed',
        ].join('\n'),
      ),
    ).toMatchInlineSnapshot(`
      "config.invalid
      loopwright.yml:3:3: validation.timeout: expected a duration such as \`90s\`, \`30m\`, \`4h\` or \`1h30m\`, got the text "5min"
      loopwright.yml:5:3: unknown key \`max-iteration\` in limits; did you mean \`max-iterations\`?
      loopwright.yml:7:3: memory.enabled: expected true or false, got the text "false"
      loopwright.yml:11:5: stop[1].on: expected one of max-iterations, max-duration, test-failure-streak, all-tests-pass, specific-tests-pass, no-progress, file-created, file-contains, output-pattern, on-error, script, user-signal, budget, got the text "file-contain"; did you mean \`file-contains\`?
      loopwright.yml:13:1: unknown key \`stategy\`; did you mean \`strategy\`?"
    `);
  });

  it('that is not YAML is told with line and column', async () => {
    expect(await failure('agent: pi\nlimits: [1, 2\n')).toMatchInlineSnapshot(`
      "config.invalid
      loopwright.yml:3:1: Flow sequence in block collection must be sufficiently indented and end with a ]"
    `);
    expect(await failure('limits:\n\tmax-iterations: 3\n')).toContain('loopwright.yml:2:1');
  });

  it('with a key written twice is refused', async () => {
    expect(await failure('limits:\n  max-iterations: 1\n  max-iterations: 2\n')).toContain(
      'loopwright.yml:3:3: `limits.max-iterations` is written twice',
    );
  });

  it('that is not a map is refused', async () => {
    expect(await failure('- a\n- b\n')).toContain('expected a map of settings');
  });

  it('that expands without end is refused quickly', async () => {
    const bomb = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
      .map((name, index, all) => `${name}: &${name} [${`*${all[index - 1] ?? 'z'},`.repeat(9)}]`)
      .join('\n')
      .replaceAll('*z', 'z');
    expect(await failure(bomb)).toContain('config.invalid');
    expect(await failure(`stop: ${'['.repeat(20_000)}`)).toContain('nested too deeply');
  });

  it('that is too large is refused unread', async () => {
    expect(await failure(`agent: ${'x'.repeat(1024 * 1024)}\n`)).toBe(
      'config.too_large\nloopwright.yml is larger than 1 MB',
    );
  });

  it('that is not UTF-8 is refused', async () => {
    expect(await failure(Uint8Array.of(0x61, 0x3a, 0x20, 0xff, 0xfe))).toContain('not UTF-8');
  });

  it('cannot reach a prototype', async () => {
    expect(await failure('__proto__:\n  agent: evil\n')).toContain('loopwright.yml:1:1: __proto__');
    expect(({} as Record<string, unknown>)['agent']).toBeUndefined();
  });

  it('that is a folder, a pipe or an endless device is refused at once', async () => {
    await using dir = await tempDir();
    const file = path.join(dir.path, 'loopwright.yml');
    await mkdir(file);
    await expect(load(dir.path)).rejects.toMatchObject({ code: 'config.unreadable' });

    await using other = await tempDir();
    await promisify(execFile)('mkfifo', [path.join(other.path, 'loopwright.yml')]);
    await expect(load(other.path)).rejects.toMatchObject({ code: 'config.unreadable' });

    await using device = await tempDir();
    await symlink('/dev/zero', path.join(device.path, 'loopwright.yml'));
    await expect(load(device.path)).rejects.toMatchObject({ code: 'config.unreadable' });
  });
});

describe("the user's folder", () => {
  it.each<[Record<string, string>, NodeJS.Platform, string]>([
    [{ LOOPWRIGHT_HOME: '/x' }, 'linux', '/x'],
    [{ XDG_CONFIG_HOME: '/c' }, 'linux', '/c/loopwright'],
    [{ XDG_CONFIG_HOME: 'relative' }, 'linux', '/home/me/.config/loopwright'],
    [{}, 'linux', '/home/me/.config/loopwright'],
    [{}, 'darwin', '/home/me/Library/Application Support/loopwright'],
  ])('with %j on %s is %s', (env, platform, expected) => {
    expect(configHome({ env, home: '/home/me', platform })).toBe(expected);
  });
});
