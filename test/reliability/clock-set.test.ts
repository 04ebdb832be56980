import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentStarts, eventually } from '../support/invariants.ts';
import { crew, type Crew } from './crew.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';

/** What answers for the wall clock; the monotonic clock, as after a real setting, knows nothing of it. */
const library = ['x86_64-linux-gnu', 'aarch64-linux-gnu', '']
  .map((triple) => path.join('/usr/lib', triple, 'faketime/libfaketime.so.1'))
  .find((file) => existsSync(file));

const isMissing = library === undefined;
const missing = 'to set the clock of a running engine the package faketime is needed';

const hour = 3600;
const jumps = [2 * hour, -5 * hour, 24 * hour, -24 * hour, 90, -90];
const count = isFull ? 20 : 3;
const loops = 3;
const delayMs = 1500;

/** A clock that is set while programs run; in seconds from the real one. */
class Clock {
  readonly env: Readonly<Record<string, string>>;
  readonly #file: string;
  #offset = 0;

  constructor(project: Crew) {
    this.#file = path.join(project.repo.outside, 'offset');
    this.env = {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  async setBy(seconds: number): Promise<void> {
    this.#offset += seconds;
    await writeFile(`${this.#file}.new`, `${this.#offset < 0 ? '' : '+'}${this.#offset}\n`);
    await rename(`${this.#file}.new`, this.#file);
  }
}

describe('a clock that is set while loops run', () => {
  it('set forward and back again and again, it costs no loop, repeats no iteration and changes no wait', async ({
    skip,
  }) => {
    skip(isMissing, missing);
    const iterations = Math.ceil(count / loops) + 1;
    await using project = await crew({
      tasks: loops,
      iterations,
      config: `limits: { iteration-delay: ${delayMs}ms, max-iterations: ${iterations + 2} }`,
    });
    const clock = new Clock(project);
    await clock.setBy(0);
    const started = project.start(['run', '--jobs', String(loops)], clock.env);
    for (let number = 0; number < count; number++) {
      await eventually(
        async () => (await agentStarts(project.agentLog)).length > number,
        `agent ${number + 1} starts`,
        180_000,
      );
      await clock.setBy(jumps[number % jumps.length] ?? 0);
      // An engine that comes after the jump takes nothing from the one that lives.
      if (number % 3 !== 0) continue;
      const second = await project.start(['run'], clock.env).ended;
      expect(second.err).toContain('there is nothing to do');
    }
    const { exitCode, out, err } = await started.ended;
    expect(exitCode, out + err).toBe(0);
    expect(await project.violations()).toEqual([]);
    const times = await project.startTimes();
    const pauses = times.flatMap((each) => each.slice(1).map((time, index) => time - each[index]!));
    expect(pauses).toHaveLength(loops * (iterations - 1));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(delayMs);
  }, 900_000);

  it('in the middle of a wait whose engine is killed: the next engine waits for the rest', async ({
    skip,
  }) => {
    skip(isMissing, missing);
    await using project = await crew({
      tasks: 1,
      iterations: 2,
      config: 'limits: { iteration-delay: 12s }',
    });
    const clock = new Clock(project);
    await clock.setBy(0);
    const first = project.start(['run'], clock.env);
    await eventually(() => project.facts('loop.waiting') === 1, 'the loop waits', 120_000);
    await clock.setBy(2 * hour);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await project.start(['run'], clock.env).ended;
    expect(second.exitCode, second.out + second.err).toBe(0);
    const [times = []] = await project.startTimes();
    expect(times).toHaveLength(2);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(12_000);
    expect((await project.violations()).filter((text) => !text.includes('taken over'))).toEqual([]);
  }, 300_000);
});
