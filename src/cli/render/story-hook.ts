import type { HookResult } from '../../core/loop/event.ts';
import { formatDuration } from './format.ts';
import { detail, line, verbose, type StoryLine } from './story-line.ts';

const shownLines = 3;

/** One hook before or after an iteration: quiet when all is well, with the end of its output when not. */
export function hookLines(result: HookResult): readonly StoryLine[] {
  const { hook, exitCode, durationMs, answer } = result;
  const problem =
    result.problem ?? (exitCode === 0 ? null : `failed (exit code ${exitCode ?? 'none'})`);
  if (problem !== null) {
    const output = result.output.trimEnd().split('\n').slice(-shownLines);
    const shown = output.filter((text) => text.trim() !== '').map((text) => detail(text));
    return [line('hook', `${hook}: ${problem}`, 'yellow'), ...shown];
  }
  const ran = verbose('hook', `${hook} in ${formatDuration(durationMs)}`);
  if (answer === undefined) return [ran];
  const why = answer.reason === '' ? '' : `: ${answer.reason}`;
  const prompt =
    answer.promptHash === undefined ? [] : [line('hook', `${hook} changed the prompt${why}`)];
  const verdict =
    answer.action === 'continue'
      ? []
      : [line('hook', `${hook} says ${answer.action}${why}`, 'yellow')];
  return [ran, ...prompt, ...verdict];
}
