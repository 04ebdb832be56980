import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { listPids, readCommand, readStat } from '../../src/adapters/process/proc.ts';
import { realCli } from '../cli/real-cli.ts';
import { gitRepo } from '../support/git-repo.ts';
import { eventually } from '../support/invariants.ts';

const words =
  /[Ww]eak containment: .*clears its environment and loses its parent outlives its run and the engine.*killed together, everything that ran then runs on until the next `loopwright run`/s;

it('a check whose engine and watchdog were killed together runs on until the next run, which ends it', async () => {
  await using repo = await gitRepo();
  const pidFile = path.join(repo.outside, 'pid');
  const script = path.join(repo.outside, 'check.sh');
  await writeFile(
    script,
    `[ -e done.txt ] || exit 1
[ -e '${pidFile}' ] || { trap '' TERM HUP INT; echo $$ > '${pidFile}.part'; mv '${pidFile}.part' '${pidFile}'; setsid tail -f /dev/null > /dev/null 2>&1 & wait; }\n`,
  );
  await repo.write(
    'loopwright.yml',
    `agent: "command:date +%N >> done.txt"
validation: { command: "sh '${script}'" }
sandbox: { containment: process-group }
scheduler: { min-disk: 0, warn-disk: 0 }
`,
  );
  await repo.commitAll('project');
  const doctor = await realCli(repo.path, repo.env, ['doctor', '--json']).ended;
  expect(
    JSON.parse(doctor.out)
      .checks.map(({ text }: { text: string }) => text)
      .join('\n'),
  ).toMatch(words);
  const first = realCli(repo.path, repo.env, ['run', 'work']);
  await eventually(
    async () => (await readFile(pidFile, 'utf8').catch(() => '')) !== '',
    'the check',
    60_000,
  );
  const check = Number(await readFile(pidFile, 'utf8'));
  const engine = first.child.pid ?? 0;
  const watchdog = listPids().find(
    (pid) =>
      readStat(pid)?.parent === engine &&
      readCommand(pid)?.includes('loopwright-watchdog') === true,
  );
  process.kill(engine, 'SIGSTOP');
  if (watchdog !== undefined) process.kill(watchdog, 'SIGKILL');
  process.kill(engine, 'SIGKILL');
  const { err } = await first.ended;
  expect(err.replaceAll(/\s+/g, ' ')).toMatch(words);
  expect(readStat(check)).not.toBeNull();
  const again = await realCli(repo.path, repo.env, ['run']).ended;
  expect(again.err).toContain('ended programs that an engine which is gone had left running');
  const isGone = () => ['Z', undefined].includes(readStat(check)?.state);
  await eventually(isGone, 'the check of the killed engine is ended');
  expect(again.exitCode, again.out + again.err).toBe(0);
}, 180_000);
