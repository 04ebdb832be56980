import type { Loop } from './loop.ts';

const beginning = 'stuck after ';

/** For a person, when a task has failed so often that another try will not do. */
export function stuckText({ consecutiveFailures, taskId }: Loop): string {
  return `${beginning}${consecutiveFailures} failures in a row; \`loopwright task decompose ${taskId}\` splits the task into smaller ones`;
}

/** The warnings that still hold: who has completed is not stuck. */
export function standingWarnings({ status, warnings }: Loop): readonly string[] {
  return status === 'complete' ? warnings.filter((text) => !text.startsWith(beginning)) : warnings;
}
