import { expect, test } from 'vitest';
import { detectFormat } from '../../../src/core/task/detect.ts';

test.each([
  ['plan.md', '', 'markdown'],
  ['PLAN.MARKDOWN', '{}', 'markdown'],
  ['issues.jsonl', '', 'beads'],
  ['tasks.yml', '', 'yaml'],
  ['tasks.yaml', '', 'yaml'],
  ['prd.json', '', 'json'],
  [null, '- [ ] A', 'markdown'],
  ['plan.txt', '# Plan\n\n* [x] A\r\n', 'markdown'],
  [null, '{"tasks": []}', 'json'],
  [null, '[\n {"title": "A"}]', 'json'],
  [null, '{"id":"bd-1","title":"A"}\n{"id":"bd-2","title":"B"}\n', 'beads'],
  [null, 'tasks:\n  - title: A\n', 'yaml'],
  [null, '- title: A\n', 'yaml'],
  [null, 'just words', 'markdown'],
] as const)('%s with %j is %s', (name, text, format) => {
  expect(detectFormat(name, text)).toBe(format);
});
