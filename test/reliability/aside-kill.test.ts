import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLiving, listPids, readCommand, readStat } from '../../src/adapters/process/proc.ts';
import { realCli } from '../cli/real-cli.ts';
import { gitRepo } from '../support/git-repo.ts';
import { eventually } from '../support/invariants.ts';

function watchdogOf(engine: number): number {
  const isWatchdog = (pid: number): boolean =>
    readStat(pid)?.parent === engine &&
    (readCommand(pid)?.includes('loopwright-watchdog') ?? false);
  return listPids().find(isWatchdog)!;
}

function runs(pid: number): boolean {
  const stat = readStat(pid);
  return stat !== null && isLiving(stat);
}

describe.skipIf(process.platform !== 'linux')('an agent beside a loop', () => {
  it('that outlives a killed engine and its watchdog is ended by the next run', async () => {
    await using repo = await gitRepo();
    const mark = path.join(repo.outside, 'judge.pid');
    const judge = path.join(repo.outside, 'judge.sh');
    // It hangs once.
    await writeFile(
      judge,
      `if test -e '${mark}'; then exit 0; fi; echo $$ > '${mark}'; exec tail -f /dev/null\n`,
    );
    await repo.write(
      'loopwright.yml',
      `agent: "command:echo x > work.txt"
validation: { command: 'test -e work.txt' }
sandbox: { containment: process-group }
limits: { max-iterations: 1 }
gates: [{ type: llm-judge, agent: "command:sh '${judge}'", criteria: good }]
`,
    );
    await repo.commitAll('a judge');
    const first = realCli(repo.path, repo.env, ['run', 'work']);
    const written = () => (existsSync(mark) ? readFileSync(mark, 'utf8') : '');
    await eventually(() => written().endsWith('\n'), 'the judge runs');
    const pid = Number(written());
    // In a way that its watchdog cannot answer.
    first.child.kill('SIGSTOP');
    process.kill(watchdogOf(first.child.pid ?? 0), 'SIGKILL');
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    expect(runs(pid)).toBe(true);
    const again = await realCli(repo.path, repo.env, ['run']).ended;
    expect(runs(pid), again.err).toBe(false);
    expect(readdirSync(path.join(repo.path, '.loopwright/loops/aside/processes'))).toEqual([]);
  }, 120_000);
});
