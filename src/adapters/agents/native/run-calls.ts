import { describeCall } from '../../../core/agent/native/describe-call.ts';
import type { ToolCall, ToolResult } from '../../../core/agent/native/message.ts';
import { batchesOf } from '../../../core/agent/native/tool.ts';
import type { CallEnd } from '../../../core/agent/native/turn.ts';
import type { Clock } from '../../../ports/clock.ts';
import { shownPath } from './walk.ts';
import type { Speaker, StreamEvent } from './stream.ts';
import { ToolError, type Tool, type ToolOutput } from './tool/tool.ts';

export type CallParts = {
  readonly tools: readonly Tool[];
  readonly clock: Clock;
  readonly speaker: Speaker;
  readonly print: (event: StreamEvent) => void;
};

export type Called = { readonly result: ToolResult; readonly end: CallEnd };

const atOnce = 4;
const maxInputChars = 100_000;
const maxResultChars = 500_000;
const maxLoggedChars = 100_000;

/**
 * The calls of one turn, their results in the order of the calls. Those that only read run together, every other alone;
 * the end of the task comes last, and only when nothing else went wrong.
 */
export async function runCalls(
  parts: CallParts,
  calls: readonly ToolCall[],
  signal: AbortSignal,
): Promise<readonly Called[]> {
  const called = new Map<ToolCall, Called>();
  const ending = calls.filter(({ name }) => name === 'complete_task');
  const working = calls.filter((call) => !ending.includes(call));
  for (const batch of batchesOf(working, atOnce)) {
    const done = await Promise.all(batch.map((call) => runCall(parts, call, signal)));
    for (const [index, call] of batch.entries()) {
      const each = done[index];
      if (each !== undefined) called.set(call, each);
    }
  }
  const isClean = [...called.values()].every(({ end }) => !end.isError);
  for (const call of ending) {
    called.set(call, isClean ? await runCall(parts, call, signal) : notYet(parts, call));
  }
  return calls.flatMap((call) => called.get(call) ?? []);
}

async function runCall(parts: CallParts, call: ToolCall, signal: AbortSignal): Promise<Called> {
  const { clock, speaker, print } = parts;
  const { id, name } = call;
  const input = JSON.stringify(call.input ?? {})
    .slice(0, maxInputChars)
    .toWellFormed();
  print({ type: 'call', speaker, id, name, activity: describeCall(name, call.input), input });
  const startedAt = clock.monotonic();
  const output = await outputOf(parts, call, signal);
  return finished(parts, call, output, Math.round(clock.monotonic() - startedAt));
}

function notYet(parts: CallParts, call: ToolCall): Called {
  const text = 'Another call of this turn failed: look at its result before you complete the task.';
  return finished(parts, call, { text, isError: true }, 0);
}

function finished(
  { speaker, print }: CallParts,
  { id, name }: ToolCall,
  output: ToolOutput,
  durationMs: number,
): Called {
  const text = output.text.slice(0, maxResultChars).toWellFormed();
  const isError = output.isError === true;
  const size = output.text.length;
  const logged = text.slice(0, maxLoggedChars).toWellFormed();
  print({ type: 'called', speaker, id, name, isError, durationMs, size, output: logged });
  return {
    result: { type: 'result', callId: id, text, isError },
    end: { name, isError, finalText: output.finalText ?? null },
  };
}

async function outputOf(
  { tools }: CallParts,
  { name, input, fault }: ToolCall,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) {
    const names = tools.map((each) => each.name).join(', ');
    const shown = shownPath(name.slice(0, 100));
    return { text: `There is no tool ${shown}. Yours are: ${names}.`, isError: true };
  }
  if (fault !== null) return { text: `The call could not be read: ${fault}.`, isError: true };
  try {
    return await tool.call(input, signal);
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    const text = error instanceof ToolError ? reason : `The tool failed: ${reason}`;
    return { text, isError: true };
  }
}
