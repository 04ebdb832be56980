import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Chance } from './chance.ts';
import type { Findings } from './findings.ts';
import { baseBranch, type Ground } from './ground.ts';
import type { Plan } from './plan.ts';
import { run, sleep, type Done } from './shell.ts';

/** Commits in one go; then they look at what the engine does. */
const mostAtOnce = 15;

/** What a change does to files, by path; null deletes. */
type Change = ReadonlyMap<string, string | null>;

/** Somebody who goes on working on the base branch, in its checkout if there is one. */
export type Person = {
  /** Commits that git has reported as made. */
  readonly commits: readonly string[];
  /** Content of their files as last committed; null for deleted ones. */
  readonly files: ReadonlyMap<string, string | null>;
  /** Their line in the shared file. */
  readonly line: string;
  act(): Promise<void>;
  /** Acts again and again until the signal; settles when the last action is over. */
  live(signal: AbortSignal): Promise<void>;
  /** Commits what a lock kept them from committing. */
  settle(): Promise<void>;
  /** Why they cannot commit what they wrote; null when they could. */
  readonly problem: string | null;
  /** Whether their checkout had uncommitted changes of theirs at a time between two, in UTC milliseconds. */
  wasBusy(from: number, to: number): boolean;
};

/** `ground` answers where the project is now. */
export function createPerson(plan: Plan, ground: () => Ground, findings: Findings): Person {
  const chance = plan.chance.fork('person');
  const state = new Belongings(ground, findings);
  const act = async () => {
    await state.settle();
    if (state.isSettled) await state.commit(nextChange(chance, state), chance.is(0.15));
  };
  return {
    commits: state.commits,
    files: state.files,
    get line() {
      return state.line;
    },
    act,
    async live(signal) {
      const { leastMs, mostMs } = plan.person ?? { leastMs: 0, mostMs: 0 };
      for (let times = 0; times < mostAtOnce && plan.person !== null; times++) {
        await sleep(chance.int(leastMs, mostMs));
        if (signal.aborted) return;
        if (plan.locksIndex && chance.is(0.3)) await state.lockIndex();
        else await act();
      }
    },
    settle: () => state.settle(),
    get problem() {
      return state.problem;
    },
    wasBusy: (from, to) => state.busy.some((each) => each.from <= to && each.to >= from),
  };
}

function nextChange(chance: Chance, state: Belongings): Change {
  const count = state.nextNumber();
  const roll = chance.int(1, 10);
  if (roll <= 4) return new Map([[`person/${chance.int(0, 9)}.txt`, `person, change ${count}\n`]]);
  if (roll <= 6) {
    const many = Array.from({ length: chance.int(13, 22) }, (_, index) => index);
    return new Map(
      many.map((each) => [`person/bulk-${count}/${each}.txt`, `bulk ${count} ${each}\n`]),
    );
  }
  if (roll <= 8) return new Map([['shared.txt', `change-${count}`]]);
  const gone = [...state.files].find(([file, text]) => file.includes('bulk') && text !== null);
  if (gone !== undefined && roll === 9) return new Map([[gone[0], null]]);
  return new Map([[`person/new-${count}.txt`, `new ${count}\n`]]);
}

type Pending = { readonly change: Change; isStaged: boolean; problem: string };

class Belongings {
  readonly commits: string[] = [];
  readonly files = new Map<string, string | null>();
  readonly busy: { readonly from: number; to: number }[] = [];
  line = 'nothing';
  readonly #where: () => Ground;
  readonly #findings: Findings;
  #count = 0;
  /** Written and perhaps staged, not committed yet: a lock was in the way. */
  #pending: Pending | null = null;

  constructor(where: () => Ground, findings: Findings) {
    this.#where = where;
    this.#findings = findings;
  }

