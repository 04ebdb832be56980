import { appendFileSync, rmSync } from 'node:fs';
import type { Ended, EngineRun } from './engine.ts';
import { startEngine } from './engine.ts';
import { killFamily, processesNaming } from './family.ts';
import { createFindings, type Findings } from './findings.ts';
import { groundAt, prepareGround, type Ground, type Program } from './ground.ts';
import {
  firstLine,
  judgeBranches,
  judgeCommands,
  judgeHistory,
  judgeRegistrations,
  judgeRest,
} from './judge/repository.ts';
import { hasFailedTask, Memory, readStore, type StoreRows } from './judge/store.ts';
import { judgeFiles, judgeUser, userThings, type UserThings } from './judge/user.ts';
import { judgeWork } from './judge/work.ts';
import { createPerson, type Person } from './person.ts';
import type { Plan } from './plan.ts';
import { run, within, type Environment } from './shell.ts';

const longestSilenceMs = 120_000;

/** One repository from its first run until nothing is left to do, with what was found on the way. */
export class Round {
  readonly plan: Plan;
  readonly program: Program;
  readonly findings: Findings;
  readonly person: Person;
  ground: Ground;
  readonly #memory = new Memory();
  readonly #before: UserThings;
  /** Agents that may have been started in vain. */
  #interrupted = 0;
  #living: { readonly stop: AbortController; readonly over: Promise<void> } | null = null;

  static async begin(plan: Plan, program: Program): Promise<Round> {
    const ground = await prepareGround(plan, program);
    return new Round(plan, program, ground, await userThings(ground));
  }

  private constructor(
    plan: Plan,
    program: Program,
    ground: Ground,
    before: UserThings,
    of?: Round,
  ) {
    this.plan = plan;
    this.program = program;
    this.ground = ground;
    this.findings = of?.findings ?? createFindings();
    this.person = of?.person ?? createPerson(plan, () => this.ground, this.findings);
    this.#before = before;
    this.findings.counts.tasks += plan.tasks.length;
  }

