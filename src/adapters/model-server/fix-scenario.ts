import type { Ask, Reply } from './scenario.ts';

/** The file the scenario `fix` works on, what it writes first, and what once it knows better. */
export const fixFile = 'greet.sh';
export const wrongFix = 'echo hello\n';
export const rightFix = 'echo hello world\n';
/** A check that fails on the wrong fix prints this; the prompt that carries it gets the right one. */
export const fixFailure = 'got: hello;';

/**
 * Reads the file, writes it, and claims to be done. It learns from nothing but the messages of the user: a fix is right
 * only if an earlier one was tried, judged, and its failure handed on.
 */
export function fix({ messages, step }: Ask): Reply {
  const told = messages.join('\n');
  const isTold = told.includes(fixFailure);
  if (step === 0) return { kind: 'acts', acts: [{ kind: 'read', path: fixFile }] };
  if (step === 1) {
    const content = isTold ? rightFix : wrongFix;
    return { kind: 'acts', acts: [{ kind: 'write', path: fixFile, content }] };
  }
  const text = isTold ? 'The greeting names the world now.' : 'I wrote a greeting.';
  return { kind: 'text', stop: 'end', text: `${text}${claim(told)}` };
}

function claim(told: string): string {
  const id = /\bt-[0-9a-f]{8}\b/.exec(told)?.[0];
  return id === undefined ? '' : `\n<task-done>${id}</task-done>`;
}
