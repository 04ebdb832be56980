import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { realCliThrough, type RealRun } from '../cli/real-cli.ts';
import {
  agentStarts,
  eventually,
  processesWith,
  startViolations,
  storedLoops,
  storeViolations,
} from '../support/invariants.ts';
import { privateDisk, whyNoPrivateDisk, type PrivateDisk } from '../support/private-disk.ts';
import { scenario, type Scenario } from './scenario.ts';

const missing = whyNoPrivateDisk();
const text = 'count to three';

/** What the agent of the second iteration does to the disk, once. */
const faults = [
  {
    name: 'the store has no space left',
    place: 'state',
    options: 'size=24m',
    fault: 'cat /dev/zero > "$DISK/filler"',
  },
  {
    name: 'the worktree has no space left',
    place: 'worktrees',
    options: 'size=24m',
    fault: 'cat /dev/zero > "$DISK/filler"',
  },
  {
    name: 'the disk has no inodes left',
    place: 'worktrees',
    options: 'size=24m,nr_inodes=600',
    fault: 'mkdir "$DISK/filler"; i=0; while : > "$DISK/filler/$i"; do i=$((i+1)); done',
  },
  {
    name: 'the logs have no space left: the agent floods its output',
    place: 'state',
    options: 'size=24m',
    fault: 'head -c 64000000 /dev/zero | tr "\\0" "y"',
  },
] as const;

describe.skipIf(missing !== null)(`a full disk${missing === null ? '' : ` (${missing})`}`, () => {
  it.concurrent.each(faults)(
    'pauses the loop with the reason, and it goes on by itself when there is space: $name',
    async ({ place, options, fault }) => {
      await using project = await scenario();
      const folder = await placeOf(project, place);
      await using disk = await privateDisk(folder, options);
      await breakOnce(project, folder, fault);
      const run = startWithin(project, disk, ['run', text, '--wait']);
      await run.printed((said) => said.includes('it goes on when there is space again'));

      const view = { path: disk.view(project.repo.path) };
      const paused = (await storedLoops(view))[0]?.loop;
      expect([paused?.status, paused?.reason]).toEqual(['paused', 'disk']);
      expect(paused?.text).toMatch(/space/i);
      const reserve = path.join(view.path, '.loopwright/ballast');
      if (place === 'state') expect(existsSync(reserve)).toBe(false);

      await makeRoom(project, disk, folder);
      const { exitCode, out, err } = await run.ended;
      expect(exitCode, out + err).toBe(0);
      expect(existsSync(reserve)).toBe(true);
      await expectSound(project, view);
    },
    180_000,
  );

  it('leaves a paused loop when it is interrupted meanwhile, and the next run goes on', async () => {
    await using project = await scenario();
    const folder = await placeOf(project, 'state');
    await using disk = await privateDisk(folder, 'size=24m');
    await breakOnce(project, folder, 'cat /dev/zero > "$DISK/filler"');
    const run = startWithin(project, disk, ['run', text, '--wait']);
    await run.printed((said) => said.includes('it goes on when there is space again'));
    run.child.kill('SIGINT');
    expect((await run.ended).out).toContain('is paused (disk)');
    await makeRoom(project, disk, folder);
    const again = await startWithin(project, disk, ['run']).ended;
    expect(again.exitCode, again.out + again.err).toBe(0);
    await expectSound(project, { path: disk.view(project.repo.path) });
  }, 180_000);

  it('that became read-only is refused with a clear message; when it can be written, the loop goes on', async () => {
    await using project = await scenario();
    const folder = await placeOf(project, 'state');
    await using disk = await privateDisk(folder, 'size=64m');
    const mount = (how: string) =>
      realCliThrough(
        () => disk.within('/', ['mount', '-o', `remount,${how}`, folder]),
        '/',
        project.env,
        [],
      ).ended;
    const failAt = { LOOPWRIGHT_FAIL_AT: 'before:commit:2:kill' };
    await startWithin(project, disk, ['run', text, '--wait'], failAt).ended;
    expect((await mount('ro')).exitCode).toBe(0);
    const failed = await startWithin(project, disk, ['run']).ended;
    expect(failed.exitCode).toBe(3);
    expect(failed.err).toMatch(/error: .*(cannot be written|cannot write to)/);
    expect(failed.err).not.toMatch(/\n\s+at /);
    // Killed as it was, the engine left its log; what it holds is shown all the same.
    const looked = await startWithin(project, disk, ['loop', 'show', 'last']).ended;
    expect(looked.exitCode, looked.err).toBe(0);
    expect(looked.out).toContain(text);
    expect((await mount('rw')).exitCode).toBe(0);
    const again = await startWithin(project, disk, ['run']).ended;
    expect(again.exitCode, again.out + again.err).toBe(0);
    await expectSound(project, { path: disk.view(project.repo.path) });
    expect((await mount('ro')).exitCode).toBe(0);
    for (const argv of [['status'], ['loop', 'list'], ['task', 'list']]) {
      const shown = await startWithin(project, disk, argv).ended;
      expect(shown.exitCode, shown.out + shown.err).toBe(0);
      expect(shown.err).toContain('cannot be written; shown is what it holds');
    }
    const added = await startWithin(project, disk, ['task', 'add', 'one more']).ended;
    expect(added.err).toMatch(/error: .*(cannot be written|cannot write to)/);
  }, 180_000);
});