  /** A copy of the repository at another place, judged by itself into the same findings. */
  copyAt(repo: string): Round {
    const { plan, program, ground } = this;
    return new Round(plan, program, groundAt(ground, repo, [repo]), this.#before, this);
  }

  /** The repository has been moved. */
  moveTo(repo: string): void {
    this.ground = groundAt(this.ground, repo, [...this.ground.places, repo]);
  }

  /** `loopwright run` in the repository, with everything that the plan says. */
  start(more: Environment = {}): EngineRun {
    const { ground, plan, program } = this;
    this.findings.counts.restarts++;
    const where = plan.scenario === 'in-place' ? ['--in-place'] : ['--jobs', String(plan.jobs)];
    const env = { ...ground.engineEnv, ...more };
    const number = this.findings.counts.restarts;
    const record = `${ground.folder}/run-${number}`;
    const named = more['LOOPWRIGHT_FAIL_AT'];
    this.trace(`run ${number} starts${named === undefined ? '' : `, to be hit at ${named}`}`);
    const argv = ['run', '--events', ...where];
    return startEngine(program.entry, argv, { cwd: ground.repo, env, record });
  }

  /** What happened, for whoever looks for the cause of a finding. */
  trace(text: string): void {
    const time = new Date().toISOString().slice(11, 23);
    appendFileSync(`${this.ground.folder}/trace.log`, `${time} ${text}\n`);
  }

  /** Waits for the end of a run; one that says nothing for too long is a finding, and is ended. */
  async end(engine: EngineRun): Promise<Ended> {
    const limit = setTimeout(() => {
      this.findings.add('tasksStuck', `a run has said nothing for ${longestSilenceMs / 1000} s`);
      killFamily(engine.pid, this.ground.token);
    }, longestSilenceMs);
    engine.onTold(() => void limit.refresh());
    const ended = await engine.ended;
    clearTimeout(limit);
    this.trace(`it ended: ${ended.signal ?? ended.code}`);
    this.#memory.hear(engine.told);
    if (/internal error|please report|unexpected/i.test(ended.err)) {
      const line = ended.err.split('\n').find((each) => /internal|report|unexpected/i.test(each));
      this.findings.add('errors', firstLine(line ?? ''));
    }
    this.#judgeExit(ended);
    return ended;
  }

  /** The person works until they are asked to rest. */
  wakePerson(): void {
    const stop = new AbortController();
    this.#living = { stop, over: this.person.live(stop.signal) };
  }

  async restPerson(): Promise<void> {
    this.#living?.stop.abort();
    await this.#living?.over;
    this.#living = null;
  }

  /** As many iterations as run at once can have been cut. */
  countInterrupted(times = 1): void {
    this.#interrupted += this.plan.jobs * times;
  }

  get rows(): StoreRows | null {
    return readStore(this.ground);
  }

  get isFinished(): boolean {
    return this.rows?.tasks.every(({ status }) => status === 'done') === true;
  }

  /** What must hold at every moment at which no engine runs. */
  async judgeStandstill(): Promise<void> {
    const { ground, findings } = this;
    const isAlone = await within(5000, () => processesNaming(ground.token).length === 0);
    if (!isAlone) {
      const left = processesNaming(ground.token).map(({ name }) => name);
      findings.add('processesLeft', `still running: ${left.join(', ')}`);
      for (const { pid } of processesNaming(ground.token)) killFamily(pid, ground.token);
    }
    // A git that has lost its engine comes to its end.
    await within(3000, () => !processesNaming(ground.folder).some(({ name }) => name === 'git'));
    await judgeCommands(ground, findings);
    judgeRegistrations(ground, findings);
    await judgeBranches(ground, findings);
    await judgeUser(ground, this.#before, this.person, findings);
    const { rows } = this;
    if (rows !== null) this.#memory.judge(rows, findings);
    this.trace(`looked at, ${findings.list.length} findings so far`);
  }

  /** The last run, undisturbed; it and the merges that the person was in the way of bring every task to its end. */
  async finish(): Promise<void> {
    await this.restPerson();
    await this.person.settle();
    const ended = await this.end(this.start());
    await this.judgeStandstill();
    await this.person.settle();
    await this.#mergeRefused();
    const { rows } = this;
    if (rows === null) return this.findings.add('storeDamaged', 'there is no store');
    for (const { status, reason, title } of rows.tasks) {
      if (status === 'done') continue;
      const text = `${title} is ${status}: ${firstLine(reason ?? '')}`;
      this.findings.add('tasksStuck', `${text} (exit code ${ended.code})`);
    }
    for (const { status, reason } of rows.loops) {
      if (status === 'complete') continue;
      this.findings.add('tasksStuck', `a loop is ${status}: ${reason}`);
    }
    if (rows.queue.length > 0)
      this.findings.add('tasksStuck', `${rows.queue.length} still in the queue`);
    await this.#judgeEnd(rows);
  }

  async #judgeEnd(rows: StoreRows): Promise<void> {
    const { ground, findings, person, program } = this;
    await this.judgeStandstill();
    await judgeFiles(ground, person, findings);
    await judgeWork(ground, rows, this.#interrupted, findings);
    await judgeRest(ground, findings);
    await judgeCommands(ground, findings);
    const done = rows.loops.filter(({ status }) => status === 'complete');
    const sample = done.slice(0, 2).map(({ id }) => id ?? '');
    await judgeHistory(ground, program.entry, sample, findings);
    await within(5000, () => processesNaming(ground.folder).length === 0);
    const left = processesNaming(ground.folder).map(({ name }) => name);
    if (left.length > 0) findings.add('processesLeft', `still running: ${left.join(', ')}`);
  }

  /** Whoever was in the way of a merge is asked to do it themselves: then it must succeed. */
  async #mergeRefused(): Promise<void> {
    const { ground, findings, program, person } = this;
    for (const { id, status } of this.rows?.loops ?? []) {
      if (status !== 'blocked') continue;
      const rested = this.rows?.events.findLast(
        (row) => row['loop_id'] === id && row['type'] === 'loop.rested',
      );
      const words = rested?.['data'] ?? '';
      const time = Number(rested?.['time'] ?? 0);
      const isTheirs = /uncommitted changes|kept moving|index\.lock|is locked/.test(words);
      if (!isTheirs) continue;
      if (!words.includes('kept moving') && !person.wasBusy(time - 4000, time)) {
        findings.add(
          'falseRefusals',
          `a merge was refused for what is not the person's: ${firstLine(words)}`,
        );
      }
      const argv = [program.entry, 'merge', id ?? ''];
      const merged = await run(process.execPath, argv, { cwd: ground.repo, env: ground.engineEnv });
      if (merged.code !== 0) findings.add('tasksStuck', `merge: ${firstLine(merged.err)}`);
    }
  }

  #judgeExit({ code, err }: Ended): void {
    const saysHeld = code === 2 && err.includes('waits behind');
    if (saysHeld && !hasFailedTask(this.ground)) {
      this.findings.add(
        'falseRefusals',
        'exit 2: waits behind a failed or blocked one, which there is not',
      );
    }
  }

  /** Removes everything, unless something was found. */
  tidy(): void {
    for (const { pid } of processesNaming(this.ground.token)) killFamily(pid, this.ground.token);
    if (this.findings.list.length === 0)
      rmSync(this.ground.folder, { recursive: true, force: true });
  }
}
