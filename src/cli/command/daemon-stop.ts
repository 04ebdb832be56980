import { connectDaemon, type Connected } from '../../daemon/connect.ts';
import { isDaemonLocked } from '../../daemon/lock.ts';
import { LoopwrightError } from '../../core/error.ts';
import type { Command } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, wantsJson } from '../input.ts';

export const daemonStop: Command = {
  path: ['daemon', 'stop'],
  summary: 'End the daemon when its iterations have ended, or now.',
  details:
    'Loops finish their iteration, for at most 60 seconds, and are paused; the next `daemon start` or `run` goes on with ' +
    'them. A loop that waits keeps the time it waits for.',
  options: [{ name: 'now', summary: 'Cut iterations short; their files are kept.' }],
  examples: [
    { line: 'loopwright daemon stop', does: 'Ends the daemon within about a minute.' },
    { line: 'loopwright daemon stop --now', does: 'Ends it at once.' },
  ],

  async run(input, context) {
    await using opened = await context.open({ startsNothing: true });
    const { stateDir } = opened.engine;
    const connected = await connectDaemon(stateDir);
    if (connected === null) {
      if (isDaemonLocked(stateDir)) throw silent();
      if (wantsJson(input)) context.out.write('{"stopped":false,"exitCode":0}\n');
      else context.out.write('no daemon works for this repository\n');
      return exitCodes.ok;
    }
    await connected.client.call('shutdown', { body: { now: isGiven(input, 'now') } });
    if (!isGiven(input, 'now') && !wantsJson(input)) {
      context.err.write('waiting for iterations to end; --now cuts them short\n');
    }
    await untilGone(context, stateDir, connected);
    if (wantsJson(input)) context.out.write('{"stopped":true,"exitCode":0}\n');
    else context.out.write('the daemon has ended; loops go on with the next one\n');
    return exitCodes.ok;
  },
};

/** Gone is who no longer holds the lock; another one may have been started meanwhile. */
async function untilGone(
  { clock }: CliContext,
  stateDir: string,
  { health }: Connected,
): Promise<void> {
  for (;;) {
    if (!isDaemonLocked(stateDir)) return;
    const now = await connectDaemon(stateDir).catch(() => null);
    if (now !== null && now.health.id !== health.id) return;
    await clock.sleep(100, AbortSignal.timeout(60_000));
  }
}

function silent(): LoopwrightError {
  return new LoopwrightError(
    'daemon.silent',
    'a daemon works for this repository but does not answer',
    { hint: 'it may be starting or ending: try again, or see .loopwright/daemon.log' },
  );
}
