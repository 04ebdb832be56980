import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createDoorClient } from '../../../../../src/adapters/agents/native/door-client.ts';
import { createShareTool } from '../../../../../src/adapters/agents/native/tool/talk.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

test('share passes on a text that is too long for a prompt', async () => {
  await using dir = await tempDir();
  const door = path.join(dir.path, 'door');
  const asked: { argv: readonly string[] }[] = [];
  const server = createServer((socket) => {
    let text = '';
    socket.on('data', (more) => {
      text += String(more);
      if (!text.endsWith('\n')) return;
      asked.push(JSON.parse(text));
      socket.end(`${JSON.stringify({ exitCode: 0, stdout: 'sent', stderr: '' })}\n`);
    });
  }).listen(door);
  await once(server, 'listening');
  const tool = createShareTool(createDoorClient(door));
  const text = 'The interface. '.repeat(4000);
  const output = await tool.call({ to: 'all', text }, AbortSignal.timeout(10_000));
  server.close();
  expect(output).toEqual({ text: 'sent' });
  expect(asked.map(({ argv }) => argv)).toEqual([['share', '--', 'all', text]]);
  const tooLong = { to: 'all', text: 'x'.repeat(1_048_577) };
  expect(() => tool.call(tooLong, AbortSignal.timeout(10_000))).toThrow('the input does not fit');
});
