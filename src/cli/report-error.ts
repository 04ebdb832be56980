import { isLoopwrightError } from '../core/error.ts';
import { plainText } from '../core/text/terminal.ts';
import { asksForJson } from './asks-for-json.ts';
import type { CliContext } from './context.ts';
import { writeErrorLog } from './error-log.ts';
import { exitCodeOfError } from './exit-code.ts';
import { createPaint } from './render/paint.ts';

/**
 * Tells a person, or with `--json` a program, what went wrong and what to do next. Stack traces go to a log file,
 * never to the screen.
 */
export async function reportError(
  error: unknown,
  context: CliContext,
  argv: readonly string[],
): Promise<number> {
  const exitCode = exitCodeOfError(error);
  const told = await describeError(error, context, argv);
  if (asksForJson(argv)) {
    context.out.write(`${JSON.stringify({ error: told, exitCode })}\n`);
    return exitCode;
  }
  const paint = createPaint(context.err.hasColour);
  context.err.write(`${paint('red', 'error:')} ${plainText(told.message)}\n`);
  if (told.hint !== null) context.err.write(`${paint('dim', 'next:')}  ${plainText(told.hint)}\n`);
  return exitCode;
}

type ToldError = { readonly code: string; readonly message: string; readonly hint: string | null };

async function describeError(
  error: unknown,
  context: CliContext,
  argv: readonly string[],
): Promise<ToldError> {
  if (isLoopwrightError(error)) {
    return { code: error.code, message: error.message, hint: error.hint };
  }
  const file = await writeErrorLog(error, context, argv);
  const reason = error instanceof Error ? error.message : String(error);
  const [firstLine = ''] = plainText(reason).split('\n');
  return {
    code: 'internal',
    message: `something went wrong inside Loopwright: ${firstLine}`,
    hint:
      file === null
        ? 'run it again; what was recorded before is safe'
        : `the details are in ${file}; what was recorded before is safe`,
  };
}
