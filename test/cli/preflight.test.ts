import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sendMessage } from '../../src/engine/send-message.ts';
import { connected, eventually, servedDaemon } from '../support/daemon.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { greeter } from './agents.ts';
import { memoryCli } from './memory-cli.ts';

function cliIn(repo: GitRepo) {
  return memoryCli({ cwd: repo.path, env: repo.env });
}

async function refused(repo: GitRepo, ...argv: readonly string[]) {
  const { exitCode, out } = await cliIn(repo).run('run', ...argv, '--json');
  const { error } = JSON.parse(out);
  expect(exitCode, out).toBe(3);
  const { out: tasks } = await cliIn(repo).run('task', 'list', '--json');
  const { out: loops } = await cliIn(repo).run('loop', 'list', '--json');
  return { error, tasks: JSON.parse(tasks).tasks ?? JSON.parse(tasks), loops: JSON.parse(loops) };
}

describe('preflight', () => {
  it('refuses an agent whose program is not there, and leaves nothing behind', async () => {
    await using repo = await gitRepo();
    const { error, tasks, loops } = await refused(repo, 'x', '--agent', 'pi', '--validate', 'true');
    expect(error.code).toBe('agent.not_found');
    expect(error.message).toContain('there is no program pi on PATH (');
    expect(error.hint).toContain('loopwright agents list');
    expect(tasks).toHaveLength(0);
    expect(loops.loops).toHaveLength(0);
  });

  it('refuses to reuse the session of an agent that cannot resume one', async () => {
    await using repo = await gitRepo();
    const argv = ['x', '--validate', 'true', '--session', 'reuse', '--agent'];
    const plain = await refused(repo, ...argv, 'command:true');
    expect(plain.error).toMatchObject({ code: 'agent.no_resume' });
    expect(plain.error.message).toContain('command does not');
    expect(plain.error.hint).toContain('claude or codex');
    expect(plain.loops.loops).toHaveLength(0);
    await repo.write(
      'loopwright.yml',
      JSON.stringify({
        agents: { mine: { command: 'true', format: 'claude-stream', session: 'reuse' } },
        types: { typed: { session: 'reuse' } },
      }),
    );
    const own = await refused(repo, 'x', '--validate', 'true', '--agent', 'mine');
    expect(own.error).toMatchObject({ code: 'agent.no_resume' });
    const ofType = ['x', '--validate', 'true', '--agent', 'native', '--type', 'typed'];
    expect((await refused(repo, ...ofType)).error).toMatchObject({ code: 'agent.no_resume' });
  });

  it('refuses a typo in a command, and says what was meant', async () => {
    await using repo = await gitRepo();
    const argv = ['x', '--validate', 'true', '--agent'];
    const typo = await refused(repo, ...argv, 'command:clade -p');
    expect(typo.error).toMatchObject({ code: 'agent.not_found' });
    expect(typo.error.message).toContain('no program clade');
    expect(typo.error.message).toContain('did you mean claude?');
    const later = await refused(repo, ...argv, 'command:echo x > f; no-such-agent');
    expect(later.error.message).toContain('no program no-such-agent');
    const server = await refused(repo, ...argv, 'acp:no-such-server --stdio');
    expect(server.error.message).toContain('no program no-such-server');
  });

  it('refuses ready tasks in the same way, before any of them has a loop', async () => {
    await using repo = await gitRepo();
    await cliIn(repo).run('task', 'add', 'one');
    await cliIn(repo).run('task', 'add', 'two');
    const { error, loops } = await refused(repo, '--agent', 'pi', '--validate', 'true');
    expect(error.code).toBe('agent.not_found');
    expect(loops.loops).toHaveLength(0);
    const { out } = await cliIn(repo).run('task', 'list', '--json');
    expect(out).toContain('"pending"');
    expect(out).not.toContain('"running"');
  });

  it('does not refuse commands that may work', async () => {
    await using repo = await gitRepo();
    for (const command of [
      'no-such-tool 2>/dev/null || echo hello > a.txt',
      'no-such-tool; echo hello > a.txt',
      'f() { echo hello > a.txt; }; f',
      'PATH=$PWD/tools:$PATH; export PATH; echo hello > a.txt',
    ]) {
      const argv = ['run', command, '--agent', `command:${command}`, '--max-iterations', '1'];
      const { exitCode } = await cliIn(repo).run(...argv, '--validate', 'grep -q hello a.txt');
      expect(exitCode, command).toBe(0);
    }
  });

  it('refuses a check whose program is nowhere', async () => {
    await using repo = await gitRepo();
    const argv = ['x', '--agent', 'command:true', '--validate'];
    const { error, tasks } = await refused(repo, ...argv, 'no-such-runner --all');
    expect(error.code).toBe('run.check_not_found');
    expect(error.message).toContain('no-such-runner --all');
    expect(error.message).toContain('validation.command');
    expect(error.hint).toContain('--validate');
    expect(tasks).toHaveLength(0);
    const broken = [...argv, 'no-such-runner', '--baseline', 'allow-broken'];
    const allowed = await cliIn(repo).run('run', ...broken, '--max-iterations', '1');
    expect(allowed.exitCode).toBe(1);
    const setup = [...argv, 'no-such-runner', '--workspace-setup', 'echo may bring it'];
    const brought = await cliIn(repo).run('run', ...setup, '--new', '--max-iterations', '1');
    // What the setup did not bring is found by the baseline.
    expect(brought.exitCode).toBe(2);
  });

  it('refuses a check that is only in the checkout, and names the line to write', async () => {
    await using repo = await gitRepo();
    await repo.write('.gitignore', 'node_modules/\n');
    await repo.write('tools/check.sh', '#!/bin/sh\ngrep -q world greeting.txt\n');
    await chmod(path.join(repo.path, 'tools/check.sh'), 0o755);
    await repo.commitAll('check');
    await mkdir(path.join(repo.path, 'node_modules/.bin'), { recursive: true });
    const bin = path.join(repo.path, 'node_modules/.bin/check');
    await writeFile(bin, '#!/bin/sh\ngrep -q world greeting.txt\n', { mode: 0o755 });
    const check = ['--validate', './node_modules/.bin/check'];
    const { error } = await refused(repo, 'x', '--agent', 'command:true', ...check);
    expect(error.hint).toContain('workspace: { link: [node_modules] }');
    const agent = (await greeter(repo)).slice(0, 2);
    const tracked = await cliIn(repo).run('run', 'y', ...agent, '--validate', 'tools/check.sh');
    expect(tracked.exitCode, tracked.err).toBe(0);
    await repo.write('loopwright.yml', 'workspace: { link: [node_modules] }\n');
    const linked = ['run', 'z', ...agent, ...check];
    expect((await cliIn(repo).run(...linked)).exitCode).toBe(0);
  });

  it('refuses hooks that cannot run and modules that cannot be loaded', async () => {
    await using repo = await gitRepo();
    const argv = ['x', '--agent', 'command:echo a > a.txt', '--validate', 'test -f a.txt'];
    await repo.write('broken.mjs', "import './nowhere.mjs';\nexport const hook = () => {};\n");
    await repo.write('loopwright.yml', 'hooks: { pre-iteration: [{ module: ./broken.mjs }] }\n');
    const broken = await refused(repo, ...argv);
    expect(broken.error.code).toBe('config.hook_module');
    expect(broken.error.message).toContain('nowhere.mjs');
    expect(broken.tasks).toHaveLength(0);
    await repo.write('loopwright.yml', 'hooks: { loop-end: [{ command: no-such-notifier x }] }\n');
    const missing = await refused(repo, ...argv);
    expect(missing.error.message).toContain('no program no-such-notifier');
    await repo.write(
      'fine.mjs',
      "process.stdin.on('data', () => {});\nexport const hook = () => {};\n",
    );
    await repo.write('loopwright.yml', 'hooks: { loop-end: [{ module: ./fine.mjs }] }\n');
    expect((await cliIn(repo).run('run', ...argv)).exitCode).toBe(0);
  });

  it('refuses a cost budget with a model whose price nobody knows', async () => {
    await using repo = await gitRepo();
    const script = path.join(repo.outside, 'agent.yml');
    await writeFile(
      script,
      'iterations:\n  - steps:\n      - usage: { input: 10, output: 1 }\n      - write: { path: a.txt, content: a }\n',
    );
    const config = `agent: paid\nagents:\n  paid: { kind: scripted, script: '${script}', model: house-model }\n`;
    await repo.write('loopwright.yml', config);
    const argv = ['x', '--validate', 'test -f a.txt', '--max-cost-usd', '1'];
    const { error, tasks } = await refused(repo, ...argv);
    expect(error.code).toBe('run.unpriced');
    expect(error.message).toContain('house-model');
    expect(error.hint).toContain('--allow-unpriced');
    expect(tasks).toHaveLength(0);
    expect((await cliIn(repo).run('run', ...argv, '--allow-unpriced')).exitCode).toBe(0);
    const priced = 'prices:\n  house-model: { input: 1, output: 10 }\n';
    await repo.write('loopwright.yml', `${config}${priced}`);
    expect((await cliIn(repo).run('run', ...argv, '--new')).exitCode).toBe(0);
  });

  it('refuses a check that would run in the checkout, as its manifest is not committed', async () => {
    await using repo = await gitRepo();
    await repo.write('package.json', '{"scripts":{"test":"touch ran.txt"}}');
    const argv = ['x', '--agent', 'command:true', '--validate', 'npm test'];
    const { error, tasks } = await refused(repo, ...argv);
    expect(error.code).toBe('run.check_not_found');
    expect(error.message).toContain(
      'package.json, which is in your checkout and not in the commit',
    );
    expect(error.hint).toContain('git add package.json');
    expect(tasks).toHaveLength(0);
    expect(existsSync(path.join(repo.path, 'ran.txt'))).toBe(false);
    await repo.commitAll('manifest');
    expect((await cliIn(repo).run('run', ...argv, '--dry-run')).exitCode).toBe(0);
  });

  it('refuses a hidden check whose program is nowhere', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'verify: { hidden: { audit: no-such-auditor --deep } }\n');
    const { error } = await refused(repo, 'x', '--agent', 'command:true', '--validate', 'true');
    expect(error.message).toContain('no-such-auditor');
    expect(error.message).toContain('verify.hidden.audit');
  });

  it('refuses to go on with a loop as it refuses to start one', async () => {
    await using repo = await gitRepo();
    const script = path.join(repo.outside, 'agent.sh');
    await writeFile(script, '#!/bin/sh\necho x >> n.txt\n', { mode: 0o755 });
    await repo.write('hook.mjs', 'export const hook = () => {};\n');
    await repo.write('loopwright.yml', 'hooks: { loop-end: [{ module: ./hook.mjs }] }\n');
    await repo.commitAll('project');
    const cli = cliIn(repo);
    const argv = ['--agent', `command:${script}`, '--validate', 'false', '--max-iterations', '1'];
    expect((await cli.run('run', 'x', ...argv)).exitCode).toBe(1);
    const { loop } = JSON.parse((await cli.run('loop', 'show', 'last', '--json')).out);
    const state = async () => (await cli.run('loop', 'show', loop, '--json')).out;
    const before = await state();
    const resume = ['loop', 'resume', loop, '--max-iterations', '3', '--json'];

    await rename(script, `${script}.away`);
    const gone = await cli.run(...resume);
    expect([gone.exitCode, JSON.parse(gone.out).error.code]).toEqual([3, 'agent.not_found']);
    await rename(`${script}.away`, script);

    await rm(path.join(repo.path, 'hook.mjs'));
    const hook = await cli.run(...resume);
    expect([hook.exitCode, JSON.parse(hook.out).error.code]).toEqual([3, 'config.hook_module']);
    await repo.write('hook.mjs', 'export const hook = () => {};\n');

    const noModule = await cli.run(...resume, '--agent', 'command:clade -p');
    expect(JSON.parse(noModule.out).error.message).toContain('did you mean claude?');
    expect(await state()).toBe(before);
    expect((await cli.run(...resume)).exitCode).toBe(1);
  });

  it('refuses to hand over what a daemon could not start, and starts no daemon', async () => {
    await using repo = await gitRepo();
    const argv = ['--agent', 'command:clade -p', '--validate', 'true'];
    const text = await refused(repo, 'x', '--detach', ...argv);
    expect(text.error.code).toBe('agent.not_found');
    expect(text.tasks).toHaveLength(0);
    expect(text.loops.loops).toHaveLength(0);
    await repo.write(
      'loopwright.yml',
      "agent: 'command:clade -p'\nvalidation: { command: 'true' }\n",
    );
    await cliIn(repo).run('task', 'add', 'one');
    const ready = await refused(repo, '--detach');
    expect(ready.error.code).toBe('agent.not_found');
    expect(ready.loops.loops).toHaveLength(0);
    expect((await cliIn(repo).run('daemon', 'status')).exitCode).not.toBe(0);
  });
});

