import path from 'node:path';
import type { Loop } from '../core/loop/loop.ts';
import type { ConfirmationRun } from '../core/verdict/confirmation.ts';
import type { Check } from '../core/verdict/report.ts';
import { parseTests, type TestRun } from '../core/verdict/test-output/parse-tests.ts';
import type { RunResult, RunWish } from './confirm-run.ts';
import type { Engine } from './engine.ts';

export type TripwireWish = {
  readonly base: string;
  readonly commit: string;
  /** The run with the base's judge, which passed. */
  readonly judged: RunResult;
  readonly wish: (kind: RunWish['kind'], more: Partial<RunWish>) => RunWish;
};

export type Sprung = {
  readonly state: 'held' | 'broken' | null;
  /** What answered wrongly, a sentence each. */
  readonly findings: readonly string[];
  readonly runs: readonly ConfirmationRun[];
};

export const nothing: Sprung = { state: null, findings: [], runs: [] };
const maxTests = 400;
const maxTestBytes = 128 * 1024;
const maxLogBytes = 16 * 1024 * 1024;
const leastLimitMs = 30_000;

export async function testsOf(
  { artifacts }: Engine,
  loop: Loop,
  { evidence }: ConfirmationRun,
  { name }: Check,
): Promise<TestRun> {
  const dir = await artifacts.namedDir(loop.id, evidence);
  const streams = ['stdout', 'stderr'].map((stream) =>
    artifacts.readTail(path.join(dir, `${name}.${stream}.log`), maxLogBytes),
  );
  const texts = (await Promise.all(streams)).filter((text) => text !== null && text !== '');
  return parseTests(texts.join('\n'));
}

export async function textsOf(
  { project }: Engine,
  base: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const texts = await project.readSeveralAt(base, names.slice(0, maxTests), maxTestBytes, signal);
  return [...texts].flatMap(([file, text]) => (text === null ? [] : [{ path: file, text }]));
}

/** Fails by design, so it is not tried again; and what it loads must not hold it up much longer than one run takes. */
export function withinLimits(loop: Loop, durationMs: number): Loop {
  const { settings } = loop;
  const limit = Math.max(leastLimitMs, durationMs * 4);
  const shortened = (timeout: number) => Math.min(timeout, limit);
  const commands = Object.entries(settings.validation.commands).map(
    ([name, more]) => [name, { ...more, timeout: shortened(more.timeout) }] as const,
  );
  const validation = {
    ...settings.validation,
    timeout: shortened(settings.validation.timeout),
    commands: Object.fromEntries(commands),
  };
  const verify = { ...settings.verify, 'retries-on-fail': 0 };
  return { ...loop, settings: { ...settings, validation, verify } };
}
