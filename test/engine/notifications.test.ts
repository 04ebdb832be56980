import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { realCli } from '../cli/real-cli.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

/** A receiver of webhooks; `answer` decides what becomes of each. */
async function receiver(answer: 'ok' | 'never' | 500) {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      bodies.push(JSON.parse(text));
      if (answer !== 'never') response.writeHead(answer === 'ok' ? 204 : 500).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    bodies,
    url: `http://127.0.0.1:${port}/hook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const loopFlags = { agent: 'command:echo x > done.txt', validate: 'test -f done.txt' };

describe('notifications', () => {
  it('go to webhooks in their format and to a command, when a loop ends', async () => {
    await using repo = await gitRepo();
    await using json = await receiver('ok');
    await using slack = await receiver('ok');
    await using discord = await receiver('ok');
    const file = path.join(repo.outside, 'told.json');
    await repo.write(
      'loopwright.yml',
      `notify:
  command: "cat > '${file}'"
  webhooks:
    - { url: '${json.url}' }
    - { url: '${slack.url}', format: slack }
    - { url: '${discord.url}', format: discord }
`,
    );
    await repo.commitAll('project');
    const project = await openedProject(repo, loopFlags);
    const loop = await project.runText('make <it> & be done');
    await project[Symbol.asyncDispose]();
    const text = 'the checks went from red to green';
    const title = 'make <it> & be done';
    const said = { kind: 'complete', title, text, loop: loop.id, task: loop.taskId };
    expect(json.bodies).toEqual([{ ...said, critical: false }]);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject(said);
    expect(slack.bodies).toEqual([
      { text: `[complete] make &lt;it&gt; &amp; be done: ${text} (${loop.id})` },
    ]);
    expect(discord.bodies).toEqual([
      { content: `[complete] ${title}: ${text} (${loop.id})`, allowed_mentions: { parse: [] } },
    ]);
  });

  it('that reach nobody delay no loop, and are told once', async () => {
    await using repo = await gitRepo();
    await using down = await receiver(500);
    await using silent = await receiver('never');
    await repo.write(
      'loopwright.yml',
      `notify: { min-interval: 0s, webhooks: [{ url: '${down.url}' }, { url: '${silent.url}' }] }\n`,
    );
    await repo.commitAll('project');
    const project = await openedProject(repo, loopFlags);
    const first = await project.runText('one');
    const second = await project.runText('two');
    // Both are done while the first notification still waits for an answer that never comes.
    expect([first.status, second.status]).toEqual(['complete', 'complete']);
    expect(silent.bodies.length).toBeGreaterThan(0);
    await project[Symbol.asyncDispose]();
    const told = project.live.filter(
      (event) => event.kind === 'notice' && event.text.includes(new URL(down.url).host),
    );
    expect(told).toHaveLength(1);
  });

  it('keep their limits over all processes of the project', async () => {
    await using repo = await gitRepo();
    await using json = await receiver('ok');
    await repo.write('loopwright.yml', `notify: { webhooks: [{ url: '${json.url}' }] }\n`);
    await repo.commitAll('project');
    const run = (title: string, ...more: readonly string[]) =>
      realCli(repo.path, repo.env, [
        'run',
        title,
        '--agent',
        loopFlags.agent,
        '--validate',
        loopFlags.validate,
        ...more,
      ]).ended;
    // At the same time, and one after the other.
    const both = await Promise.all([run('one'), run('two')]);
    expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect((await run('three')).exitCode).toBe(0);
    expect(json.bodies).toHaveLength(1);
    await repo.write(
      'loopwright.yml',
      `notify: { min-interval: 0s, webhooks: [{ url: '${json.url}' }] }\n`,
    );
    await repo.commitAll('at once');
    expect((await run('four')).exitCode).toBe(0);
    expect(json.bodies).toHaveLength(2);
    expect(json.bodies[1]).toMatchObject({ text: expect.stringContaining('(and 2 more since)') });
  }, 120_000);
});
