import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { readUsd } from '../../src/cli/init/ask-limits.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';

const entry = path.join(import.meta.dirname, '../../bin/loopwright.cjs');
const pty = '/usr/bin/script';

/** The program on a terminal of its own, made by `script`. */
function onTerminal(repo: GitRepo, ...argv: readonly string[]) {
  const words = [process.execPath, entry, ...argv].map((word) => `'${word}'`);
  const env = { ...repo.env, TERM: 'xterm', SHELL: '/bin/sh', LC_ALL: 'C.UTF-8' };
  // A terminal of no columns would be written one letter a line.
  const command = `stty cols 120 rows 40; exec ${words.join(' ')}`;
  const child = spawn(pty, ['-qfec', command, '/dev/null'], { cwd: repo.path, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  let look: (() => void) | null = null;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    look?.();
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code) => resolve(code));
  });
  return {
    ended,
    /** Waits for a question, then types. */
    async answer(question: string, keys: string) {
      await new Promise<void>((resolve, reject) => {
        look = () => {
          if (text.includes(question)) resolve();
        };
        look();
        void ended.then(() => reject(new Error(`ended before “${question}”: ${text}`)));
      });
      child.stdin.write(keys);
    },
  };
}

async function project(): Promise<GitRepo> {
  const repo = await gitRepo();
  await repo.write('.gitignore', 'tools/\n');
  await repo.commitAll('ignores');
  await repo.write('tools/check.sh', 'exit 1\n');
  return repo;
}

describe.skipIf(!existsSync(pty))('init on a terminal', () => {
  const argv = ['init', '--agent', 'command:true', '--validate', 'tools/check.sh'];

  it('asks for sandbox and budget, tries the check and offers what it lacks', async () => {
    await using repo = await project();
    const run = onTerminal(repo, ...argv.slice(0, 3), '--validate', 'sh tools/check.sh');
    await run.answer('How far are agents kept apart', '\r');
    await run.answer('What may one run cost', '7.5\r');
    await run.answer('What may one loop cost', '\r');
    await run.answer('Try `sh tools/check.sh` once', '\r');
    await run.answer('Add `workspace: { copy: [tools] }` and try again?', '\r');
    expect(await run.ended).toBe(0);
    const config = parse(await readFile(path.join(repo.path, 'loopwright.yml'), 'utf8'));
    expect(config).toEqual({
      agent: 'command:true',
      validation: { command: 'sh tools/check.sh' },
      workspace: { copy: ['tools'] },
      budget: { run: { 'max-cost-usd': 7.5 } },
    });
  });

  it('writes nothing when it is given up at any question', async () => {
    await using repo = await project();
    const run = onTerminal(repo, ...argv);
    await run.answer('How far are agents kept apart', '\r');
    await run.answer('What may one run cost', '\u0003');
    expect(await run.ended).toBe(130);
    const later = onTerminal(repo, ...argv.slice(0, 3), '--validate', 'sh tools/check.sh');
    await later.answer('How far are agents kept apart', '\r');
    await later.answer('What may one run cost', '\r');
    await later.answer('What may one loop cost', '\r');
    await later.answer('Try `sh tools/check.sh` once', '\r');
    await later.answer('Add `workspace: { copy: [tools] }` and try again?', '\u0003');
    expect(await later.ended).toBe(130);
    expect(existsSync(path.join(repo.path, 'loopwright.yml'))).toBe(false);
    expect(existsSync(path.join(repo.path, '.loopwright'))).toBe(false);
  });
});

describe('an amount of dollars', () => {
  it.each<[string, number | null | undefined]>([
    ['', null],
    [' 5 ', 5],
    ['$2.50', 2.5],
    ['0', undefined],
    ['-1', undefined],
    ['5 USD', undefined],
    ['1e9', undefined],
  ])('%j is %s', (text, amount) => {
    expect(readUsd(text)).toBe(amount);
  });
});
