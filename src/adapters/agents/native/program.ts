/**
 * The native agent as a program: reads its assignment as JSON from stdin, works in the current folder and prints what it
 * does. A process like every other agent, so that loops meet it in the same way.
 */
import { realpathSync } from 'node:fs';
import { createRandom } from '../../clock/seeded-random.ts';
import { createSystemClock } from '../../clock/system-clock.ts';
import type { Assignment } from './assignment.ts';
import type { Ending } from './conversation.ts';
import type { StreamEvent } from './stream.ts';
import { work } from './work.ts';

const signalExits = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 } as const;
const failedExitCode = 70;
const maxFinalChars = 200_000;

function print(event: StreamEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

async function readAssignment(): Promise<Assignment> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

function printResult(ending: Ending): void {
  const { kind, finalText, evidence, turns, retryAfterMs, resetAtMs } = ending;
  const text = finalText.slice(-maxFinalChars).toWellFormed();
  const result = { kind, finalText: text, evidence, turns, retryAfterMs, resetAtMs };
  const { retries, fault } = ending;
  print({
    type: 'result',
    ...result,
    ...(retries === undefined ? {} : { retries }),
    ...(fault === undefined ? {} : { fault }),
  });
}

async function main(): Promise<void> {
  const stop = new AbortController();
  let stoppedBy: keyof typeof signalExits | null = null;
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(name, () => {
      stoppedBy ??= name;
      stop.abort(new Error(`stopped by ${name}`));
    });
  }
  const { NODE_USE_ENV_PROXY: _proxy, ...env } = process.env;
  const surroundings = {
    folder: realpathSync(process.cwd()),
    env,
    clock: createSystemClock(),
    random: createRandom(),
    print,
  };
  try {
    printResult(await work(await readAssignment(), surroundings, stop.signal));
  } catch (error) {
    if (!stop.signal.aborted) {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exitCode = failedExitCode;
      return;
    }
    print({ type: 'stopped', signal: stoppedBy ?? 'SIGTERM' });
    process.exitCode = signalExits[stoppedBy ?? 'SIGTERM'];
  }
}

await main();
