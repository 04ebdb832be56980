import { generateKeyPairSync } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stripEscapes } from '../../src/core/text/terminal.ts';
import { recordedLine } from '../../src/protocol/event-line.ts';
import { loopDetail } from '../../src/protocol/loop-detail.ts';
import { receiptOf } from '../../src/protocol/receipt.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

const canary = 'canary-7Hq2zL9w-x4';
const key = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;

const coloured = (text: string): string => text.split('').join('\u001b[31m');

/** Files of the state folder that hold a text, but for the worktrees, which are the agent's. */
async function filesWith(repo: GitRepo, text: string): Promise<readonly string[]> {
  const state = path.join(repo.path, '.loopwright');
  const entries = await readdir(state, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || file.includes('/worktrees/')) continue;
    if ((await readFile(file)).includes(text)) found.push(path.relative(state, file));
  }
  return found;
}

/** Files of the state folder that show a text, whatever sequences stand between its letters. */
async function shownIn(repo: GitRepo, text: string): Promise<readonly string[]> {
  const state = path.join(repo.path, '.loopwright');
  const entries = await readdir(state, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || file.includes('/worktrees/')) continue;
    const kept = await readFile(file, 'latin1');
    const shown = stripEscapes(kept.replaceAll(/\\+u001b/g, '\u001b'));
    if (shown.includes(text) || kept.includes(text)) found.push(path.relative(state, file));
  }
  return found;
}