describe('a daemon', () => {
  it('leaves tasks alone whose agent cannot be started, and loops whose agent is gone', async () => {
    await using repo = await gitRepo();
    const script = path.join(repo.outside, 'agent.sh');
    await writeFile(script, '#!/bin/sh\necho x >> n.txt\n', { mode: 0o755 });
    const config = `agent: 'command:${script}'\nvalidation: { command: 'test -f done' }\n`;
    await repo.write('loopwright.yml', config);
    await repo.commitAll('project');
    const cli = cliIn(repo);
    await cli.run('run', 'begun', '--max-iterations', '1');
    const { loop } = JSON.parse((await cli.run('loop', 'show', 'last', '--json')).out);
    await rename(script, `${script}.away`);
    await cli.run('task', 'add', 'one');
    await cli.run('task', 'add', 'two');
    await using opened = await openedProject(repo, {});
    await sendMessage(opened.engine, { kind: 'resume', sender: null, to: loop, body: '' });
    const before = (await cli.run('loop', 'show', loop, '--json')).out;
    await using daemon = await servedDaemon(repo, { takesReady: true });
    const { client } = await connected(repo);
    await eventually(async () => {
      const { refused: refusals } = await client.call('daemon', {});
      return refusals.length >= 3;
    }, 'the daemon has refused all three');
    const { loops } = JSON.parse((await cli.run('loop', 'list', '--json')).out);
    expect(loops).toHaveLength(1);
    const { out: tasks } = await cli.run('task', 'list', '--json');
    expect(tasks.match(/"pending"/g)).toHaveLength(2);
    expect((await cli.run('loop', 'show', loop, '--json')).out).toBe(before);
    daemon.signal();
  });
});
