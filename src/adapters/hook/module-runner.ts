/**
 * A hook module as a program: loads it, calls it with what is on standard input, and prints what it returns as the last line.
 * A process of its own, so that a module that hangs or fails takes nothing with it.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const loadOnly = '--load';
const [file = '', only] = process.argv.slice(2);
/** A hook that has answered is over; what it left open, such as a timer or a connection, may go on for so long. */
const longestEndMs = 2000;

try {
  const hook = hookOf(await import(pathToFileURL(file).href));
  // To find out whether it can be loaded, it is not called.
  if (only !== loadOnly) {
    const answer: unknown = await hook(JSON.parse(readFileSync(0, 'utf8')));
    if (answer !== undefined) process.stdout.write(`\n${JSON.stringify(answer)}\n`);
  } else process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
setTimeout(() => process.exit(), longestEndMs).unref();

function hookOf(loaded: Readonly<Record<string, unknown>>): (event: unknown) => unknown {
  const { hook = loaded['default'] } = loaded;
  if (isFunction(hook)) return hook;
  throw new Error(`${file} exports no function, neither as \`hook\` nor by default`);
}

function isFunction(value: unknown): value is (event: unknown) => unknown {
  return typeof value === 'function';
}
