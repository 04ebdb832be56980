import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { realCli, type RealRun } from '../cli/real-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import {
  agentStarts,
  leftoverViolations,
  startViolations,
  storedLoops,
  storeViolations,
  userState,
} from '../support/invariants.ts';

/** A repository with several tasks, each of which takes a few iterations, for a `run` that drives them all at once. */
export type Crew = AsyncDisposable & {
  readonly repo: GitRepo;
  readonly agentLog: string;
  readonly storeFile: string;
  start(argv: readonly string[], env?: Readonly<Record<string, string>>): RealRun;
  /** Agents wait inside their iteration until it is opened. */
  closeGate(): Promise<void>;
  openGate(): Promise<void>;
  /** When the agents of each loop were started, in milliseconds of the real clock. */
  startTimes(): Promise<readonly (readonly number[])[]>;
  /** How many facts of this type are stored. */
  facts(type: string): number;
  /** Every broken promise after the end of all loops, in words. */
  violations(): Promise<readonly string[]>;
};

export type CrewPlan = {
  readonly tasks: number;
  readonly iterations: number;
  /** Lines of `loopwright.yml`. */
  readonly config?: string;
};

export async function crew({ tasks, iterations, config = '' }: CrewPlan): Promise<Crew> {
  const repo = await gitRepo();
  const agentLog = path.join(repo.outside, 'agent.log');
  const gate = path.join(repo.outside, 'closed');
  const storeFile = path.join(repo.path, '.loopwright/state.db');
  const agent = `
echo "$LOOPWRIGHT_LOOP $LOOPWRIGHT_ITERATION" >> '${agentLog}'
date +%s%3N >> '${repo.outside}'/times-"$LOOPWRIGHT_LOOP"
echo x >> "$LOOPWRIGHT_TASK.txt"
while [ -e '${gate}' ]; do sleep 0.05; done
echo done
`;
  await writeFile(path.join(repo.outside, 'agent.sh'), agent);
  await repo.write(
    'loopwright.yml',
    `agent: "command:sh '${path.join(repo.outside, 'agent.sh')}'"
validation: { command: 'test "$(wc -l < "$LOOPWRIGHT_TASK.txt")" -ge ${iterations}' }
git: { base: trunk, merge: local }
scheduler: { min-disk: 0, warn-disk: 0 }
${config}
`,
  );
  await repo.commitAll('project');
  await repo.git('branch', 'trunk');
  const before = await userState(repo, ['refs/heads/trunk']);
  const start: Crew['start'] = (argv, env = {}) =>
    realCli(repo.path, { ...repo.env, ...env }, argv);
  for (let number = 1; number <= tasks; number++) {
    await start(['task', 'add', `task ${number}`]).ended;
  }
  return {
    repo,
    agentLog,
    storeFile,
    start,
    closeGate: () => writeFile(gate, ''),
    openGate: () => rm(gate),
    async startTimes() {
      const names = (await readdir(repo.outside)).filter((name) => name.startsWith('times-'));
      const texts = names.map((name) => readFile(path.join(repo.outside, name), 'utf8'));
      return (await Promise.all(texts)).map((text) => text.trim().split('\n').map(Number));
    },
    facts(type) {
      using database = new DatabaseSync(storeFile, { readOnly: true });
      const found = database.prepare('select count(*) as count from events where type = ?');
      return Number(found.get(type)?.['count']);
    },
    async violations() {
      const loops = await storedLoops(repo);
      const violations = [
        ...(await storeViolations(repo)),
        ...startViolations(await agentStarts(agentLog), loops),
        ...(await leftoverViolations(repo, { branches: [] })),
      ];
      const notWhole = loops.filter(
        ({ loop }) => loop.mergedInto !== 'trunk' || loop.iterations.length !== iterations,
      );
      for (const { loop } of notWhole) {
        const { id, status, reason } = loop;
        violations.push(`${id} is ${status} (${reason}) after ${loop.iterations.length}`);
      }
      if (loops.length !== tasks) violations.push(`${loops.length} loops for ${tasks} tasks`);
      for (const { loop, events } of loops) {
        const resumed = events.filter(({ event }) => event.type === 'loop.resumed').length;
        if (resumed > 0) violations.push(`${loop.id} was taken over ${resumed} times`);
      }
      const after = await userState(repo, ['refs/heads/trunk']);
      if (JSON.stringify(after) !== JSON.stringify(before))
        violations.push('the user’s state changed');
      return violations;
    },
    [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose](),
  };
}
