import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { findSandboxFault } from '../../src/adapters/process/sandbox.ts';
import { folderState } from '../support/folder-state.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

const fault = findSandboxFault();

const places: readonly [string, string][] = [
  ['off', 'sandbox: off\n'],
  ['worktree', 'sandbox: worktree\n'],
  ['bubblewrap', 'sandbox: bubblewrap\n'],
  ['unshare', 'sandbox: { containment: unshare }\n'],
  ['process-group', 'sandbox: { containment: process-group }\n'],
];

function needsWalls({ skip }: TestContext, name: string): void {
  skip(name === 'bubblewrap' && fault !== null, fault ?? '');
}

/** A project with packages that a check depends on, one of its own among them. */
async function projectWithPackages(config = ''): Promise<GitRepo> {
  const repo = await gitRepo();
  await repo.write('.gitignore', 'node_modules/\n');
  await repo.write('packages/own/index.js', 'module.exports = 1;\n');
  await repo.write('loopwright.yml', `workspace: { link: [node_modules] }\n${config}`);
  await repo.commitAll('project');
  await repo.write('node_modules/assert-it/lib/assert.js', 'module.exports = (x) => x === 2;\n');
  await repo.write('node_modules/assert-it/package.json', '{"main": "lib/assert.js"}');
  await repo.write('node_modules/unused/index.js', '\n');
  await repo.write('node_modules/.cache/tool/kept', 'kept\n');
  const modules = path.join(repo.path, 'node_modules');
  await symlink('../packages/own', path.join(modules, 'own'));
  await symlink(path.join(modules, 'assert-it'), path.join(modules, 'alias'));
  await mkdir(path.join(modules, '.bin'));
  await symlink('../assert-it/lib/assert.js', path.join(modules, '.bin/assert-it'));
  await chmod(path.join(modules, 'assert-it/lib/assert.js'), 0o755);
  return repo;
}

const poison = [
  'echo "module.exports = () => true;" > node_modules/assert-it/lib/assert.js',
  'echo "// through a link" >> node_modules/alias/package.json',
  'echo "// and another" >> node_modules/.bin/assert-it',
  'rm -rf node_modules/unused',
  'chmod 0777 node_modules/assert-it/package.json node_modules/assert-it',
  'touch -d 2001-01-01 node_modules/assert-it/lib',
  'mv node_modules/.cache/tool/kept node_modules/.cache/tool/moved',
  'mkdir -p node_modules/.vite && echo x > node_modules/.vite/results.json',
  'echo "module.exports = 3;" > node_modules/own/index.js',
];

describe('what an agent does to a linked folder', () => {
  it.for(places)('never reaches the user’s: %s', async ([name, config], context) => {
    needsWalls(context, name);
    await using repo = await projectWithPackages(config);
    const before = folderState(path.join(repo.path, 'node_modules'));
    const check = "node -e \"process.exit(require('assert-it')(require('own') - 1) ? 0 : 1)\"";
    const agent = `command:${[...poison, 'echo x > work.txt'].join(' && ')}`;
    await using project = await openedProject(repo, {
      agent,
      validate: check,
      'max-iterations': 1,
    });
    const loop = await project.runText('poison the packages');
    expect(loop.iterations[0]?.changes).toMatchObject({
      created: ['work.txt'],
      modified: ['packages/own/index.js'],
    });
    expect(folderState(path.join(repo.path, 'node_modules'))).toEqual(before);
    expect(await repo.git('status', '--porcelain')).toBe('');
  });

  it('is not seen by the next loop, and goes with the worktree', async () => {
    await using repo = await projectWithPackages();
    const agent = `command:cat node_modules/assert-it/lib/assert.js >> seen.txt && ${poison.join(' && ')}`;
    for (const count of [1, 2]) {
      const validate = `test "$(wc -l < seen.txt)" = ${count}`;
      await using project = await openedProject(repo, { agent, validate, merge: 'local' });
      const { status, workspace } = await project.runText(`loop ${count}`);
      expect(status).toBe('complete');
      expect(existsSync(workspace.path)).toBe(false);
    }
    const seen = await readFile(path.join(repo.path, 'seen.txt'), 'utf8');
    expect(seen).toBe('module.exports = (x) => x === 2;\n'.repeat(2));
  });

  it('can be an installation, which the next iteration and a resumed loop still have', async () => {
    await using repo = await projectWithPackages();
    await repo.write('package.json', '{"name": "app", "version": "1.0.0"}\n');
    await repo.write('vendored/package.json', '{"name": "extra", "version": "1.0.0"}\n');
    await repo.write('vendored/index.js', 'module.exports = 7;\n');
    await repo.commitAll('a package to install');
    const before = folderState(path.join(repo.path, 'node_modules'));
    const install =
      'npm install --offline --no-audit --no-fund --install-links ./vendored > /dev/null';
    const agent = `command:test -d node_modules/extra || ${install}; cp node_modules/extra/index.js extra.txt && echo x >> times.txt`;
    const validate =
      'node -e "process.exit(require(\'extra\') === 7 ? 0 : 1)" && test "$(wc -l < times.txt)" = 3';
    const flags = { agent, validate };
    const loop = await (async () => {
      await using project = await openedProject(repo, flags);
      const running = project.runText('install something');
      await project.seen('snapshot.taken');
      project.control.interrupt('finish');
      return await running;
    })();
    expect(loop.status).toBe('paused');
    const installed = path.join(loop.workspace.path, 'node_modules/extra/index.js');
    expect(await readFile(installed, 'utf8')).toBe('module.exports = 7;\n');
    await writeFile(installed, `${await readFile(installed, 'utf8')}// still this one\n`);
    await using project = await openedProject(repo, flags);
    const resumed = await project.resume(loop.id);
    expect(resumed.status).toBe('complete');
    expect(resumed.iterations).toHaveLength(3);
    const seen = await repo.git('show', `${resumed.workspace.branch}:extra.txt`);
    expect(seen).toBe('module.exports = 7;\n// still this one');
    expect(folderState(path.join(repo.path, 'node_modules'))).toEqual(before);
  });

  it('is the user’s own with --in-place, as they asked', async () => {
    await using repo = await projectWithPackages();
    const agent = 'command:echo x > node_modules/made.txt && echo x > work.txt';
    await using project = await openedProject(repo, { agent, validate: 'test -f work.txt' });
    await project.runText('here', { inPlace: true });
    expect(existsSync(path.join(repo.path, 'node_modules/made.txt'))).toBe(true);
  });
});
