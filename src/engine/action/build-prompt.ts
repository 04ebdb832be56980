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
import { knowledgeRevision, loadKnowledge } from '../load-knowledge.ts';
import { inputFilesName } from '../input-files.ts';
import { loadMemory, memoryRequest } from '../load-memory.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { prepareSession } from '../reboot-session.ts';
import { wholeShares } from '../whole-shares.ts';

/** Beside `prompt.md`, for agents that have a channel for it. */
export const systemPromptFile = 'system-prompt.md';

export const describeLimits = { diffChars: 5000, logEntries: 10 };

/** The prompt of this iteration, kept as a file and by its hash. */
export async function buildPrompt(engine: Engine, owner: LoopOwner): Promise<void> {
  const plan = await prepareSession(engine, owner);
  if (owner.cut.aborted) return;
  const { loop, iteration, workspace } = owner;
  const { context, memory, shared } = await engine.store.read((tx) => recall(tx, engine, owner));
  const { task } = context;
  const knowledge = await loadKnowledge(
    engine,
    { task, settings: loop.settings, revision: knowledgeRevision(loop) },
    owner.closing,
  );
  const templates = await templatesOf(engine, loop.prompt);
  const runner = await engine.resolveAgent(loop.settings);
  const { warnings, injected, withheld, files, ...assembled } = assemblePrompt(templates, {
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
    knowledge,
    handoff: loop.handoff ?? '',
    resumedPercent: plan.kind === 'resume' ? plan.percent : null,
    shared,
    hasSystemPrompt: runner.hasSystemPrompt === true,
  });
  // Diffs and files quote what is in them.
  const text = engine.clean(assembled.text);
  const system = assembled.systemPrompt === null ? null : engine.clean(assembled.systemPrompt);
  const dir = await engine.artifacts.iterationDir(loop.id, iteration.number);
  await owner.before('build-prompt');
  await engine.artifacts.write(path.join(dir, 'prompt.md'), text);
  if (files.length > 0) {
    const clean = files.map((file) => ({ ...file, text: engine.clean(file.text) }));
    await engine.artifacts.write(path.join(dir, inputFilesName), JSON.stringify(clean));
  }
  if (system !== null) await engine.artifacts.write(path.join(dir, systemPromptFile), system);
  await owner.after('build-prompt');
  await owner.record({
    type: 'prompt.built',
    hash: hashOf(text),
    ...(system === null ? {} : { systemHash: hashOf(system) }),
    chars: text.length,
    injected,
    ...(withheld.length === 0 ? {} : { withheld }),
    ...(shared.length === 0 ? {} : { shared: shared.length }),
    ...(plan.kind === 'resume' ? { resumes: plan.session.id } : {}),
    warnings,
  });
}

async function recall(tx: StoreTx, { clock, clean }: Engine, { loop, iteration }: LoopOwner) {
  const context = await loadTaskContext(tx, loop.taskId);
  const request = memoryRequest(loop, iteration, context.task, clock.now());
  const shared = await wholeShares(tx, loop.shared ?? [], clean);
  return { context, shared, memory: await loadMemory(tx, request) };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
