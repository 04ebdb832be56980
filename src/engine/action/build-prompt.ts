import { createHash } from 'node:crypto';
import path from 'node:path';
import {
  assemblePrompt,
  loadTaskContext,
  noWorkspaceText,
  printsWorkspaceText,
  templatesOf,
} from '../assemble-prompt.ts';
import { passState } from '../../core/loop/passes.ts';
import type { StoreTx } from '../../ports/store.ts';
import type { Engine } from '../engine.ts';
import { loadMemory, memoryRequest } from '../load-memory.ts';
import type { LoopOwner } from '../loop-owner.ts';

/** Beside `prompt.md`, for agents that have a channel for it. */
export const systemPromptFile = 'system-prompt.md';

export const describeLimits = { diffChars: 5000, logEntries: 10 };

/** The prompt of this iteration, kept as a file and by its hash. */
export async function buildPrompt(engine: Engine, owner: LoopOwner): Promise<void> {
  const { loop, iteration, workspace } = owner;
  const { context, memory } = await engine.store.read((tx) => recall(tx, engine, owner));
  const templates = await templatesOf(engine, loop.prompt);
  const runner = await engine.resolveAgent(loop.settings);
  const { warnings, injected, withheld, shared, ...assembled } = assemblePrompt(templates, {
    ...context,
    settings: loop.settings,
    prompt: loop.prompt,
    iteration: iteration.number,
    pass: passState(loop),
    workingDirectory: workspace.path,
    branch: workspace.branch,
    workspace: printsWorkspaceText(templates, loop.prompt)
      ? await workspace.describe(describeLimits, owner.closing)
      : noWorkspaceText,
    progress: loop.progress,
    feedback: loop.feedback,
    memory,
    shared: loop.shared ?? [],
    hasSystemPrompt: runner.hasSystemPrompt === true,
  });
  // Diffs and files quote what is in them.
  const text = engine.clean(assembled.text);
  const system = assembled.systemPrompt === null ? null : engine.clean(assembled.systemPrompt);
  const dir = await engine.artifacts.iterationDir(loop.id, iteration.number);
  await owner.before('build-prompt');
  await engine.artifacts.write(path.join(dir, 'prompt.md'), text);
  if (system !== null) await engine.artifacts.write(path.join(dir, systemPromptFile), system);
  await owner.after('build-prompt');
  await owner.record({
    type: 'prompt.built',
    hash: hashOf(text),
    ...(system === null ? {} : { systemHash: hashOf(system) }),
    chars: text.length,
    injected,
    ...(withheld.length === 0 ? {} : { withheld }),
    ...(shared === 0 ? {} : { shared }),
    warnings,
  });
}

async function recall(tx: StoreTx, { clock }: Engine, { loop, iteration }: LoopOwner) {
  const context = await loadTaskContext(tx, loop.taskId);
  const request = memoryRequest(loop, iteration, context.task, clock.now());
  return { context, memory: await loadMemory(tx, request) };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
