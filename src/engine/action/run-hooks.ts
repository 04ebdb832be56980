import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Hook } from '../../core/config/section/hooks.ts';
import { hearAnswer, type HookAnswer } from '../../core/hook/hook-answer.ts';
import type { HookResult, LoopEvent } from '../../core/loop/event.ts';
import { skipBackoffMs } from '../../core/loop/skipped.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { runCommand, type CommandResult } from '../run-command.ts';
import { rest } from './rest.ts';

type When = 'pre' | 'post';

/**
 * Runs the user's hooks before or after an iteration, one after the other. A hook may skip the iteration, stop the loop or
 * change the prompt; one that fails or says nonsense is told, and the loop goes on.
 */
export async function runHooks(engine: Engine, owner: LoopOwner, when: When): Promise<void> {
  const hooks = owner.loop.settings.hooks[when === 'pre' ? 'pre-iteration' : 'post-iteration'];
  if (hooks.length > 0) await owner.flush();
  const results: HookResult[] = [];
  let answer: HookAnswer | null = null;
  for (const [index, hook] of hooks.entries()) {
    const ran = await runHook(engine, owner, when, hook, index + 1);
    results.push(ran.result);
    answer = ran.answer;
    if (answer !== null && answer.action !== 'continue') break;
  }
  const told: LoopEvent = { type: 'hooks.ran', when, results };
  if (when === 'post' || answer === null || answer.action === 'continue') {
    return owner.record(told);
  }
  await leaveOut(engine, owner, told, answer);
}

/** The iteration ends before its agent: its number stays used, and it does not count. */
async function leaveOut(
  engine: Engine,
  owner: LoopOwner,
  told: LoopEvent,
  { action, reason }: HookAnswer,
): Promise<void> {
  const { iteration, loop } = owner;
  const why = `a pre-iteration hook says ${action}${reason === '' ? '' : `: ${reason}`}`;
  const ended: LoopEvent = {
    type: 'iteration.ended',
    number: iteration.number,
    status: 'skipped',
    outcome: 'interrupted',
    counted: false,
    durationMs: owner.iterationMs,
    progress: null,
    why,
  };
  if (action === 'stop') {
    await owner.record(told, ended);
    return rest(engine, owner, { status: 'stopped', reason: 'stop_condition', text: why });
  }
  // A hook that always says so would be asked without end.
  const until = owner.now + skipBackoffMs(loop);
  const wait = { condition: 'delay', until, then: 'boundary', text: why } as const;
  await owner.record(told, ended, { type: 'loop.waiting', ...wait });
}

type Ran = { readonly result: HookResult; readonly answer: HookAnswer | null };

async function runHook(
  engine: Engine,
  owner: LoopOwner,
  when: When,
  hook: Hook,
  place: number,
): Promise<Ran> {
  const { loop } = owner;
  const number = loop.iterations.at(-1)?.number ?? 0;
  const dir = await engine.artifacts.iterationDir(loop.id, number);
  const promptFile = path.join(dir, 'prompt.md');
  const spec = {
    command: engine.hookCommand(hook),
    dir,
    name: `${when}-hook-${place}`,
    timeoutMs: hook.timeout,
    stdin: `${JSON.stringify({ hook: `${when}-iteration`, ...aboutIteration(owner), promptFile })}\n`,
  };
  await owner.before('run-hook');
  const ran = await runCommand(engine, loop, spec, owner.cut);
  const heard = hear(ran, hook);
  if (when === 'pre' && heard.answer?.prompt !== undefined) {
    await engine.artifacts.write(promptFile, engine.clean(heard.answer.prompt));
  }
  await owner.after('run-hook');
  const result: HookResult = {
    hook: 'command' in hook ? hook.command : hook.module,
    exitCode: ran.end.kind === 'exited' ? ran.end.code : null,
    durationMs: ran.durationMs,
    output: ran.output.slice(-1000),
    ...(heard.problem === null ? {} : { problem: heard.problem }),
    ...(heard.answer === null ? {} : { answer: answerRecord(heard.answer, when) }),
  };
  return { result, answer: heard.answer };
}

function answerRecord(
  { action, reason, prompt }: HookAnswer,
  when: When,
): Required<HookResult>['answer'] {
  if (prompt === undefined || when === 'post') return { action, reason };
  const promptHash = createHash('sha256').update(prompt).digest('hex');
  return { action, reason, promptHash };
}

function hear(
  { end, stdout, isCut }: CommandResult,
  hook: Hook,
): { readonly answer: HookAnswer | null; readonly problem: string | null } {
  if (end.kind === 'timed-out') {
    return { answer: null, problem: `took longer than ${hook.timeout / 1000} s and was ended` };
  }
  if (end.kind !== 'exited') return { answer: null, problem: end.kind };
  if (end.code !== 0) return { answer: null, problem: `failed with exit code ${end.code}` };
  if (isCut) return { answer: null, problem: 'printed more than 1 MB, so no answer is read' };
  const heard = hearAnswer(stdout);
  if (heard.kind === 'malformed') {
    return { answer: null, problem: `its answer is not understood: ${heard.why}` };
  }
  return { answer: heard.kind === 'answer' ? heard.answer : null, problem: null };
}

function aboutIteration({ loop }: LoopOwner) {
  const last = loop.iterations.at(-1);
  return {
    loop: loop.id,
    task: loop.taskId,
    title: loop.title,
    iteration: last?.number ?? 0,
    maxIterations: loop.settings.limits['max-iterations'],
    model: last?.model ?? null,
    outcome: last?.outcome ?? null,
    passed: last?.report?.overall.passed ?? null,
    branch: loop.workspace.branch,
    worktree: loop.workspace.path,
  };
}
