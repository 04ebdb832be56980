/**
 * A strategy module as a program: loads it, answers what it is or calls one of its methods with the event on standard input, and
 * prints one JSON object as the last line. A process of its own, so that nothing it starts or leaves open outlives the call.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { isLoopwrightError } from '../../core/error.ts';
import { assertLoopStrategy } from '../../core/strategy/registry.ts';
import type { StrategyReply } from './strategy-reply.ts';

const [file = '', where = '', method = ''] = process.argv.slice(2);

async function reply(): Promise<StrategyReply> {
  const loaded: unknown = await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw new Error(textOf(error), { cause: error });
  });
  const strategy = assertLoopStrategy(strategyExport(loaded), where);
  if (method === '')
    return { kind: 'loaded', name: strategy.name, hasEnd: strategy.onLoopEnd !== undefined };
  const event = JSON.parse(readFileSync(0, 'utf8'));
  if (method === 'onIterationComplete')
    return { kind: 'answered', answer: (await strategy.onIterationComplete(event)) ?? null };
  await strategy.onLoopEnd?.(event);
  return { kind: 'answered', answer: null };
}

/** `export const strategy`, or the default export. */
function strategyExport(loaded: unknown): unknown {
  if (typeof loaded !== 'object' || loaded === null) return loaded;
  if ('strategy' in loaded) return loaded.strategy;
  return 'default' in loaded ? loaded.default : loaded;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const answer = await reply().catch((error: unknown): StrategyReply => ({
  kind: 'failed',
  isShape: isLoopwrightError(error),
  text: textOf(error),
}));
process.stdout.write(`\n${JSON.stringify(answer)}\n`, () => process.exit(0));
