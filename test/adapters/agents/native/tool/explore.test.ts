import { expect, test } from 'vitest';
import {
  createExploreTool,
  type Explorer,
} from '../../../../../src/adapters/agents/native/tool/explore.ts';

const observed = (text: string) => ({
  type: 'call' as const,
  speaker: 'explore' as const,
  id: '1',
  name: 'read',
  activity: { kind: 'reading' as const, text },
  input: '{}',
});

/** Never comes to an answer by itself. */
const slow: Explorer = (_question, _turns, signal, observe) => {
  observe({ type: 'said', speaker: 'explore', text: 'Half of it is in a.ts.' });
  observe(observed('a.ts'));
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });
};

test('time that has run out leaves a summary', async () => {
  const tool = createExploreTool(slow, 50);
  const { text, isError } = await tool.call({ question: 'Where?' }, new AbortController().signal);
  expect(isError).toBeUndefined();
  expect(text).toBe(
    'Half of it is in a.ts.\n\n(not finished: it took more than 0.05 s)\n\nIt looked at:\n- read a.ts',
  );
});

test('a stop from outside is no summary', async () => {
  const stop = new AbortController();
  const stopped: Explorer = (_question, _turns, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      stop.abort(new Error('stopped'));
    });
  await expect(
    createExploreTool(stopped).call({ question: 'Where?' }, stop.signal),
  ).rejects.toThrow('stopped');
});
