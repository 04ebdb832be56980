import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { complete } from '../../src/cli/complete.ts';
import { shellScripts } from '../../src/cli/completion-scripts.ts';
import { registry } from '../../src/cli/registry.ts';
import { gitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

const offer = (...words: readonly string[]) => complete(registry, words);

describe('completion', () => {
  it.each([
    [['lo'], { kind: 'words', words: ['loop', 'logs'] }],
    [['loop', 'p'], { kind: 'words', words: ['pause'] }],
    [['loop', 'show', ''], { kind: 'loops' }],
    [['run', ''], { kind: 'tasks' }],
    [['run', 'x', '--file', ''], { kind: 'files' }],
    [['run', '--max-iterations', '3', ''], { kind: 'tasks' }],
    [['run', '--require-c'], { kind: 'words', words: ['--require-claim'] }],
    [['run', '--merge', 'l'], { kind: 'words', words: ['local'] }],
    [['completion', ''], { kind: 'words', words: ['bash', 'zsh', 'fish'] }],
    [['nonsense', ''], { kind: 'words', words: ['--help'] }],
  ])('offers for %j what may stand there', async (words, expected) => {
    expect(await offer(...words)).toEqual(expected);
  });

  it('offers the ids of the project, and makes no state folder where there is none', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    expect((await cli.run('__complete', '--', 'loop', 'show', '')).out).toBe('');
    expect(await repo.git('status', '--porcelain', '--ignored')).toBe('');
    const argv = ['run', 'x', '--no-verify', '--max-iterations', '1', '--agent', 'command:true'];
    const { loop, task } = JSON.parse((await cli.run(...argv, '--json')).out);
    const { out } = await cli.run('__complete', '--', 'loop', 'show', '');
    expect(out.split('\n')).toEqual(['last', loop, task, '']);
  });

  it('passes over a state folder that lies above the repository', async () => {
    await using repo = await gitRepo();
    const above = path.dirname(repo.path);
    const elsewhere = memoryCli({ cwd: above, env: repo.env });
    await elsewhere.run('task', 'add', 'of the folder above');
    expect((await elsewhere.run('__complete', '--', 'task', 'show', '')).out).toMatch(/^t-/);
    await mkdir(path.join(repo.path, 'src/deep'), { recursive: true });
    for (const cwd of [repo.path, path.join(repo.path, 'src/deep')]) {
      const { out } = await memoryCli({ cwd, env: repo.env }).run(
        '__complete',
        '--',
        'task',
        'show',
        '',
      );
      expect(out).toBe('');
    }
    expect(await repo.git('status', '--porcelain', '--ignored')).toBe('');
  });

  it('is a script that bash understands', async () => {
    const script = `${shellScripts.bash}
loopwright() { shift; shift; printf '%s\\n' "$@"; }
COMP_WORDS=(loopwright loop sh) COMP_CWORD=2 && _loopwright && echo "\${COMPREPLY[*]}"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script]);
    expect(stdout).toBe('loop sh\n');
  });
});
