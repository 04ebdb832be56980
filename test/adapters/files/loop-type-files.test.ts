import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadLoopTypes } from '../../../src/adapters/files/loop-type-files.ts';
import { defaultSettings } from '../../../src/core/config/schema.ts';
import { resolveLoopType } from '../../../src/core/loop-type/resolve.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { shows } from '../../support/shows.ts';

async function project(files: Record<string, string>) {
  const dir = await tempDir();
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(dir.path, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const input = {
    projectRoot: dir.path,
    home: dir.path,
    env: { LOOPWRIGHT_HOME: path.join(dir.path, 'own') },
    settings: defaultSettings(),
  };
  return { input, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

describe('loop type files', () => {
  it('are found in the user folder and the project folder, and inline ones win', async () => {
    shows('002.config-yaml');
    await using dir = await project({
      'own/types/docs.yml': 'max-iterations: 1\nagent: pi\niteration-timeout: 90s\n',
      'loopwright/types/docs.yaml': 'max-iterations: 2\nstrategy: fixed\n',
      'loopwright/types/README.md': 'not a type',
    });
    const settings = { ...defaultSettings(), types: { docs: { 'max-iterations': 3 } } };
    const types = await loadLoopTypes({ ...dir.input, settings });
    expect(resolveLoopType('docs', types).values).toEqual({
      'max-iterations': 3,
      agent: 'pi',
      'iteration-timeout': 90_000,
      strategy: { name: 'fixed', iterations: 3 },
    });
  });

  it('may name a template file beside them', async () => {
    shows('002.config-template');
    await using dir = await project({
      'loopwright/types/docs.yml': 'prompt-template: ../docs.md\n',
      'loopwright/docs.md': 'Write about {{task-title}}.\n',
    });
    const types = await loadLoopTypes(dir.input);
    expect(resolveLoopType('docs', types).values['prompt-template']).toBe(
      'Write about {{task-title}}.\n',
    );
  });

  it('that name a template that is missing are refused', async () => {
    await using dir = await project({ 'loopwright/types/docs.yml': 'prompt-template: gone.md\n' });
    await expect(loadLoopTypes(dir.input)).rejects.toThrow('there is no file');
  });

  it('are optional', async () => {
    await using dir = await project({});
    const types = await loadLoopTypes({ ...dir.input, projectRoot: null });
    expect(types.flatMap((source) => Object.keys(source.types))).toEqual([]);
  });

  it('that are wrong are told with file, line and the nearest key', async () => {
    await using dir = await project({
      'loopwright/types/docs.yml': 'description: x\nmax-iteration: 5\ntools: [read, bsh]\n',
    });
    await expect(loadLoopTypes(dir.input)).rejects.toThrow(
      'loopwright/types/docs.yml:3:15: tools[1]: expected one of',
    );
    await expect(loadLoopTypes(dir.input)).rejects.toThrow(
      'loopwright/types/docs.yml:2:1: unknown key `max-iteration`; did you mean `max-iterations`?',
    );
  });
});
