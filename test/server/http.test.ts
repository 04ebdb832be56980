import { describe, expect, it } from 'vitest';
import { connected, exchange, readEvents, servedDaemon, type Sent } from '../support/daemon.ts';
import { gitRepo } from '../support/git-repo.ts';

describe('the HTTP interface', () => {
  it('refuses whoever is not meant, before anything else is looked at', async () => {
    await using repo = await gitRepo();
    await using daemon = await servedDaemon(repo);
    const { url, token } = daemon.registration;
    const host = new URL(url).host;
    const authorization = `Bearer ${token}`;
    const json = { authorization, 'content-type': 'application/json' };
    const cases: readonly (readonly [string, Sent, number, string])[] = [
      ['no token', { path: '/v1/health' }, 401, 'http.unauthorised'],
      [
        'a wrong token',
        { path: '/v1/health', headers: { authorization: `Bearer ${'0'.repeat(token.length)}` } },
        401,
        'http.unauthorised',
      ],
      [
        'another host',
        { path: '/v1/health', headers: { authorization, host: 'evil.example' } },
        421,
        'http.host',
      ],
      [
        'another port',
        { path: '/v1/health', headers: { authorization, host: '127.0.0.1:1' } },
        421,
        'http.host',
      ],
      [
        'another origin',
        { path: '/v1/health', headers: { authorization, origin: 'http://evil.example' } },
        403,
        'http.origin',
      ],
      [
        'the null origin',
        { path: '/v1/health', headers: { authorization, origin: 'null' } },
        403,
        'http.origin',
      ],
      [
        'a cross-site fetch',
        { path: '/v1/health', headers: { authorization, 'sec-fetch-site': 'cross-site' } },
        403,
        'http.origin',
      ],
      [
        'another protocol',
        { path: '/v1/health', headers: { authorization, 'loopwright-protocol': '99' } },
        409,
        'daemon.protocol',
      ],
      ['no such path', { path: '/v1/nothing', headers: { authorization } }, 404, 'http.not_found'],
      [
        'a way out of the tree',
        { path: '/v1/../../etc/passwd', headers: { authorization } },
        404,
        'http.not_found',
      ],
      [
        'a broken escape',
        { path: '/v1/loops/%E0%A4%A', headers: { authorization } },
        404,
        'http.not_found',
      ],
      [
        'another method',
        { method: 'DELETE', path: '/v1/health', headers: { authorization } },
        405,
        'http.method',
      ],
      [
        'a form',
        {
          method: 'POST',
          path: '/v1/tasks',
          headers: { authorization, 'content-type': 'text/plain' },
          body: '{"title":"x"}',
        },
        415,
        'http.type',
      ],
      [
        'half a body',
        { method: 'POST', path: '/v1/tasks', headers: json, body: '{"title":' },
        400,
        'http.json',
      ],
      [
        'a body of another shape',
        { method: 'POST', path: '/v1/tasks', headers: json, body: '{"title":"x","and":1}' },
        400,
        'http.schema',
      ],
      [
        'a body that is too large',
        {
          method: 'POST',
          path: '/v1/tasks',
          headers: json,
          body: JSON.stringify({ title: 'x', description: 'y'.repeat(300_000) }),
        },
        413,
        'http.too_large',
      ],
      [
        'a loop nobody knows',
        { path: '/v1/loops/loop-00000000', headers: { authorization } },
        404,
        'loop.not_found',
      ],
    ];
    for (const [what, sent, status, code] of cases) {
      const answer = await exchange(url, sent);
      expect({ what, status: answer.status, code: JSON.parse(answer.text).error.code }).toEqual({
        what,
        status,
        code,
      });
      expect(answer.headers).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'x-content-type-options': 'nosniff',
      });
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
    const own = { authorization, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    expect((await exchange(url, { path: '/v1/health', headers: own })).status).toBe(200);
  });

  it('lets nobody guess tokens quickly', async () => {
    await using repo = await gitRepo();
    await using daemon = await servedDaemon(repo);
    const { url, token } = daemon.registration;
    const guesses = await Promise.all(
      Array.from({ length: 40 }, () => exchange(url, { path: '/v1/health' })),
    );
    const statuses = guesses.map(({ status }) => status);
    expect(statuses).toContain(429);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    // Who knows the token is not held up by those who do not.
    const known = await exchange(url, {
      path: '/v1/health',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(known.status).toBe(200);
  });

  it('answers every route with what its schema says, through the typed client', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'loopwright.yml',
      'agent: "command:echo x > done.txt"\nvalidation: { command: test -f done.txt }\n',
    );
    await repo.commitAll('project');
    await using daemon = await servedDaemon(repo);
    const { client } = await connected(repo);
    using reader = readEvents(daemon.registration);
    await reader.until(({ event }) => event === 'hello');
    const task = await client.call('addTask', { body: { title: 'make it' } });
    const rested = await reader.until(({ data }) => data['type'] === 'loop.rested');
    const loop = String(rested.data['loop']);
    expect((await client.call('tasks')).tasks[0]?.task).toBe(task.task);
    expect((await client.call('loops', { query: { limit: 5 } })).loops[0]).toMatchObject({ loop });
    expect(await client.call('loop', { params: { loop } })).toMatchObject({
      status: 'complete',
      filesChanged: ['done.txt'],
    });
    const { events } = await client.call('loopEvents', { params: { loop }, query: { since: 0 } });
    expect(events[0]).toMatchObject({ seq: 1, type: 'loop.created' });
    const asked = { kind: 'pause', when: 'finish' } as const;
    expect(await client.call('requestLoop', { params: { loop }, body: asked })).toMatchObject({
      answer: 'already',
    });
    expect(await client.call('guide', { params: { loop }, body: { text: 'be brief' } })).toEqual({
      loop,
      task: task.task,
    });
    expect((await client.call('overview')).tasks['done']).toBe(1);
    expect((await client.call('messages')).messages).toEqual([]);
    const headers = { authorization: `Bearer ${daemon.registration.token}` };
    const { text } = await exchange(daemon.registration.url, {
      path: '/v1/openapi.json',
      headers,
    });
    expect(Object.keys(JSON.parse(text).paths)).toContain('/v1/loops/{loop}/requests');
  });

  it('tells a task that cannot be started, and starts it when the configuration is put right', async () => {
    await using repo = await gitRepo();
    await using daemon = await servedDaemon(repo);
    const { client } = await connected(repo);
    using reader = readEvents(daemon.registration);
    await reader.until(({ event }) => event === 'hello');
    const { task } = await client.call('addTask', { body: { title: 'make it' } });
    await reader.until(({ data }) => String(data['text']).includes(`${task} cannot go on`));
    expect((await client.call('daemon')).refused).toMatchObject([{ id: task }]);
    await repo.write(
      'loopwright.yml',
      'agent: "command:echo x > done.txt"\nvalidation: { command: test -f done.txt }\n',
    );
    const rested = await reader.until(({ data }) => data['type'] === 'loop.rested');
    expect(rested.data).toMatchObject({ status: 'complete' });
  });
});

