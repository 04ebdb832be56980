import path from 'node:path';
import { mkdir } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { createCommandAgent } from '../../../src/adapters/agents/command/command-agent.ts';
import { createAgentRunner } from '../../../src/adapters/agents/run-agent.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runOnce } from './agent-run.ts';
import { shows } from '../../support/shows.ts';

/** How much of an output's end is its final message. */
const keptBytes = 256 * 1024;

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
  shows('004.prompt-sent');
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

test('a message that is cut starts with a whole line, so that no rest of a line passes for a claim', async () => {
  const claim = '<task-done>t-1</task-done>';
  const { outcome } = await run(
    `echo 'it is wrong to say ${claim}'; head -c ${keptBytes - claim.length - 2} /dev/zero | tr '\\0' x; echo`,
  );
  expect(outcome.finalText).toMatch(/^x+$/);
});

test('a single endless line keeps its end, marked as cut', async () => {
  const { outcome } = await run(`head -c ${3 * keptBytes} /dev/zero | tr '\\0' y`);
  expect(outcome.finalText).toMatch(/^…y+$/);
  expect(outcome.finalText.length).toBeLessThanOrEqual(keptBytes + 1);
});

test('of a flood of lines the last words are shown and kept', async () => {
  const { outcome, activities } = await run('seq 1 200000');
  expect(outcome.finalText.endsWith('\n199999\n200000')).toBe(true);
  expect(activities.at(-1)?.text).toBe('200000');
});
