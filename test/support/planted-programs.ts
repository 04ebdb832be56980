import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GitRepo } from './git-repo.ts';

export type Plants = {
  /** Shell lines that write programs into the git config file named by `$CONFIG`. */
  readonly config: string;
  /** Shell lines that make every hook in the folder `$HOOKS`. */
  readonly hooks: string;
  /** Names of the planted programs that have run, in order. */
  fired(): Promise<readonly string[]>;
};

const programs = [
  'core.fsmonitor',
  'core.editor',
  'core.pager',
  'core.sshCommand',
  'core.askPass',
  'core.alternateRefsCommand',
  'core.gitProxy',
  'sequence.editor',
  'gpg.program',
  'gpg.ssh.program',
  'diff.external',
  'diff.evil.command',
  'diff.evil.textconv',
  'filter.evil.clean',
  'filter.evil.smudge',
  'merge.evil.driver',
  'credential.helper',
  'alias.status',
  'alias.ls-files',
  'alias.diff-tree',
  'uploadpack.packObjectsHook',
];

const settings = [
  ['commit.gpgSign', 'true'],
  ['tag.gpgSign', 'true'],
  ['log.showSignature', 'true'],
  ['filter.evil.required', 'true'],
  ['protocol.allow', 'always'],
  ['submodule.recurse', 'true'],
  ['status.submoduleSummary', 'true'],
  ['diff.submodule', 'diff'],
  ['core.untrackedCache', 'true'],
  ['gc.auto', '1'],
  ['extensions.worktreeConfig', 'true'],
] as const;

const hooks = [
  'pre-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'post-checkout',
  'post-merge',
  'post-rewrite',
  'pre-rebase',
  'pre-merge-commit',
  'post-index-change',
  'reference-transaction',
  'pre-auto-gc',
];

const set = (key: string, value: string) => `git config --file "$CONFIG" ${key} '${value}'`;

/** Programs an agent may plant to have them run by somebody else's git. Each leaves its name in one canary file. */
export async function plantedPrograms(repo: GitRepo): Promise<Plants> {
  const canary = path.join(repo.outside, 'canary');
  const evil = path.join(repo.outside, 'evil');
  await writeFile(evil, `#!/bin/sh\necho "$1" >> ${canary}\n`);
  await chmod(evil, 0o755);
  const hook = (name: string) =>
    `printf '#!/bin/sh\\n${evil} hook/${name} </dev/null\\n' > "$HOOKS/${name}"; chmod +x "$HOOKS/${name}"`;
  return {
    config: [
      ...programs.map((key) => set(key, `${evil} ${key}`)),
      ...settings.map(([key, value]) => set(key, value)),
    ].join('\n'),
    hooks: ['mkdir -p "$HOOKS"', ...hooks.map(hook)].join('\n'),
    async fired() {
      const text = await readFile(canary, 'utf8').catch(() => '');
      return text.split('\n').filter((line) => line !== '');
    },
  };
}
