import { isTree } from '../../core/config/tree.ts';

/** The input of a tool call as its model wrote it. Nothing at all stands for no input. */
export function parseInput(text: string): {
  readonly input: unknown;
  readonly fault: string | null;
} {
  if (text.trim() === '') return { input: {}, fault: null };
  try {
    const input: unknown = JSON.parse(text);
    if (isTree(input)) return { input, fault: null };
    return { input: {}, fault: 'the input is not an object' };
  } catch {
    return { input: {}, fault: 'the input is not valid JSON' };
  }
}
