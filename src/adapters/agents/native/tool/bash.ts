import { z } from 'zod';
import { runShell, type ShellEnd } from '../../../process/shell-command.ts';
import type { Clock } from '../../../../ports/clock.ts';
import { deniedCommand } from '../../../../core/agent/native/denied-command.ts';
import { defineTool, ToolError, type Tool } from './tool.ts';

const defaultSeconds = 120;
const maxSeconds = 600;
const maxChars = 30_000;

export type BashSurroundings = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** What is refused: groups and beginnings of commands. */
  readonly denied: readonly string[];
};

export function createBashTool({ cwd, env, clock, denied }: BashSurroundings): Tool {
  return defineTool({
    name: 'bash',
    description: `Runs a shell command in the worktree, without input. Time limit ${defaultSeconds} s unless given, at most ${maxSeconds}. Of long output the beginning and the end are shown. Whatever the command leaves in the background is ended with it.`,
    input: z.object({
      command: z.string().min(1).max(100_000),
      timeout_seconds: z.number().min(1).max(maxSeconds).default(defaultSeconds),
    }),
    async run({ command, timeout_seconds: seconds }, signal) {
      const why = deniedCommand(command, denied, cwd);
      if (why !== null) throw new ToolError(refusal(why));
      const spec = { command, cwd, env: quiet(env), timeoutMs: seconds * 1000, maxChars };
      const { end, output } = await runShell(spec, clock, signal);
      const isGood = end.kind === 'exited' && end.code === 0;
      const shown = output === '' ? '(no output)' : output;
      return { text: `${shown}\n(${describe(end, seconds)})`, isError: !isGood };
    },
  });
}

/** Nothing has run: the model is told what to do instead. */
function refusal(why: string): string {
  return `The command was refused and nothing of it has run: ${why}. Work inside the worktree, without other rights, and read a download before you run it; if the task cannot be done so, say it in your final message.`;
}

/** Nobody is there to page, to edit or to answer. */
function quiet(env: BashSurroundings['env']): BashSurroundings['env'] {
  return { ...env, PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };
}

function describe(end: ShellEnd, seconds: number): string {
  switch (end.kind) {
    case 'exited':
      return `exit code ${end.code}`;
    case 'signalled':
      return `killed by ${end.signal}`;
    case 'timed-out':
      return `ended after ${seconds} s, the time limit`;
    case 'not-started':
      return `could not be started: ${end.error}`;
  }
}
