import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampleOf } from './sample.ts';
import { scenario, type Scenario } from './scenario.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
const text = 'count to three';

/** More than a run has; the cases beyond its end find a loop that is simply complete. */
const commands = 160;
const moments = Array.from({ length: commands }, (_, index) => index + 1).flatMap((nth) => [
  `before git command ${nth}`,
  `after git command ${nth}`,
]);

describe('an engine that is killed around one of its git commands', () => {
  it.concurrent.each(isFull ? moments : sampleOf(moments.slice(0, 160), 3))(
    'killed %s leaves a loop that the next run completes',
    async (moment) => {
      await using project = await scenario();
      const killed = await runWithKilledGit(project, moment);
      if (killed.exitCode !== 0) expect(killed.signal, killed.out + killed.err).toBe('SIGKILL');
      const then = await project.loops();
      const again = await project.run(['run']);
      if ((await project.loops()).length === 0) {
        expect((await project.run(['run', text])).exitCode).toBe(0);
      } else {
        expect([0, 3], again.out + again.err).toContain(again.exitCode);
      }
      const now = await project.loops();
      for (const { loop, events } of then) {
        const later = now.find((each) => each.loop.id === loop.id)?.events ?? [];
        expect(later.slice(0, events.length)).toEqual(events);
      }
      expect(await project.violations()).toEqual([]);
    },
    180_000,
  );
});

/** A `git` before the real one in the path, which kills the engine that calls it: before or after the N-th command. */
async function runWithKilledGit(project: Scenario, moment: string) {
  const folder = path.join(project.repo.outside, 'bin');
  const calls = path.join(project.repo.outside, 'calls');
  const [when = '', , , nth = ''] = moment.split(' ');
  const real = await realGit(project);
  // Only the engine's own calls count, not those of hooks.
  const script = `#!/bin/sh
case "$(readlink /proc/$PPID/exe)" in */node) ;; *) exec '${real}' "$@" ;; esac
echo >> '${calls}'
n=$(wc -l < '${calls}')
[ "$n" = ${nth} ] && [ ${when} = before ] && { kill -9 $PPID; exit 1; }
'${real}' "$@"
code=$?
[ "$n" = ${nth} ] && [ ${when} = after ] && kill -9 $PPID
exit $code
`;
  await mkdir(folder);
  await writeFile(path.join(folder, 'git'), script);
  await chmod(path.join(folder, 'git'), 0o755);
  const before = `${folder}:${project.env['PATH'] ?? ''}`;
  const ended = await project.run(['run', text], { PATH: before });
  const called = await readFile(calls, 'utf8').catch(() => '');
  expect(called.length).toBeGreaterThan(0);
  return ended;
}

async function realGit(project: Scenario): Promise<string> {
  for (const folder of (project.env['PATH'] ?? '').split(':')) {
    const file = path.join(folder, 'git');
    if ((await readFile(file).catch(() => null)) !== null) return file;
  }
  throw new Error('there is no git in the path');
}