  get #ground(): Ground {
    return this.#where();
  }

  get isSettled(): boolean {
    return this.#pending === null;
  }

  nextNumber(): number {
    return ++this.#count;
  }

  async commit(change: Change, lingers: boolean): Promise<void> {
    const { checkout } = this.#ground;
    if (checkout === null) return this.#commitWithout(change);
    if (existsSync(await this.#indexLock())) return;
    const contents = await this.#inCheckout(checkout, change);
    if (contents === null) return;
    const interval = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    this.busy.push(interval);
    this.#pending = { change, isStaged: false, problem: '' };
    for (const [file, text] of contents) await put(checkout, file, text);
    if (lingers) {
      await this.#stage(checkout, this.#pending);
      await sleep(120);
    }
    await this.settle();
  }

  async settle(): Promise<void> {
    const { checkout } = this.#ground;
    const pending = this.#pending;
    if (pending === null || checkout === null) return;
    for (let tries = 0; tries < 40; tries++) {
      if (await this.#tryToCommit(checkout, pending)) {
        this.#pending = null;
        const last = this.busy.at(-1);
        if (last !== undefined) last.to = Date.now();
        return;
      }
      await sleep(15);
    }
  }

  /** As an editor in the middle of an interactive command. */
  async lockIndex(): Promise<void> {
    const { checkout } = this.#ground;
    if (checkout === null) return;
    const file = await this.#indexLock();
    try {
      writeFileSync(file, '', { flag: 'wx' });
    } catch {
      // Somebody else has it.
      return;
    }
    const interval = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    this.busy.push(interval);
    await sleep(1600);
    rmSync(file);
    interval.to = Date.now();
  }

  /** Why they could not commit what they wrote; null when they have. */
  get problem(): string | null {
    return this.#pending?.problem ?? null;
  }

  /** The shared file is edited as it is now, and only when it is as committed: an editor shows what it was opened with. */
  async #inCheckout(checkout: string, change: Change): Promise<Change | null> {
    const line = change.get('shared.txt');
    if (typeof line !== 'string') return change;
    const same = await this.#git(checkout, 'diff', '--quiet', 'HEAD', '--', 'shared.txt');
    if (same.code !== 0) return null;
    const text = readFileSync(path.join(checkout, 'shared.txt'), 'utf8');
    return new Map([['shared.txt', withLine(text, line)]]);
  }

  async #stage(checkout: string, pending: Pending): Promise<boolean> {
    if (pending.isStaged) return true;
    const staged = await this.#git(checkout, 'add', '--all', '--', ...pending.change.keys());
    pending.isStaged = staged.code === 0;
    pending.problem = staged.err;
    return pending.isStaged;
  }

  async #tryToCommit(checkout: string, pending: Pending): Promise<boolean> {
    if (!(await this.#stage(checkout, pending))) return false;
    const [first] = pending.change.keys();
    const made = await this.#git(checkout, 'commit', '--quiet', '-m', `by the person: ${first}`);
    const head = (await this.#git(checkout, 'rev-parse', 'HEAD')).out.trim();
    pending.problem = made.out + made.err;
    if (made.code !== 0) return false;
    await this.#record(head, pending.change);
    return true;
  }

  /** What git says was committed is what must last. */
  async #record(head: string, change: Change): Promise<void> {
    const { checkout, repo } = this.#ground;
    const listing = ['diff-tree', '-r', '--name-only', '--no-commit-id', head];
    const listed = await this.#git(checkout ?? repo, ...listing);
    const foreign = listed.out.split('\n').filter((file) => file !== '' && !change.has(file));
    if (foreign.length > 0) {
      const text = `the person's commit ${head.slice(0, 8)} took in ${foreign.length} files that are not theirs: ${foreign.slice(0, 3).join(', ')}`;
      this.#findings.add('userChanged', text);
    }
    this.commits.push(head);
    for (const [file, text] of change) {
      if (file === 'shared.txt') this.line = text ?? '';
      else this.files.set(file, text);
    }
  }

  /** The base is checked out nowhere: as a fetch or a push would move it. */
  async #commitWithout(change: Change): Promise<void> {
    const { repo, outside, env } = this.#ground;
    const index = `${outside}/person.index`;
    rmSync(index, { force: true });
    const git = (args: readonly string[], input = '') =>
      run('git', args, { cwd: repo, env: { ...env, GIT_INDEX_FILE: index }, input });
    const tip = (await git(['rev-parse', baseBranch])).out.trim();
    await git(['read-tree', tip]);
    for (const [file, wanted] of change) {
      const old = file === 'shared.txt' ? (await git(['show', `${tip}:${file}`])).out : '';
      const text = file === 'shared.txt' ? withLine(old, wanted ?? '') : wanted;
      if (text === null) await git(['update-index', '--force-remove', '--', file]);
      else {
        const blob = (await git(['hash-object', '-w', '--stdin'], text)).out.trim();
        await git(['update-index', '--add', '--cacheinfo', `100644,${blob},${file}`]);
      }
    }
    const tree = (await git(['write-tree'])).out.trim();
    const commit = (await git(['commit-tree', '-p', tip, '-m', 'by the person', tree])).out.trim();
    const moved = await git(['update-ref', `refs/heads/${baseBranch}`, commit, tip]);
    if (moved.code === 0) await this.#record(commit, change);
  }

  async #indexLock(): Promise<string> {
    const { checkout, repo } = this.#ground;
    const done = await this.#git(checkout ?? repo, 'rev-parse', '--absolute-git-dir');
    return `${done.out.trim()}/index.lock`;
  }

  #git(cwd: string, ...args: readonly string[]): Promise<Done> {
    return run('git', args, { cwd, env: this.#ground.env });
  }
}

function withLine(text: string, line: string): string {
  return text.replace(/^person: .*/m, `person: ${line}`);
}

async function put(checkout: string, file: string, text: string | null): Promise<void> {
  const target = path.join(checkout, file);
  if (text === null) return rmSync(target, { force: true });
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, text);
}
