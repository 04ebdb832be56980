import path from 'node:path';
import { mkdir } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { createCommandAgent } from '../../../src/adapters/agents/command/command-agent.ts';
import {
  emptyText,
  finishText,
  maxFinalChars,
  parseText,
} from '../../../src/adapters/agents/command/text-format.ts';
import { createAgentRunner } from '../../../src/adapters/agents/run-agent.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runOnce } from './agent-run.ts';

const supervisor = createSupervisor();
afterAll(() => supervisor[Symbol.asyncDispose]());

async function run(command: string, changes: Parameters<typeof runOnce>[2] = {}) {
  await using dir = await tempDir();
  const folder = path.join(dir.path, 'work');
  await mkdir(folder);
  return await runOnce(
    createAgentRunner(createCommandAgent('command', command), supervisor),
    folder,
    changes,
  );
}

test('the command gets the reserved variables and the prompt, with the system prompt at its end', async () => {
  const { outcome } = await run('env | grep ^LOOPWRIGHT_ | sort; cat', {
    iteration: 4,
    model: 'small-1',
    systemPrompt: 'Use sigils.',
    promptFile: '/tmp/prompt.md',
  });
  expect(outcome.finalText).toBe(`LOOPWRIGHT_ITERATION=4
LOOPWRIGHT_LOOP=loop-00000001
LOOPWRIGHT_MAX_ITERATIONS=10
LOOPWRIGHT_MODEL=small-1
LOOPWRIGHT_PROMPT_FILE=/tmp/prompt.md
LOOPWRIGHT_TASK=t-00000001
Do the work.


Use sigils.`);
});

test('each line it prints is shown', async () => {
  const { activities } = await run(`echo one; echo; echo two; printf '%600s' x`);
  expect(activities.map(({ kind, text }) => [kind, text.length])).toEqual([
    ['saying', 3],
    ['saying', 3],
    ['saying', 501],
  ]);
});

test('a missing command is told as such', async () => {
  const { outcome } = await run('no-such-agent --flag');
  expect(outcome.kind).toBe('crashed');
  expect(outcome.evidence).toContain('command not found (exit code 127)');
  expect(outcome.evidence).toContain('no-such-agent');
});

test('a message that is cut starts with a whole line, so that no rest of a line passes for a claim', () => {
  const claim = '<task-done>t-1</task-done>';
  const padding = 'x'.repeat(maxFinalChars - claim.length - 1);
  let state = emptyText;
  for (const line of [`it is wrong to say ${claim}`, padding]) ({ state } = parseText(line, state));
  const { finalText } = finishText(state, { kind: 'exited', code: 0 }, '');
  expect(finalText).toBe(padding);
  expect(finalText).not.toContain('task-done');
});

test('a single endless line keeps its end, marked as cut', () => {
  const { state } = parseText(`<task-done>${'y'.repeat(3 * maxFinalChars)}`, emptyText);
  const { finalText } = finishText(state, { kind: 'exited', code: 0 }, '');
  expect(finalText.startsWith('…yyy')).toBe(true);
  expect(finalText.length).toBeLessThanOrEqual(maxFinalChars + 1);
});
