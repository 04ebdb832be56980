import vm from 'node:vm';
import { isTree } from '../../../core/config/tree.ts';
import { ToolError } from './tool/tool.ts';

/** Indexes of the lines that match, the first `max`. */
export type LineSearch = (lines: readonly string[], max: number) => readonly number[];

/** An expression that needs longer for one file backtracks without end. */
const maxMs = 2000;
/** Longer lines are generated; their beginning is searched. */
const maxLineChars = 10_000;

const script = new vm.Script(
  'lines.reduce((found, line, at) => (found.length < max && re.test(line) ? [...found, at] : found), [])',
);

/**
 * The expression is the model's and the text is anybody's: together they can backtrack for ever. Only the engine's own time
 * limit can stop that, and it comes with scripts.
 */
export function createLineSearch(pattern: string, ignoreCase: boolean): LineSearch {
  const re = compile(pattern, ignoreCase ? 'iu' : 'u') ?? compile(pattern, ignoreCase ? 'i' : '');
  if (re === null) throw new ToolError(`\`${pattern}\` is not a regular expression`);
  const context = vm.createContext({ re });
  return (lines, max) => {
    context['max'] = max;
    context['lines'] = lines.map((line) => line.slice(0, maxLineChars));
    try {
      const found: readonly number[] = script.runInContext(context, { timeout: maxMs });
      return [...found];
    } catch (error) {
      if (!isTimeout(error)) throw error;
      throw new ToolError(`\`${pattern}\` takes too long: use a simpler expression`);
    }
  };
}

/** Errors of a context are no instances of our own classes. */
function isTimeout(error: unknown): boolean {
  return isTree(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function compile(pattern: string, flags: string): RegExp | null {
  try {
    return new RegExp(pattern, flags);
  } catch {
    // Not in this dialect.
    return null;
  }
}
