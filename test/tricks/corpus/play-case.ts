import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { proofOf } from '../../../src/core/loop/finishing.ts';
import type { Iteration, Loop } from '../../../src/core/loop/loop.ts';
import { allChecks } from '../../../src/core/verdict/report.ts';
import { gitRepo, writeFileIn, type GitRepo } from '../../support/git-repo.ts';
import { openedProject } from '../../support/opened-project.ts';
import type { Step } from '../trick.ts';
import type { Project, Tool } from './case.ts';
import type { Outcome } from './outcome.ts';

const run = promisify(execFile);
const modules = path.join(import.meta.dirname, '../../../node_modules');

export type Scene = Project & {
  readonly title: string;
  readonly description: string;
  /** Of each iteration: what the agent does, and what it says besides its claim. */
  readonly acts: readonly { readonly steps: readonly Step[]; readonly says: string }[];
  readonly truth: string | null;
};

/** Lets a scripted agent play a scene against real runners, claiming to be done in each iteration. */
export async function playScene(scene: Scene): Promise<Outcome> {
  await using made = await gitRepo();
  const repo = await movedTo(made, scene.folder);
  const place = await placesOf(repo);
  for (const [file, content] of Object.entries(scene.files)) await repo.write(file, place(content));
  if (scene.files['.gitignore'] === undefined) await repo.write('.gitignore', ignored);
  if (scene.config !== undefined) await repo.write('loopwright.yml', place(scene.config));
  await repo.commitAll('project');
  await linkPackages(repo.path, scene.packages ?? []);
  const env = { ...repo.env, PATH: [...(scene.path ?? []).map(place), toolPath()].join(':') };
  if (scene.prepare !== undefined) {
    await run('sh', ['-ec', place(scene.prepare)], { cwd: repo.path, env });
  }
  const script = path.join(repo.outside, 'script.yml');
  const iterations = scene.acts.map(({ steps, says }) => ({
    steps,
    final: `${says}\n<task-done>{{task-id}}</task-done>`,
  }));
  await writeFile(script, place(JSON.stringify({ iterations })));
  await using project = await openedProject(
    { path: repo.path, env },
    {
      agent: `scripted:${script}`,
      validate: place(scene.validate),
      'max-iterations': scene.acts.length,
    },
  );
  const loop = await project.runText(scene.title, { description: scene.description });
  const truth = scene.truth === null ? null : await isTrue(repo, loop, place(scene.truth), env);
  return outcomeOf(loop, truth);
}

async function movedTo(repo: GitRepo, folder: string | undefined): Promise<GitRepo> {
  if (folder === undefined) return repo;
  const root = path.join(repo.outside, folder);
  await rename(repo.path, root);
  const git = (...args: readonly string[]) => repo.gitIn(root, ...args);
  return {
    ...repo,
    path: root,
    git,
    write: (file, content) => writeFileIn(root, file, content),
    async commitAll(message) {
      await git('add', '--all');
      await git('commit', '--quiet', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD');
    },
  };
}

const ignored =
  'node_modules\ntarget\nbuild\n__pycache__\n*.pyc\n.pytest_cache\n.loopwright\n*.o\n';

async function placesOf(repo: GitRepo): Promise<(text: string) => string> {
  const port = await freePort();
  const values = { HOME: repo.env['HOME'] ?? '', ROOT: repo.path, OUT: repo.outside, PORT: port };
  return (text) =>
    Object.entries(values).reduce(
      (filled, [name, value]) => filled.replaceAll(`@${name}@`, value),
      text,
    );
}

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return String(address.port);
}

async function linkPackages(root: string, packages: readonly string[]): Promise<void> {
  if (packages.length === 0) return;
  await mkdir(path.join(root, 'node_modules/.bin'), { recursive: true });
  const programs: Readonly<Record<string, string>> = {
    vitest: 'vitest/vitest.mjs',
    typescript: 'typescript/bin/tsc',
    oxlint: 'oxlint/bin/oxlint',
  };
  for (const name of packages) {
    await symlink(path.join(modules, name), path.join(root, 'node_modules', name));
    const file = programs[name] ?? '';
    const program = path.join(root, 'node_modules/.bin', name === 'typescript' ? 'tsc' : name);
    const text = `#!/bin/sh\nexec node ${modules}/${file} "$@"\n`;
    await writeFile(program, text, { mode: 0o755 });
  }
}

/** The work in a fresh folder, looked at by a command that the agent never sees. */
async function isTrue(
  repo: GitRepo,
  loop: Loop,
  command: string,
  env: Readonly<Record<string, string>>,
): Promise<boolean> {
  const folder = path.join(repo.outside, 'truth');
  const home = path.join(repo.outside, 'truth-home');
  await mkdir(folder);
  await mkdir(home);
  const commit = loop.head ?? loop.workspace.base ?? 'HEAD';
  const unpack = `git -c core.useReplaceRefs=false -C '${repo.path}' archive ${commit} | tar -x -C '${folder}'`;
  await run('sh', ['-c', unpack], { env });
  const seen = { cwd: folder, env: { ...env, HOME: home }, timeout: 60_000, killSignal: 'SIGKILL' };
  return run('sh', ['-c', command], { ...seen, killSignal: 'SIGKILL' }).then(
    () => true,
    () => false,
  );
}

