import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startModelServer,
  type ModelServer,
} from '../../src/adapters/model-server/model-server.ts';
import { say, type Ask, type Reply } from '../../src/adapters/model-server/scenario.ts';
import { findSandboxFault } from '../../src/adapters/process/sandbox.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';

const steps = 3;
let refusals = 0;

/** Looks around a few times, then writes a file. The task called `limited` is refused once, with a pause. */
function busy({ messages, step }: Ask): Reply {
  if (refusals === 0 && messages.join('\n').includes('limited')) {
    refusals += 1;
    return { kind: 'status', status: 429, retryAfter: { form: 'text', text: '4' } };
  }
  if (step < steps) return { kind: 'acts', acts: [{ kind: 'shell', command: `echo ${step}` }] };
  if (step === steps) return { kind: 'acts', acts: [{ kind: 'shell', command: 'echo x > n.txt' }] };
  return say('Done.');
}

function tool(name: string, input: Record<string, unknown>): Reply {
  return { kind: 'acts', acts: [{ kind: 'tool', name, input }] };
}

function talks({ messages, step, results }: Ask): Reply {
  const other = /loop-[0-9a-f]{8}/.exec(messages.join('\n'))?.[0] ?? '';
  if (step === 0) return tool('share', { to: other, text: 'the port is 8080' });
  if (step === 1) return tool('query', { of: other });
  if (step === 2) {
    const content = results.join('\n');
    return { kind: 'acts', acts: [{ kind: 'write', path: 'n.txt', content, isNew: true }] };
  }
  return say('Done.');
}

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ scenarios: { busy, talks } });
});
afterAll(() => server[Symbol.asyncDispose]());

/** In front of the model: takes its time, and counts what is in flight at once. */
async function slowFront(base: string) {
  let inFlight = 0;
  const seen = { most: 0 };
  const front = createServer((from, to) => {
    inFlight += 1;
    seen.most = Math.max(seen.most, inFlight);
    to.on('close', () => (inFlight -= 1));
    setTimeout(() => {
      const { method, headers } = from;
      const onward = httpRequest(`${base}${from.url ?? ''}`, { method, headers }, (answer) => {
        to.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(to);
      });
      from.pipe(onward);
    }, 30);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has one
  const { port } = front.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
    },
  };
}

function userOf(repo: GitRepo, address: string) {
  const env = { ...repo.env, ANTHROPIC_API_KEY: 'k-1', ANTHROPIC_BASE_URL: address };
  return { ...repo, env };
}

async function runAll(project: TestProject, titles: readonly string[]) {
  const { store, ids, clock } = project.engine;
  for (const title of titles) {
    await store.write((tx) => tx.tasks.add(ids.task(), { title, description: '' }, clock.now()));
  }
  return project.runReady({ jobs: titles.length });
}

const reasons = (project: TestProject): Set<string> =>
  new Set(
    project.live.flatMap((event) =>
      event.kind === 'queue' ? event.queue.places.map(({ obstacle }) => obstacle.kind) : [],
    ),
  );

const flags = { agent: 'native', validate: 'test -f n.txt', model: 'm' };

describe('requests of native agents', () => {
  it('are never more in flight than allowed, and those who wait are told', async () => {
    shows('002.slot-before-call', '002.slot-after-call');
    await using repo = await gitRepo();
    await using front = await slowFront(server.base('busy', 'calls'));
    await using project = await openedProject(userOf(repo, front.url), {
      ...flags,
      'max-api-calls': '1',
    });
    const { loops } = await runAll(project, ['one', 'two']);
    expect(loops.map(({ status }) => status)).toEqual(['complete', 'complete']);
    expect(front.seen.most).toBe(1);
    expect(reasons(project)).toContain('busy');
    expect(project.engine.slots.queue.held).toMatchObject({ request: 0, agent: 0 });
  });

  it.each([
    ['request-window', { 'max-requests': '1', 'request-window': '1h' }],
    // A reply costs 1300 tokens here.
    ['token-window', { 'tokens-per-minute': '2000' }],
  ])('wait for the window of their provider: %s', async (reason, limit) => {
    await using repo = await gitRepo();
    const address = server.base('busy', reason);
    await using project = await openedProject(userOf(repo, address), { ...flags, ...limit });
    const running = runAll(project, ['one']);
    while (!reasons(project).has(reason)) await new Promise((resolve) => setTimeout(resolve, 10));
    project.control.interrupt('cut');
    const { loops } = await running;
    expect(loops).toMatchObject([{ status: 'paused', reason: 'interrupted' }]);
    expect(project.engine.slots.queue.places).toEqual([]);
  });

  it('leave a provider alone that has refused one of them', async () => {
    refusals = 0;
    await using repo = await gitRepo();
    await using front = await slowFront(server.base('busy', 'refused'));
    await using project = await openedProject(userOf(repo, front.url), flags);
    const { loops } = await runAll(project, ['limited', 'other']);
    expect(loops.map(({ status }) => status)).toEqual(['complete', 'complete']);
    expect(reasons(project)).toContain('rate-limit');
  });
});

it.for(['off', 'bubblewrap'])(
  'the tools share and query speak for their loop: sandbox %s',
  async (sandbox, { skip }) => {
    const fault = sandbox === 'bubblewrap' ? findSandboxFault() : null;
    skip(fault !== null, fault ?? '');
    await using repo = await gitRepo();
    const other = await openedProject(repo, {
      agent: 'command:true',
      validate: 'false',
      'max-iterations': '1',
    });
    const { id } = await other.runText('the other one');
    await other[Symbol.asyncDispose]();
    const address = server.base('talks', sandbox);
    await using project = await openedProject(userOf(repo, address), { ...flags, sandbox });
    const loop = await project.runText(`tell ${id}`);
    expect(loop).toMatchObject({ status: 'complete' });
    const told = await repo.git('show', `${loop.workspace.branch}:n.txt`);
    expect(told).toContain(`sent to 1 loop: ${id}`);
    expect(told).toContain('the other one');
    const unread = await project.engine.store.read((tx) => tx.messages.unread(id, 10));
    expect(unread).toMatchObject([{ kind: 'share', sender: loop.id, body: 'the port is 8080' }]);
  },
);
