import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { proofOf } from '../../src/core/loop/finishing.ts';
import type { Loop } from '../../src/core/loop/loop.ts';
import { lookAround } from '../../src/engine/room-surroundings.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';

const files = {
  'src/math.mjs': 'export const add = (a, b) => a + b;\nexport const sub = (a, b) => a + b;\n',
  'test/math.test.mjs':
    "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { same } from 'tiny-same';\nimport { sub } from '../src/math.mjs';\n\ntest('subtracts', () => assert.ok(same(sub(2, 1), 1)));\n",
} as const;

async function project(): Promise<GitRepo> {
  const repo = await gitRepo();
  for (const [file, text] of Object.entries(files)) await repo.write(file, text);
  await repo.write('.gitignore', 'node_modules\n.loopwright\n');
  await repo.commitAll('project');
  const folder = path.join(repo.path, 'node_modules/tiny-same');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{"type":"module","exports":"./index.js"}');
  await writeFile(path.join(folder, 'index.js'), 'export const same = (a, b) => a === b;\n');
  return repo;
}

async function open(repo: GitRepo, steps: readonly string[]): Promise<TestProject> {
  const script = path.join(repo.outside, 'script.yml');
  const final = '<task-done>{{task-id}}</task-done>';
  const iterations = steps.map((run) => ({ steps: [{ run }], final }));
  await writeFile(script, JSON.stringify({ iterations }));
  return openedProject(repo, {
    agent: `scripted:${script}`,
    validate: 'node --test test/*.test.mjs',
    'max-iterations': 1,
  });
}

async function play(repo: GitRepo, step: string): Promise<Loop> {
  await using opened = await open(repo, [step]);
  return await opened.runText('make it subtract');
}

describe('one loop and the next', () => {
  it('does not hand on what an agent put above the worktrees', { timeout: 120_000 }, async () => {
    await using repo = await project();
    // A package nearer than the user's own, and a manifest that makes every test a syntax error.
    const plant = `for each in .. ../..; do mkdir -p $each/node_modules/tiny-same; echo '{"type":"module","exports":"./index.js"}' > $each/node_modules/tiny-same/package.json; echo 'export const same = () => true;' > $each/node_modules/tiny-same/index.js; echo '{"imports":{"#a":"./a.js"}}' > $each/package.json; done; echo '// looked at' >> src/math.mjs`;
    const first = await play(repo, plant);
    expect(first.status).toBe('failed');
    // Its own checks have moved it away already; what comes after them is still there.
    const state = path.join(repo.path, '.loopwright');
    await mkdir(path.join(state, 'worktrees/node_modules/tiny-same'), { recursive: true });
    const fake = path.join(state, 'worktrees/node_modules/tiny-same/index.js');
    await writeFile(fake, 'export const same = () => true;\n');
    await writeFile(
      path.join(path.dirname(fake), 'package.json'),
      '{"type":"module","exports":"./index.js"}',
    );
    await using opened = await open(repo, ["sed -i '2s/a + b/a - b/' src/math.mjs"]);
    const second = await opened.runText('make it subtract');
    expect(second.baseline?.state).toBe('red');
    expect([second.status, proofOf(second)?.kind]).toEqual(['complete', 'red-green']);
    expect(await readdir(path.join(state, 'worktrees'))).not.toContain('node_modules');
    const notices = opened.live.flatMap((event) => (event.kind === 'notice' ? [event.text] : []));
    expect(notices.join('\n')).toContain('would decide the checks of every loop');
    // Kept for whoever wants to know.
    const aside = (await readdir(state)).filter((name) => name.startsWith('aside-'));
    expect(aside.length).toBeGreaterThan(0);
  });

  it(
    "keeps the user's own dependencies out of the agent's reach",
    { timeout: 120_000 },
    async () => {
      await using repo = await project();
      const own = path.join(repo.path, 'node_modules/tiny-same/index.js');
      const loop = await play(
        repo,
        `echo 'export const same = () => true;' > ${own}; echo '// looked at' >> src/math.mjs`,
      );
      expect(loop.status).not.toBe('complete');
      expect(JSON.stringify(loop.iterations.at(-1)?.confirmation?.findings)).toContain(
        'node_modules/tiny-same/index.js in your checkout was made or changed since the loop began',
      );
      expect(await readFile(own, 'utf8')).toContain('true');
    },
  );
});

describe('what stands around clean checkouts', () => {
  it('is named where a link took the place of their folder', { timeout: 60_000 }, async () => {
    await using repo = await project();
    await using opened = await open(repo, ['true']);
    const loop = await opened.runText('nothing');
    const { engine } = opened;
    const real = path.join(repo.outside, 'elsewhere/rooms');
    await mkdir(real, { recursive: true });
    await writeFile(path.join(repo.outside, 'elsewhere/pytest.ini'), '');
    const at = path.join(repo.outside, 'cache/rooms');
    await mkdir(path.dirname(at));
    await symlink(real, at);
    const still = {
      ...loop,
      iterations: loop.iterations.map((each) => ({ ...each, endedAt: null })),
    };
    const around = await lookAround({ ...engine, roomsDir: at }, still, false);
    const made = 'since the loop began';
    expect(around.findings).toEqual([
      `${at} became a link ${made}`,
      `${path.join(repo.outside, 'elsewhere/pytest.ini')} was made or changed ${made}, and runners look for it there`,
    ]);
  });

  it('is of no concern when a person changed it after the loop', { timeout: 60_000 }, async () => {
    await using repo = await project();
    await using opened = await open(repo, ['true']);
    const loop = await opened.runText('nothing');
    const past = {
      ...loop,
      iterations: loop.iterations.map((each) => ({ ...each, startedAt: 1, endedAt: 2 })),
    };
    await writeFile(path.join(repo.path, 'node_modules/tiny-same/index.js'), 'export {};\n');
    expect((await lookAround(opened.engine, past, false)).findings).toEqual([]);
    expect((await stat(opened.engine.stateDir)).isDirectory()).toBe(true);
  });
});
