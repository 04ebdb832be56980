import { expect, test } from 'vitest';
import { toolActivity, waitingForApi } from '../../../src/core/agent/tool-activity.ts';

test.each([
  ['Read', { file_path: 'src/x.ts' }, 'reading', 'src/x.ts'],
  ['read_file', { absolute_path: '/w/x.ts' }, 'reading', '/w/x.ts'],
  ['Grep', { pattern: 'foo' }, 'reading', 'foo'],
  ['WebFetch', { url: 'https://example.org' }, 'reading', 'https://example.org'],
  ['Edit', { file_path: 'a.ts', new_string: 'x' }, 'editing', 'a.ts'],
  ['write', { filePath: 'b.ts' }, 'editing', 'b.ts'],
  ['apply_patch', 'text', 'editing', 'files'],
  ['Bash', { command: 'npm test' }, 'running', 'npm test'],
  ['exec_command', { cmd: 'ls' }, 'running', 'ls'],
  ['TodoWrite', { todos: [] }, 'thinking', 'planning'],
  ['Task', { description: 'look around' }, 'running', 'Task: look around'],
  ['mcp__x__y', {}, 'running', 'mcp__x__y'],
  ['constructor', null, 'running', 'constructor'],
])('%s with %j is %s %s', (tool, input, kind, text) => {
  expect(toolActivity(tool, input)).toEqual({ kind, text });
});

test('a command of any length is one short line', () => {
  const { text } = toolActivity('Bash', { command: 'x'.repeat(100_000) });
  expect(text).toHaveLength(501);
});

test.each([
  [2, 1500, 'for the API (attempt 2, retry in 1.5 s)'],
  [1, null, 'for the API (attempt 1)'],
  [null, null, 'for the API'],
])('waiting for attempt %s in %s', (attempt, delayMs, text) => {
  expect(waitingForApi(attempt, delayMs)).toEqual({ kind: 'waiting', text });
});
