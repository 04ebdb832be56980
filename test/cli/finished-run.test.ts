import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';

const program = fileURLToPath(new URL('../../bin/loopwright.cjs', import.meta.url));

async function run(repo: GitRepo, ...words: readonly string[]) {
  const child = spawn(process.execPath, [program, ...words], {
    cwd: repo.path,
    env: repo.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (out += chunk.toString()));
  // Without an end of its own it would stay for ever.
  const timer = setTimeout(() => child.kill('SIGKILL'), 40_000);
  await once(child, 'close');
  clearTimeout(timer);
  return { code: child.exitCode, out };
}

describe('a run that is finished ends', () => {
  it('although the module of its strategy left a timer and a server open', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'strategy.mjs',
      `import { createServer } from 'node:net';
       setInterval(() => {}, 1000);
       createServer().listen(0, '127.0.0.1');
       export default { name: 'leaky', onIterationComplete: () => ({ continue: true, reason: 'on' }) };`,
    );
    await repo.write(
      'loopwright.yml',
      `agent: "command:echo x > n.txt"
validation: { command: 'test "$(wc -l < n.txt)" -ge 1' }
strategy: { name: custom, module: strategy.mjs }
`,
    );
    await repo.commitAll('project');
    const { code, out } = await run(repo, 'run', 'write n.txt');
    expect(code, out).toBe(0);
    expect(out).toContain('complete');
  }, 60_000);

  it('and a hook that has answered is heard, although its module left a timer open', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'hook.mjs',
      `setInterval(() => {}, 1000);
       export const hook = () => ({ action: 'stop', reason: 'enough' });`,
    );
    await repo.write(
      'loopwright.yml',
      `agent: "command:echo x >> n.txt"
validation: { command: "false" }
hooks: { post-iteration: [{ module: hook.mjs, timeout: 20s }] }
`,
    );
    await repo.commitAll('project');
    const { code, out } = await run(repo, 'run', 'write n.txt');
    expect(out).toContain('a post-iteration hook says stop: enough');
    expect(code, out).toBe(4);
  }, 60_000);
});