async function placeOf(project: Scenario, place: 'state' | 'worktrees'): Promise<string> {
  const worktrees = path.join(project.repo.outside, 'worktrees');
  const state = path.join(project.repo.path, '.loopwright');
  const folder = place === 'state' ? state : worktrees;
  await mkdir(folder, { recursive: true });
  const config = path.join(project.repo.path, 'loopwright.yml');
  const settings = await readFile(config, 'utf8');
  await writeFile(config, settings.replace('workspace: {', `workspace: { dir: '${worktrees}',`));
  return folder;
}

/** The agent of the second iteration meets the fault before it does its work. */
async function breakOnce(project: Scenario, disk: string, fault: string): Promise<void> {
  const script = path.join(project.repo.outside, 'agent.sh');
  const flag = path.join(project.repo.outside, 'broken');
  const once = `
if [ "$LOOPWRIGHT_ITERATION" = 2 ] && [ ! -e '${flag}' ]; then
  : > '${flag}'
  DISK='${disk}'
  # Never the real disk.
  [ "$(stat -f -c %T "$DISK")" = tmpfs ] || exit 9
  ${fault}
fi
`;
  const [first = '', ...work] = (await readFile(script, 'utf8')).trim().split('\n');
  await writeFile(script, [first, once, ...work, ''].join('\n'));
}

async function makeRoom(project: Scenario, disk: PrivateDisk, folder: string): Promise<void> {
  await rm(disk.view(path.join(folder, 'filler')), { recursive: true, force: true });
  // The flood is in the log of the iteration that was interrupted.
  const [stored] = await storedLoops({ path: disk.view(project.repo.path) });
  const logs = path.join(
    project.repo.path,
    '.loopwright/loops',
    stored?.loop.id ?? '',
    'iterations',
  );
  await rm(disk.view(path.join(logs, '002/stdout.log')), { force: true });
  await appendFile(path.join(project.repo.outside, 'room'), 'made\n');
}

function startWithin(
  project: Scenario,
  disk: PrivateDisk,
  argv: readonly string[],
  more: Readonly<Record<string, string>> = {},
): RealRun {
  const { repo } = project;
  const env = { ...project.env, ...more };
  return realCliThrough((line) => disk.within(repo.path, line), repo.path, env, argv);
}

async function expectSound(project: Scenario, view: { readonly path: string }): Promise<void> {
  const loops = await storedLoops(view);
  expect(loops.map(({ loop }) => [loop.status, loop.mergedInto])).toEqual([['complete', 'trunk']]);
  expect(await storeViolations(view)).toEqual([]);
  expect(startViolations(await agentStarts(project.agentLog), loops)).toEqual([]);
  await eventually(() => processesWith(project.token).length === 0, 'all processes end');
}
