import { escapedName } from '../../core/text/file-name.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { DescribeLimits, WorkspaceText } from '../../ports/workspace.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { splitRecords } from './path-bytes.ts';

const cutMark = '\n...[truncated]...';
const maxLogLine = 200;

/** Status, diff and log for a prompt, seen through the engine's own index: untracked files show as added. */
export async function describeCheckout(
  checkout: LoopCheckout,
  { diffChars, logEntries }: DescribeLimits,
  signal: AbortSignal,
): Promise<WorkspaceText> {
  const { repository, at, index } = checkout;
  const env = { GIT_INDEX_FILE: index.file };
  const read = async (args: readonly string[], maxChars: number) => {
    // A character takes at most four bytes, so the cut by characters is the one that counts.
    const maxOutputBytes = maxChars * 4 + 4;
    const result = await repository.run({ at, env, args, signal, maxOutputBytes });
    return result.exitCode === 0 || result.truncated
      ? result
      : { ...result, stdout: Buffer.alloc(0) };
  };
  const ignore = '--ignore-submodules=dirty';
  const statusArgs = [
    'status',
    '--porcelain',
    '-z',
    '--untracked-files=normal',
    '--no-renames',
    ignore,
  ];
  const diffArgs = ['diff', 'HEAD', '--no-ext-diff', '--no-textconv', '--no-color', ignore];
  const logArgs = [
    'log',
    '-z',
    '-n',
    String(logEntries),
    '--no-color',
    '--no-decorate',
    '--format=%h %s',
  ];
  const [status, diff, log] = await Promise.all([
    read(statusArgs, diffChars),
    read(diffArgs, diffChars),
    read(logArgs, logEntries * 10_000),
  ]);
  return {
    status: cut(visibleLines(splitRecords(status.stdout)), diffChars),
    diff: cut(plainText(diff.stdout.toString('utf8')), diffChars),
    log: visibleLines(splitRecords(log.stdout).map((line) => cut(line, maxLogLine))),
  };
}

/** Cuts between characters, not inside one. */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const characters = Array.from(text.slice(0, maxChars * 2)).slice(0, maxChars);
  const kept = characters.join('');
  return kept.length === text.length ? text : kept + cutMark;
}

/** One record per line, whatever file names and subjects hold. */
function visibleLines(records: readonly string[]): string {
  return records.map(escapedName).join('\n');
}
