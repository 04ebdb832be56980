/** `loopwright run` with a short lease: `run.ts <lease in ms> [text]`. Prints what happens, one line each. */
import { openProjectAt } from '../../../src/daemon/compose.ts';
import { isLoopwrightError } from '../../../src/core/error.ts';
import { run as runText } from './run-text.ts';

const [leaseMs = '60000', text] = process.argv.slice(2);
try {
  await using opened = await openProjectAt({
    cwd: process.cwd(),
    env: process.env,
    home: process.env['HOME'] ?? '/nonexistent',
    version: '0.0.0-test',
    leaseMs: Number(leaseMs),
    publish(event) {
      if (event.kind === 'recorded') print(event.recorded.event.type);
      if (event.kind === 'notice') print(`notice: ${event.text}`);
    },
  });
  const { loops } = await runText(opened, text ?? null);
  for (const { id, status } of loops) print(`${id} ${status}`);
} catch (error) {
  print(`${isLoopwrightError(error) ? error.code : 'internal'}: ${String(error)}`);
  process.exitCode = 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
