import { resolvePath, type SimpleCommand } from '../../judge/shell.ts';
import { baseName } from './plain-command.ts';

const formatters = /^(?:mkfs(?:\..+)?|mke2fs|mkswap|wipefs|fdisk|sfdisk|parted|blkdiscard)$/;
const switches = new Set(['shutdown', 'reboot', 'halt', 'poweroff']);
const disks = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper\/|dm-|md\d)/;
const temporary = /^\/(?:tmp|var\/tmp)\/./;

/** Why a command destroys what is not the loop's, in words; null when it does not, or when the text does not tell. */
export function isDestructive(command: SimpleCommand, root: string): string | null {
  const { words, outputs } = command;
  const program = baseName(words[0] ?? '');
  if (formatters.test(program)) return `\`${program}\` changes a disk`;
  if (switches.has(program)) return `\`${program}\` ends the machine`;
  if (program === 'systemctl' && words.some((word) => switches.has(word))) {
    return '`systemctl` would end the machine';
  }
  const written = program === 'dd' ? words.filter((word) => word.startsWith('of=')) : [];
  const targets = [...outputs, ...written.map((word) => word.slice(3))];
  if (targets.some((target) => disks.test(target))) return 'it writes to a disk itself';
  if (program === 'git' && isForcedPush(words)) {
    return '`git push` with force would overwrite what others have pushed';
  }
  const folder = lostFolder(command, root);
  return folder === null ? null : `\`${program}\` would reach everything in ${folder}`;
}

function isForcedPush(words: readonly string[]): boolean {
  const at = words.indexOf('push');
  if (at === -1) return false;
  return words
    .slice(at + 1)
    .some(
      (word) => /^--(?:force|mirror|delete|prune)/.test(word) || /^-[a-z]*[fd]|^\+./.test(word),
    );
}

/** The first target of a recursive change that is not below the worktree, or is all of it; null: there is none. */
function lostFolder(command: SimpleCommand, root: string): string | null {
  return (
    recursiveTargets(command.words)
      .map((each) => lost(each, command, root))
      .find((each) => each !== null) ?? null
  );
}

function recursiveTargets(words: readonly string[]): readonly string[] {
  const program = baseName(words[0] ?? '');
  const rest = words.slice(1);
  if (program === 'find') {
    const deletes =
      rest.includes('-delete') || /^-exec(?:dir)?$/.test(rest[rest.findIndex(isRemover) - 1] ?? '');
    const end = rest.findIndex((word) => /^[-(!]/.test(word));
    return deletes ? rest.slice(0, end === -1 ? rest.length : end) : [];
  }
  if (!['rm', 'chmod', 'chown', 'chgrp'].includes(program)) return [];
  const ends = rest.indexOf('--');
  const options = rest.filter((word, at) => word.startsWith('-') && (ends === -1 || at < ends));
  const isRecursive = options.some(
    (word) => word === '--recursive' || /^-[a-zA-Z]*[rR]/.test(word),
  );
  if (!isRecursive) return [];
  const targets = rest.filter((word, at) => !word.startsWith('-') || (ends !== -1 && at > ends));
  return program === 'rm' ? targets : targets.slice(1);
}

function isRemover(word: string): boolean {
  return ['rm', 'unlink', 'shred'].includes(baseName(word));
}

/** The folder that would be lost, as it is told; null: it is the loop's own, temporary, or nobody knows. */
function lost(target: string, { words, cwd }: SimpleCommand, root: string): string | null {
  const program = words[0] ?? '';
  const inside =
    target === root || target.startsWith(`${root}/`)
      ? `./${target.slice(root.length + 1)}`
      : target;
  if (inside.startsWith('/')) return temporary.test(inside) ? null : inside;
  if (inside === '~' || inside.startsWith('~/') || /^~[a-z]/.test(inside)) return 'a home folder';
  const isOwn = target !== inside;
  const resolved = resolvePath(inside, isOwn ? '' : cwd);
  if (resolved === null) return 'folders above the worktree';
  if (resolved === '') return isRemover(program) ? 'the whole worktree' : null;
  return resolved === '.git' || resolved.startsWith('.git/')
    ? 'the repository itself (.git)'
    : null;
}
