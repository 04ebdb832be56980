/**
 * The program behind `scripted:`: reads one iteration as JSON from stdin, plays it in the current folder and prints
 * what it does. A process like every other agent, so that loops meet it in the same way. Imports nothing
 * but Node's own modules at run time, and starts fast.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathInside } from './inside.ts';
import type { Performance, PlayerEvent } from './performance.ts';
import type { ScriptStep } from './script.ts';

const failedExitCode = 70;
const folder = process.cwd();

function print(event: PlayerEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

async function readPerformance(): Promise<Performance> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** Null to go on; a result ends the iteration. A step has one key. */
async function play(step: ScriptStep, finalText: string): Promise<PlayerEvent | null> {
  const { say, think, write, append, edit, run, wait, usage, outcome } = step;
  if (say !== undefined) print({ type: 'activity', kind: 'saying', text: say });
  if (think !== undefined) print({ type: 'activity', kind: 'thinking', text: think });
  if (write !== undefined) change(write.path, (file) => writeFileSync(file, write.content));
  if (append !== undefined) change(append.path, (file) => appendFileSync(file, append.content));
  if (edit !== undefined) change(edit.path, (file) => replaceIn(file, edit));
  if (step.delete !== undefined) change(step.delete, (file) => rmSync(file, { recursive: true }));
  if (run !== undefined) await runCommand(run);
  if (wait !== undefined) await waitFor(wait);
  if (step.hang === true) await hang();
  if (usage !== undefined) reportUsage(usage);
  if (step.exit !== undefined) process.exit(step.exit);
  return outcome === undefined ? null : resultOf(outcome, finalText);
}

function change(relative: string, act: (file: string) => void): void {
  print({ type: 'activity', kind: 'editing', text: relative });
  const file = pathInside(folder, relative);
  mkdirSync(path.dirname(file), { recursive: true });
  act(file);
}

function replaceIn(file: string, wanted: NonNullable<ScriptStep['edit']>): void {
  const text = readFileSync(file, 'utf8');
  const at = text.indexOf(wanted.find);
  if (at === -1) throw new Error(`${wanted.path} does not contain the text to be replaced`);
  writeFileSync(file, text.slice(0, at) + wanted.replace + text.slice(at + wanted.find.length));
}

/** A command that fails is an event like any other: agents run failing commands all day. */
async function runCommand(command: string): Promise<void> {
  print({ type: 'activity', kind: 'running', text: command });
  // Its output must not be taken for our events.
  const child = spawn('sh', ['-c', command], { cwd: folder, stdio: ['ignore', 2, 2] });
  const code = await new Promise<number | string | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signal) => resolve(exitCode ?? signal));
  });
  if (code !== 0)
    print({ type: 'activity', kind: 'saying', text: `${command}: ended with ${code}` });
}

async function waitFor(ms: number): Promise<void> {
  print({ type: 'activity', kind: 'waiting', text: `${ms} ms` });
  await sleep(ms);
}

function hang(): Promise<never> {
  print({ type: 'activity', kind: 'waiting', text: 'for ever' });
  setInterval(() => undefined, 60_000);
  return new Promise(() => undefined);
}

function reportUsage(usage: NonNullable<ScriptStep['usage']>): void {
  const tokens = {
    input: usage.input,
    output: usage.output,
    cacheRead: usage['cache-read'],
    cacheWrite: usage['cache-write'],
  };
  print({ type: 'usage', tokens, costUsd: usage['cost-usd'] ?? null });
}

function resultOf(outcome: NonNullable<ScriptStep['outcome']>, finalText: string): PlayerEvent {
  const resetIn = outcome['reset-in'];
  return {
    type: 'result',
    kind: outcome.kind,
    finalText,
    evidence: outcome.evidence ?? `the script says ${outcome.kind}`,
    retryAfterMs: outcome['retry-after'] ?? null,
    resetAtMs: resetIn === undefined ? null : Date.now() + resetIn,
  };
}

async function playAll({ steps, final, linger }: Performance): Promise<void> {
  const model = process.env['LOOPWRIGHT_MODEL'] ?? 'default';
  print({ type: 'started', model: model === 'default' ? null : model });
  let result: PlayerEvent | null = null;
  for (const [index, step] of steps.entries()) {
    try {
      result = await play(step, final);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      print({ type: 'failed', reason: `step ${index + 1} (${Object.keys(step)[0]}): ${reason}` });
      process.exit(failedExitCode);
    }
    if (result !== null) break;
  }
  print(result ?? resultOf({ kind: 'done', evidence: 'the script is played' }, final));
  if (linger > 0) await sleep(linger);
}

await playAll(await readPerformance());
