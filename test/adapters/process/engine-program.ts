/**
 * Stands for an engine that gets killed: runs ARGV under a supervisor in its working folder and prints, one JSON
 * value per line, the identity it was told, every line of the program, and how it ended. Arguments before ARGV:
 * the containment (`best`: the supervisor's choice), and `run`, `hold` (never lets the program start), or a number (kills
 * itself after so many milliseconds); `run:MS` sets a time limit; `again` runs `true` twice before, so that a gate stands
 * ready for it while the program runs.
 */
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import { never, specOf } from './fixture.ts';

const [containment, task, program = '', ...rest] = process.argv.slice(2);
const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
const keepAlive = setInterval(() => undefined, 60_000);
const forced = (['bubblewrap', 'unshare', 'process-group'] as const).find(
  (mode) => mode === containment,
);
const supervisor = createSupervisor({
  ...(forced === undefined ? {} : { containment: forced }),
  weak: (weak) => print({ weak }),
});

const sink = {
  async started(identity: unknown) {
    print(identity);
    if (task === 'hold') await new Promise(() => undefined);
  },
  line: print,
};
if (Number(task) >= 0) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(task));
const limit = task?.startsWith('run:') === true ? { timeoutMs: Number(task.slice(4)) } : {};
const spec = specOf([program, ...rest], process.cwd(), limit);
const standby = (isLong: boolean) => ({ standby: { group: 'again', isLong } });
if (task === 'again') {
  for (const _ of [1, 2])
    await supervisor.run(specOf(['true'], process.cwd(), standby(false)), {}, never);
}
const long = task === 'again' ? standby(true) : {};
const { end } = await supervisor.run({ ...spec, ...long }, sink, never);
print({ end });
clearInterval(keepAlive);
await supervisor[Symbol.asyncDispose]();