describe('a secret of the user’s', () => {
  it('is in no file of the state folder, whoever wrote it where', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'env: { pass: [SERVICE_TOKEN] }\n');
    await repo.commitAll('hand the token on');
    const env = { ...repo.env, SERVICE_TOKEN: canary };
    // It is printed, put into a file that is committed, and quoted by a finding of L3.
    const file = path.join(repo.outside, 'key');
    await writeFile(file, key);
    const agent = `command:echo $SERVICE_TOKEN; echo "// TODO $SERVICE_TOKEN $(cat '${file}')" >> app.js; false`;
    const flags = { agent, validate: `grep -c . app.js; cat app.js; false`, 'max-iterations': 2 };
    {
      await using project = await openedProject({ path: repo.path, env }, flags);
      const loop = await project.runText(`use ${canary}`, { description: `and ${key}` });
      expect(loop.title).toBe('use [redacted]');
      await project.engine.store.write(async (tx) => {
        await tx.tasks.guide(loop.taskId, `take ${canary}`, 1);
        const task = await tx.tasks.edit(loop.taskId, { description: `now ${canary}` }, 2);
        expect(task.description).toBe('now [redacted]');
      });
      const patch = await project.engine.artifacts.iterationDir(loop.id, 1);
      const text = await readFile(path.join(patch, 'changes.patch'), 'utf8');
      expect(text).toContain('+// TODO [redacted] [redacted]');
      // The work itself is as the agent left it.
      expect(await repo.git('show', `${loop.workspace.branch}:app.js`)).toContain(canary);
      expect(await repo.git('log', '-1', '--format=%B', loop.workspace.branch ?? '')).toContain(
        'Iteration 2 of use [redacted]',
      );
    }
    expect(await filesWith(repo, canary)).toEqual([]);
    expect(await filesWith(repo, key)).toEqual([]);
  });

  it('is found in nothing that is kept, however it came to whoever printed it', async () => {
    await using repo = await gitRepo();
    const secrets = {
      // Handed on by a pattern, which a check does not get.
      FOO_TOKEN: 'simpleSecretValue123',
      // Not handed on: the agent finds it in a file.
      KEPT_PASSWORD: 'neverHandedOn456',
      // Says nothing by its name, but is where an agent has its key.
      MODEL_ACCESS: 'plainAccessValue789',
    };
    const configured = 'writtenInConfiguration1';
    const found = path.join(repo.outside, 'found');
    await writeFile(found, `${Object.values(secrets).join('\n')}\n${configured}\n`);
    const print = `cat '${found}'; cat '${found}' >&2`;
    await repo.write(
      'loopwright.yml',
      `
env: { pass: ['FOO_*'] }
agents:
  printing: { kind: command, command: "${print}; cat '${found}' >> leak.txt; touch name-$FOO_TOKEN", env: { OWN_KEY: ${configured} } }
  other: { kind: native, provider: openai, key-variable: MODEL_ACCESS }
agent: printing
workspace: { setup: "${print}" }
hooks: { pre-iteration: ["${print}"], post-iteration: ["${print}"] }
stop: [{ on: script, command: "${print}; false" }]
validation: { command: "cat leak.txt; test $(grep -c . leak.txt) -ge 8" }
gates: [{ type: llm-judge, agent: "command:${print}", criteria: be kind }]
`,
    );
    await repo.commitAll('what prints');
    {
      const env = { ...repo.env, ...secrets };
      await using project = await openedProject({ path: repo.path, env }, { 'max-iterations': 2 });
      const loop = await project.runText('print it');
      expect(loop.iterations.map(({ gates }) => gates?.length ?? 0)).toEqual([0, 1]);
      const dir = await project.engine.artifacts.iterationDir(loop.id, 2);
      const prompt = await readFile(path.join(dir, 'prompt.md'), 'utf8');
      expect(prompt).toContain('[redacted]');
    }
    for (const secret of Object.values(secrets)) {
      expect({ secret, files: await filesWith(repo, secret) }).toEqual({ secret, files: [] });
    }
    // The settings of a loop are kept as they are.
    const kept = await filesWith(repo, configured);
    expect(kept.filter((file) => !file.startsWith('state.db'))).toEqual([]);
  });

  it('is found in nothing that is kept when its colour changes in the middle, in the command of a check either', async () => {
    await using repo = await gitRepo();
    const env = { ...repo.env, SERVICE_TOKEN: canary };
    const pem = String(
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
        type: 'pkcs8',
        format: 'pem',
      }),
    );
    const [, pemLine = ''] = pem.split('\n');
    const print = path.join(repo.outside, 'print.mjs');
    const report = { type: 'text', text: `${coloured(canary)} ${coloured(key)}` };
    const lines = [coloured(canary), coloured(key), JSON.stringify(report), pem];
    await writeFile(
      print,
      `const text = ${JSON.stringify(`${lines.join('\n')}\n`)};
process.stdout.write(text);
process.stderr.write(text);
process.stdout.write('not ok 1 - ' + ${JSON.stringify(coloured(key))} + '\\n  ---\\n  error: ' + ${JSON.stringify(coloured(canary))} + '\\n  ...\\n1..1\\n# tests 1\\n# pass 0\\n# fail 1\\n');
process.exitCode = 1;`,
    );
    const run = `node '${print}'`;
    const flags = {
      agent: `command:${run}; ${run} >> left.txt; echo x >> app.js; true`,
      validate: `: ${key}; ${run}`,
      'max-iterations': 2,
    };
    await using project = await openedProject({ path: repo.path, env }, flags);
    const loop = await project.runText(`use ${coloured(canary)}`);
    const check = loop.iterations[0]?.report?.levels.L1?.checks[0];
    expect(check?.command).toBe(`: [redacted]; ${run}`);
    expect(check?.failures?.[0]?.message).toContain('[redacted]');
    const events = await project.engine.store.read((tx) => tx.loops.events(loop.id, 0, 1000));
    const eventLines = events.map((recorded) => recordedLine(loop.id, recorded));
    const told = stripEscapes(
      JSON.stringify([
        receiptOf(loop, { brokenAt: null, differs: [] }),
        loopDetail(loop, []),
        eventLines,
      ]),
    );
    expect(told).toContain('[redacted]');
    for (const secret of [canary, key, pemLine]) expect(told).not.toContain(secret);
    for (const secret of [canary, pemLine]) expect(await shownIn(repo, secret)).toEqual([]);
    // The settings of a loop are kept as they are, since they are run again, and told without keys.
    const kept = await shownIn(repo, key);
    expect(kept.filter((file) => !file.startsWith('state.db'))).toEqual([]);
  });

  it('in a title does not keep the task from being found again by its words', async () => {
    await using repo = await gitRepo();
    const env = { ...repo.env, SERVICE_TOKEN: canary };
    const flags = { agent: 'command:true', validate: 'false', 'max-iterations': 1 };
    await using project = await openedProject({ path: repo.path, env }, flags);
    const { engine } = project;
    const { addTask, findMeantTask } = await import('../../src/engine/text-task.ts');
    const added = await addTask(engine, { title: `try ${canary}` });
    expect((await findMeantTask(engine, `try ${canary}`))?.id).toBe(added.id);
  });
});
