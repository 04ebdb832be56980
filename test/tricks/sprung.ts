import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findJudge } from '../../src/core/judge/judge.ts';
import { planTripwire, type Tripwire } from '../../src/core/judge/tripwire/plan.ts';
import {
  judgeTripwire,
  settleTripwire,
  type TripwireRun,
} from '../../src/core/judge/tripwire/verdict.ts';
import { parseTests } from '../../src/core/verdict/test-output/parse-tests.ts';

type Files = Readonly<Record<string, string>>;

export type Case = {
  readonly base: Files;
  /** What the loop wrote over it. */
  readonly loop: Files;
  readonly command: string;
  /** Packages of this repository to run with. */
  readonly packages?: readonly string[];
};

export type Result = {
  readonly state: 'held' | 'broken' | null;
  readonly findings: readonly string[];
  /** How the loop's run with the tripwire was read. */
  readonly kind: string;
  readonly output: string;
};

const modules = path.join(import.meta.dirname, '../../node_modules');
const nonce = '3f9a60c75b12d8e43f9a60c75b12d8e4';

/** Does to two folders what the engine does to rooms, with a real runner. */
export async function sprung({ base, loop, command, packages = [] }: Case): Promise<Result> {
  const outer = await mkdtemp(path.join(tmpdir(), 'place-'));
  try {
    let count = 0;
    const runWith = async (files: Files): Promise<TripwireRun & { readonly output: string }> => {
      const folder = path.join(outer, String(count++));
      await lay(folder, files, packages);
      return runIn(folder, command);
    };
    const after = { ...base, ...loop };
    const before = await runWith(after);
    if (before.endedWell !== true) throw new Error(`no candidate: ${before.output}`);
    const product = productOf(base, after);
    const tests = testsOf(base);
    const planFor = (files: Files): Tripwire | null => {
      const { framework } = before.tests;
      const present = new Set(Object.keys(files));
      const sources = product.flatMap((file) => {
        const text = files[file];
        return text === undefined || !file.endsWith('.rs') ? [] : [{ path: file, text }];
      });
      const there = { tests, files: present, product, sources };
      return planTripwire({ framework: framework ?? '', ...there, nonce });
    };
    const look = async (files: Files, tripwire: Tripwire) => {
      const dropped = tripwire.files.map((file) => [file.path, file.text] as const);
      const run = await runWith({ ...files, ...Object.fromEntries(dropped) });
      return { ...judgeTripwire(tripwire, run, before.tests), output: run.output };
    };
    const planned = planFor(after);
    if (planned === null) return { state: null, findings: [], kind: 'none', output: '' };
    const onLoop = await look(after, planned);
    const { kind, findings, output } = onLoop;
    const beside = kind === 'odd' || kind === 'broken' ? planFor(base) : null;
    const onBase = beside === null ? null : await look(base, beside);
    return { state: settleTripwire(onLoop, onBase), findings, kind, output };
  } finally {
    await rm(outer, { recursive: true, force: true });
  }
}

function isJudge(file: string): boolean {
  const nothing = { commands: [], texts: new Map(), judge: [], product: [] };
  return findJudge({ files: [file], ...nothing }).files.length > 0;
}

function productOf(base: Files, after: Files): readonly string[] {
  return Object.keys(after).filter((file) => after[file] !== base[file] && !isJudge(file));
}

function testsOf(base: Files): readonly { readonly path: string; readonly text: string }[] {
  return Object.entries(base).flatMap(([file, text]) =>
    isJudge(file) ? [{ path: file, text }] : [],
  );
}

async function lay(folder: string, files: Files, packages: readonly string[]): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
  if (packages.length === 0) return;
  await mkdir(path.join(folder, 'node_modules'), { recursive: true });
  for (const name of packages) {
    await symlink(path.join(modules, name), path.join(folder, 'node_modules', name));
  }
}

function runIn(cwd: string, command: string): TripwireRun & { readonly output: string } {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    GOFLAGS: '-count=1',
    PYTHONDONTWRITEBYTECODE: '1',
  };
  // A runner inside of a runner takes these for its own.
  for (const name of Object.keys(env))
    if (/^(?:VITEST|NODE_TEST|NODE_OPTIONS|TEST$|CI$)/.test(name)) delete env[name];
  const done = spawnSync('/bin/sh', ['-c', command], {
    cwd,
    env,
    encoding: 'utf8',
    timeout: 120_000,
  });
  const output = `${done.stdout}\n${done.stderr}`;
  return {
    tests: parseTests(output),
    endedWell: done.status === null ? null : done.status === 0,
    output,
  };
}
