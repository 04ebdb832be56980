import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { processesWith } from '../support/invariants.ts';
import { realCli } from './real-cli.ts';

async function run(repo: GitRepo, ...words: readonly string[]) {
  const { child, ended } = realCli(repo.path, repo.env, words);
  // Without an end of its own it would stay for ever.
  const timer = setTimeout(() => child.kill('SIGKILL'), 40_000);
  const { exitCode, out, err } = await ended;
  clearTimeout(timer);
  return { code: exitCode, out: out + err };
}

function configWith(module: string): string {
  return `agent: "command:echo x >> n.txt"
validation: { command: 'test "$(wc -l < n.txt)" -ge 2' }
strategy: { name: custom, module: ${module} }
`;
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

  it('and nothing is left that the module of its strategy has started, also when the run is refused', async () => {
    await using repo = await gitRepo();
    const mark = `strategy-left-${process.pid}`;
    const started = `import { spawn } from 'node:child_process';
       const left = { detached: true, stdio: 'ignore', env: { ...process.env, LEFT: '${mark}' } };
       spawn('sleep', ['77'], left).unref();`;
    const decides = `onIterationComplete: () => { spawn('sleep', ['77'], left).unref(); return { continue: true, reason: 'on' }; }`;
    await repo.write('strategy.mjs', `${started}\nexport default { name: 'busy', ${decides} };`);
    await repo.write('broken.mjs', `${started}\nexport default { name: 'broken' };`);
    await repo.write('loopwright.yml', configWith('strategy.mjs'));
    await repo.commitAll('project');
    const { code, out } = await run(repo, 'run', 'write n.txt');
    expect(code, out).toBe(0);
    expect(processesWith(mark)).toEqual([]);
    await repo.write('loopwright.yml', configWith('broken.mjs'));
    const refused = await run(repo, 'run', 'write it again');
    expect(refused.code, refused.out).toBe(3);
    expect(refused.out).toContain('onIterationComplete must be a function');
    expect(processesWith(mark)).toEqual([]);
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
