import type { AgentAdapter } from '../../../ports/agent.ts';
import { stateFolders } from '../state-folders.ts';
import { finishText, parseText } from './text-format.ts';

/**
 * Any shell command as an agent: it gets the prompt on stdin and the reserved variables, and works in its current
 * folder. It has no second channel for a system prompt, which therefore ends the prompt.
 */
export function createCommandAgent(name: string, command: string): AgentAdapter<null> {
  return {
    name,
    kind: 'cli',
    hasNoUsage: true,
    command: (run) => ({
      argv: ['sh', '-c', command],
      env: run.env,
      stdin: run.systemPrompt === null ? run.prompt : `${run.prompt}\n\n${run.systemPrompt}`,
      files: {},
      state: stateFolders(command),
    }),
    lines: 'latest',
    start: () => null,
    parse: parseText,
    finish: finishText,
  };
}
