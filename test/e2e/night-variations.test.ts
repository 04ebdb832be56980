import { expect, it } from 'vitest';
import { storedLoops } from '../support/invariants.ts';
import { whyNoPrivateDisk } from '../support/private-disk.ts';
import { shell } from './night/models.ts';
import { Night } from './night/night.ts';

const limits = '{ probe-delay: 1s, max-probe-delay: 1s, api-retries: 1, idle-timeout: 4s }';
const missing = whyNoPrivateDisk();

it.skipIf(missing !== null)(
  `a disk that fills up while other loops wait for their provider ends the run with exit 4${missing === null ? '' : ` (${missing})`}`,
  { timeout: 180_000 },
  async () => {
    await using night = await Night.begin(limits);
    night.models.weather.anthropic = 'overloaded';
    night.models.next('errors', 0, () => shell(`${night.gate('disk')}; ${night.fill()}`));
    // It must not come to an end of its own: an end that can be stored is an iteration like any other.
    night.models.next('errors', 1, () => ({ kind: 'hang' }));
    const run = night.start('run', '--jobs', '3');
    await run.printed((text) => /anthropic is down since/.test(text));
    await night.open('disk');
    const { exitCode, out, err } = await run.ended;
    expect(exitCode, out + err).toBe(4);
    expect(err).toContain('there is more to do: `loopwright run` continues');
    const loops = (await storedLoops(night.view)).map(({ loop }) => loop);
    expect(loops.length).toBeGreaterThan(1);
    for (const loop of loops) {
      expect([loop.status, loop.reason]).toEqual(['paused', 'disk']);
      expect(loop.iterations.filter(({ counted }) => counted)).toEqual([]);
    }
  },
);
