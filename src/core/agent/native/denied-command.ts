/**
 * A net under the shell of the native agent, for mistakes: what is surely destructive, asks for privileges or runs what it
 * downloads is refused. Only what the text says without running it is judged; walls are what `sandbox` is for.
 */
import { readShell, type SimpleCommand } from '../../judge/shell.ts';
import { isDestructive } from './destructive-command.ts';
import { baseName, unwrap } from './plain-command.ts';

const denyGroups = ['destructive', 'privilege', 'pipe-to-shell'] as const;

/** What is refused unless the configuration says otherwise. */
export const defaultDenied: readonly string[] = denyGroups;

const privileged = new Set('sudo su doas pkexec run0 runuser visudo passwd setcap'.split(' '));
const shells = new Set('sh bash dash zsh ksh ash fish'.split(' '));
const interpreters = new Set('python python3 perl ruby node php'.split(' '));
const downloaders = new Set('curl wget fetch aria2c http https xh lynx'.split(' '));
const maxDepth = 5;

/**
 * Why a command is refused, in words for the model; null when it is not. `denied` holds names of groups and beginnings of
 * commands, such as `git push`; `root` is the worktree.
 */
export function deniedCommand(
  text: string,
  denied: readonly string[],
  root: string,
): string | null {
  return denied.length === 0 ? null : findIn(text, { denied, root }, '', 0);
}

type Rules = { readonly denied: readonly string[]; readonly root: string };

function findIn(text: string, rules: Rules, cwd: string, depth: number): string | null {
  const variables = new Map([['HOME', '~']]);
  for (const command of readShell(text, { cwd, own: '', variables })) {
    const found = findInCommand(command, rules, depth);
    if (found !== null) return found;
  }
  return null;
}

function findInCommand(command: SimpleCommand, rules: Rules, depth: number): string | null {
  const { denied, root } = rules;
  const words = unwrap(command.words);
  const program = baseName(words[0] ?? '');
  if (denied.includes('privilege') && privileged.has(program)) {
    return `\`${program}\` asks for the rights of another user`;
  }
  if (denied.includes('destructive')) {
    const why = isDestructive({ ...command, words }, root);
    if (why !== null) return why;
  }
  if (denied.includes('pipe-to-shell') && runsDownload(command, words)) {
    return `\`${program}\` would run what another command downloads, unseen`;
  }
  const own = denied.find((each) => isBeginning(each, [program, ...words.slice(1)]));
  if (own !== undefined) return `the configuration refuses \`${own}\``;
  const inner = depth < maxDepth ? innerText(program, words) : null;
  return inner === null ? null : findIn(inner, rules, command.cwd, depth + 1);
}

/** Beginnings of commands: every word of the rule, options between them left out. */
function isBeginning(rule: string, words: readonly string[]): boolean {
  const wanted = rule.trim().split(/\s+/);
  if ((denyGroups as readonly string[]).includes(rule) || wanted[0] === '') return false;
  const [program, ...rest] = words;
  if (program !== wanted[0]) return false;
  const plain = rest.filter((word) => !word.startsWith('-') || wanted.includes(word));
  return wanted.slice(1).every((word, index) => plain[index] === word);
}

/** The text of `sh -c TEXT` and `eval TEXT`. */
function innerText(program: string, words: readonly string[]): string | null {
  if (program === 'eval') return words.slice(1).join(' ');
  if (!shells.has(program)) return null;
  const at = words.findIndex((word, index) => index > 0 && /^-[a-z]*c[a-z]*$/.test(word));
  return at === -1 ? null : (words[at + 1] ?? null);
}

/** A shell or interpreter whose text comes from a download: by a pipe, or by `sh -c "$(curl …)"`, `source <(curl …)`. */
function runsDownload(command: SimpleCommand, words: readonly string[]): boolean {
  const program = baseName(words[0] ?? '');
  const reads = ['eval', 'source', '.'].includes(program) || shells.has(program);
  const isReader = reads || (interpreters.has(program) && !hasScript(words));
  return isReader && (command.fedBy ?? []).some(isDownload);
}

function hasScript(words: readonly string[]): boolean {
  return words.slice(1).some((word) => word !== '-' && (!word.startsWith('-') || word === '-c'));
}

function isDownload({ words, fedBy }: SimpleCommand): boolean {
  return downloaders.has(baseName(unwrap(words)[0] ?? '')) || (fedBy ?? []).some(isDownload);
}
