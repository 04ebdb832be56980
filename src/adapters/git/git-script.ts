import type { GitCall } from './git.ts';
import { shellWord } from '../../core/text/shell-word.ts';

/** A call as lines for a shell, which becomes the last of its commands; input comes from the shell's own. */
export function gitScript({ args, then, outputFile }: GitCall): string {
  const into = outputFile === undefined ? '' : ` >${shellWord(outputFile)}`;
  if (then === undefined) return `exec ${words(['git', ...args])}${into}`;
  return `${words(['git', ...args])} || exit
exec ${words(['git', ...then.args])}${into} </dev/null`;
}

/**
 * Gives a group of commands its input. Text of whole lines is written as it is; anything else as escapes that the shell's own
 * `printf` turns into bytes.
 */
export function withInput(
  group: string,
  input: string | Uint8Array | undefined,
  endMark: string,
): string {
  if (input === undefined) return `${group} </dev/null`;
  const bytes = Buffer.from(input);
  const text = bytes.toString('utf8');
  const isLines = text.endsWith('\n') && !text.includes('\0') && Buffer.from(text).equals(bytes);
  if (isLines) return `${group} <<'${endMark}'\n${text}${endMark}`;
  return `printf '${escaped(bytes)}' | ${group}`;
}

/** Letters, digits and a few signs stand for themselves. */
function escaped(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/[^\w./:@ ]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function words(list: readonly string[]): string {
  return list.map(shellWord).join(' ');
}
