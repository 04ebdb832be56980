import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Repository } from './repository.ts';

/**
 * What is ignored in a loop's checkout: what the `.gitignore` files in it say, and what the user's own lists said before the
 * first agent came. `info/exclude` and the user's global list can be written by agents, and a file that they hide would be
 * verified and not committed.
 */
export type IgnoreRules = {
  /** Options for `ls-files`. */
  options(): readonly string[];
  /** Whether a pattern of the user's own lists was there before. */
  knows(pattern: string): boolean;
};

export function createIgnoreRules(repository: Repository, folder: string): IgnoreRules {
  const file = path.join(folder, 'exclude');
  let rules: string | null = null;
  /** In memory for as long as we live; the file is for git, and for the next engine. */
  const load = (): string => {
    rules ??= textOf(file) ?? ownLists(repository);
    return rules;
  };
  return {
    options() {
      const text = load();
      // The folder goes with the worktree: whoever lists files then finds out.
      if (textOf(file) !== text && existsSync(folder)) replaceText(file, text);
      return ['--exclude-per-directory=.gitignore', `--exclude-from=${file}`];
    },
    knows: (pattern) => load().split('\n').includes(pattern),
  };
}

/** In this order the later list outweighs the earlier, as in git. */
function ownLists({ main, user }: Repository): string {
  const global = user.config.find(([key]) => key === 'core.excludesFile')?.[1];
  const files = [global, path.join(main.commonDir, 'info/exclude')];
  const texts = files.map((each) => (each === undefined ? null : textOf(each)));
  return texts.filter((text) => text !== null).join('\n');
}

/** Agents can write here: a link left in the way is removed, never written through. */
export function replaceText(file: string, text: string): void {
  rmSync(file, { recursive: true, force: true });
  writeFileSync(file, text, { encoding: 'latin1', flag: 'wx' });
}

function textOf(file: string): string | null {
  try {
    return existsSync(file) ? readFileSync(file, 'latin1') : null;
  } catch {
    return null;
  }
}