describe('the event stream', () => {
  it('goes on after the last id, also with another daemon, with every event once', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'loopwright.yml',
      'agent: "command:echo x >> n.txt"\nvalidation: { command: \'test "$(wc -l < n.txt)" -ge 2\' }\n',
    );
    await repo.commitAll('project');
    const seen: string[] = [];
    const note = (reader: ReturnType<typeof readEvents>) => {
      for (const { event, data } of reader.events) {
        if (event === 'recorded') seen.push(`${String(data['loop'])} ${String(data['seq'])}`);
      }
      return reader.events.findLast(({ id }) => id !== null)?.id ?? null;
    };
    let last: string | null = '0';
    {
      await using daemon = await servedDaemon(repo);
      const { client } = await connected(repo);
      using reader = readEvents(daemon.registration, last);
      await client.call('addTask', { body: { title: 'one' } });
      await reader.until(({ data }) => data['type'] === 'agent.ended');
      last = note(reader);
    }
    await using daemon = await servedDaemon(repo);
    const { client } = await connected(repo);
    await client.call('addTask', { body: { title: 'two' } });
    using reader = readEvents(daemon.registration, last);
    const done = new Set<unknown>();
    await reader.until(({ data }) => {
      if (data['type'] === 'loop.rested' && data['status'] === 'complete') done.add(data['loop']);
      return done.size === 2;
    });
    note(reader);
    expect(new Set(seen).size).toBe(seen.length);
    for (const loop of done) {
      const numbers = seen
        .filter((line) => line.startsWith(`${String(loop)} `))
        .map((line) => Number(line.split(' ')[1]));
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    }
  });

  it('refuses an id that is none', async () => {
    await using repo = await gitRepo();
    await using daemon = await servedDaemon(repo);
    using reader = readEvents(daemon.registration, 'x');
    expect(await reader.status).toBe(400);
  });
});