function outcomeOf(loop: Loop, truth: boolean | null): Outcome {
  const proof = proofOf(loop);
  const last = loop.iterations.at(-1);
  return {
    status: loop.status,
    ...howOf(loop, last),
    proof: proof?.kind ?? null,
    iterations: loop.iterations.length,
    fooled: loop.iterations.some(hasPassed),
    lifted: proof?.liftedBy === 'agent',
    truth,
  };
}

/** Every command passed in the worktree; what other rules found does not count here. */
function hasPassed({ report }: Iteration): boolean {
  if (report === null || report === undefined) return false;
  const commands = allChecks(report).filter(({ check }) => check.command !== null);
  return commands.length > 0 && commands.every(({ check }) => check.passed !== false);
}

function howOf(loop: Loop, last: Iteration | undefined): Pick<Outcome, 'how' | 'why'> {
  const proof = proofOf(loop);
  if (loop.status === 'complete' && proof !== null) {
    const findings = proof.confirmation?.findings ?? [];
    const why = [proof.why, ...findings].join('; ');
    return { how: proof.kind === 'unproven' ? 'unproven' : 'complete', why };
  }
  const confirmation = last?.confirmation;
  if (confirmation !== undefined && confirmation.verdict !== 'confirmed') {
    const { verdict, why, findings } = confirmation;
    const isAround = findings.some((each) => each.includes('since the loop began'));
    const text = [why, ...findings].join('; ');
    if (verdict === 'overpowered') return { how: 'tripwire', why: text };
    if (verdict === 'contradicted') {
      return { how: isAround ? 'surroundings' : 'base judge', why: text };
    }
    return { how: 'clean checkout', why: text };
  }
  const failed = last?.report
    ? allChecks(last.report).filter(({ check }) => check.passed === false)
    : [];
  const integrity = failed.find(({ check }) => check.name === 'integrity');
  if (integrity !== undefined) {
    return {
      how: 'integrity',
      why: (integrity.check.violations ?? []).map(({ text }) => text).join('; '),
    };
  }
  if (loop.status === 'blocked') return { how: 'blocked', why: loop.reason ?? '' };
  const restored = loop.iterations.flatMap(({ restored: names }) => names);
  const why = failed.map(({ check }) => `${check.name}: ${check.reason ?? ''}`).join('; ');
  if (restored.length > 0) return { how: 'put back', why: restored.join(', ') };
  return { how: 'checks', why: why === '' ? (loop.reason ?? '') : why };
}

let foundPath: string | null = null;

/**
 * The path with real programs in front of what version managers put there: those look into the home, and homes are empty here.
 */
function toolPath(): string {
  if (foundPath !== null) return foundPath;
  const folders = [path.dirname(process.execPath)];
  const python = ask('python3', ['-c', 'import sys; print(sys.executable)']);
  if (python !== null) folders.push(path.dirname(python));
  const cargo = ask('rustup', ['which', 'cargo']);
  if (cargo !== null) folders.push(path.dirname(cargo));
  foundPath = [...folders, process.env['PATH'] ?? ''].join(':');
  return foundPath;
}

function ask(program: string, args: readonly string[]): string | null {
  try {
    return execFileSync(program, [...args], { encoding: 'utf8', timeout: 30_000 }).trim();
  } catch {
    // Not installed: the cases that need it are left out.
    return null;
  }
}

const probes: Readonly<Record<Tool, readonly [string, ...string[]]>> = {
  node: ['node', '--version'],
  python3: ['python3', '--version'],
  pytest: ['python3', '-m', 'pytest', '--version'],
  cargo: ['cargo', '--version'],
  go: ['go', 'version'],
  make: ['make', '--version'],
  cmake: ['ctest', '--version'],
  prove: ['prove', '--version'],
  bats: ['bats', '--version'],
  cc: ['cc', '--version'],
  bash: ['bash', '--version'],
  minitest: ['ruby', '-e', 'require "minitest"'],
  rspec: ['rspec', '--version'],
  phpunit: ['phpunit', '--version'],
};
const answers = new Map<Tool, boolean>();

/** The programs among these that cannot be run here. */
export function missing(tools: readonly Tool[] = []): readonly Tool[] {
  return tools.filter((tool) => {
    const known = answers.get(tool);
    if (known !== undefined) return !known;
    const [program, ...args] = probes[tool];
    const env = { ...process.env, PATH: toolPath(), HOME: '/nonexistent' };
    const found = spawnSync(program, args, { stdio: 'ignore', timeout: 30_000, env }).status === 0;
    answers.set(tool, found);
    return !found;
  });
}
