import { mkdir, mkdtemp, readdir, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { callerBasics } from '../../adapters/git/environment.ts';
import { gitOutput } from '../../adapters/git/git.ts';
import { LoopwrightError } from '../../core/error.ts';
import { sampleFiles, sampleScript } from './sample-project.ts';
import { shellWord } from '../../core/text/shell-word.ts';

const scriptFile = 'agent.yml';

export type SampleInput = {
  /** Where to put it; null: a new temporary folder. */
  readonly dir: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The Node that runs the tests of the sample. */
  readonly node: string;
};

/** Makes the sample project as a git repository with one commit on `main`; answers its folder. */
export async function createSampleRepository(
  { dir, env, node }: SampleInput,
  signal: AbortSignal,
): Promise<string> {
  const folder = dir === null ? await temporaryFolder() : await emptyFolder(dir);
  const files = { ...sampleFiles, [scriptFile]: scriptText(), 'loopwright.yml': configText(node) };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
  const own = {
    ...callerBasics(env),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Loopwright demo',
    GIT_AUTHOR_EMAIL: 'demo@localhost',
    GIT_COMMITTER_NAME: 'Loopwright demo',
    GIT_COMMITTER_EMAIL: 'demo@localhost',
  };
  for (const args of [
    ['init', '--quiet', '--initial-branch=main', '--template='],
    ['add', '--all'],
    ['commit', '--quiet', '--message=A library with failing tests'],
  ]) {
    await gitOutput({ at: { searchFrom: folder }, args, env: own, signal });
  }
  return folder;
}

async function temporaryFolder(): Promise<string> {
  const above = await mkdtemp(path.join(await realpath(tmpdir()), 'loopwright-demo-'));
  const folder = path.join(above, 'roman');
  await mkdir(folder);
  return folder;
}

async function emptyFolder(dir: string): Promise<string> {
  try {
    await mkdir(dir, { recursive: true });
    if ((await readdir(dir)).length === 0) return await realpath(dir);
  } catch (cause) {
    throw new LoopwrightError('demo.unwritable', `${dir} cannot be used as a folder`, {
      cause,
      hint: 'name another folder, or leave --dir away',
    });
  }
  throw new LoopwrightError(
    'demo.not_empty',
    `${dir} is not empty, and the demo overwrites nothing`,
    {
      hint: 'name a folder that does not exist yet, or leave --dir away',
    },
  );
}

function scriptText(): string {
  const heading =
    '# What the scripted agent of the demo does in each iteration. No model, no key, no network.\n';
  return `${heading}${stringify(sampleScript, { lineWidth: 100 })}`;
}

function configText(node: string): string {
  const comment = '# The Node that ran the demo: the one on PATH may be another version.';
  const config = {
    agent: `scripted:${scriptFile}`,
    validation: { command: `${shellQuoted(node)} --test` },
  };
  return stringify(config, { lineWidth: 0 }).replace(/^validation:$/m, `validation:\n  ${comment}`);
}

export function shellQuoted(text: string): string {
  return /^[\w./+-]+$/.test(text) ? text : shellWord(text);
}
