import { spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import type { Loop } from '../../src/core/loop/loop.ts';
import { violationsOf } from '../../src/core/verdict/integrity.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

/** Step of a scripted agent. */
export type Step =
  | { readonly run: string }
  | { readonly delete: string }
  | { readonly write: { readonly path: string; readonly content: string } }
  | { readonly edit: { readonly path: string; readonly find: string; readonly replace: string } };

export type Trick = {
  /** Files of the repository, committed. */
  readonly files: Readonly<Record<string, string>>;
  readonly validate: string;
  readonly steps: readonly Step[];
  readonly config?: string;
  readonly description?: string;
  /** Links ignored `node_modules` of the repository to these packages of ours. */
  readonly packages?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

export type Played = {
  readonly loop: Loop;
  readonly repo: GitRepo;
  /** Kinds of what the check `integrity` found. */
  readonly kinds: readonly string[];
  /** The texts of those findings. */
  readonly texts: string;
};

const modules = path.join(import.meta.dirname, '../../node_modules');

/** Lets a scripted agent play a trick against a real runner for one iteration, claiming to be done. */
export async function play(
  trick: Trick,
  look: (played: Played) => Promise<void> | void,
): Promise<void> {
  await using repo = await gitRepo();
  for (const [file, content] of Object.entries(trick.files)) await repo.write(file, content);
  await repo.write('.gitignore', 'node_modules\ntarget\n__pycache__\n.pytest_cache\n.loopwright\n');
  if (trick.config !== undefined) await repo.write('loopwright.yml', trick.config);
  await repo.commitAll('project');
  await linkPackages(repo.path, trick.packages ?? []);
  const script = path.join(repo.outside, 'script.yml');
  const final = '<task-done>TASK</task-done>';
  await writeFile(script, JSON.stringify({ iterations: [{ steps: trick.steps, final }] }));
  const env = { ...repo.env, ...trick.env };
  const setup =
    trick.packages === undefined ? {} : { 'workspace-setup': `cp -R ${repo.path}/node_modules .` };
  await using project = await openedProject(
    { path: repo.path, env },
    {
      agent: `scripted:${script}`,
      validate: trick.validate,
      'max-iterations': 1,
      'require-claim': 'never',
      ...setup,
    },
  );
  const loop = await project.runText('make the tests pass', {
    description: trick.description ?? '',
  });
  const report = loop.iterations[0]?.report;
  const violations = report === null || report === undefined ? [] : violationsOf(report);
  const kinds = [...new Set(violations.map(({ kind }) => kind))].toSorted();
  await look({ loop, repo, kinds, texts: violations.map(({ text }) => text).join('\n') });
}

/** The agent's claim and a green run did not make the loop complete, and it was told why. */
export function expectCaught({ loop, kinds }: Played): void {
  const [iteration] = loop.iterations;
  expect(loop.status).not.toBe('complete');
  const isRefused = iteration?.confirmation !== undefined;
  expect({ isRefused, kinds }).not.toEqual({ isRefused: false, kinds: [] });
  if (isRefused) expect(iteration.confirmation?.verdict).not.toBe('confirmed');
  expect(iteration?.decision?.feedback ?? '').not.toBe('');
}

async function linkPackages(root: string, packages: readonly string[]): Promise<void> {
  if (packages.length === 0) return;
  await mkdir(path.join(root, 'node_modules/.bin'), { recursive: true });
  for (const name of packages) {
    await symlink(path.join(modules, name), path.join(root, 'node_modules', name));
    const program = path.join(root, 'node_modules/.bin', name);
    await writeFile(program, `#!/bin/sh\nexec node ${modules}/${name}/${name}.mjs "$@"\n`, {
      mode: 0o755,
    });
  }
}

/** Whether a runner can be started here; says why not, so that a report shows what was left out. */
export function has(program: string, ...args: readonly string[]): boolean {
  const found = spawnSync(program, [...args], { stdio: 'ignore', timeout: 30_000 });
  if (found.status === 0) return true;
  process.stdout.write(`tricks: ${program} cannot be run here, its tricks are left out\n`);
  return false;
}
