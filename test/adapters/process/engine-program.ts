/**
 * Stands for an engine that gets killed: runs ARGV under a supervisor in its working folder and prints, one JSON
 * value per line, the identity it was told and every line of the program. `hold` as first argument never lets the
 * program start.
 */
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import { never, specOf } from './fixture.ts';

const [mode, program = '', ...rest] = process.argv.slice(2);
const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
const keepAlive = setInterval(() => undefined, 60_000);

const sink = {
  async started(identity: unknown) {
    print(identity);
    if (mode === 'hold') await new Promise(() => undefined);
  },
  line: print,
};
await createSupervisor().run(specOf([program, ...rest], process.cwd()), sink, never);
clearInterval(keepAlive);
