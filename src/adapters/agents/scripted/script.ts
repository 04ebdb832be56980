/**
 * The script of a scripted agent: which steps it takes in which iteration, for demos and for testing how loops
 * react. `examples/scripted/` shows every step.
 */
import { LineCounter, type Document } from 'yaml';
import { z } from 'zod';
import { lazy } from '../../../core/lazy.ts';
import { agentOutcomeKinds } from '../../../core/agent/outcome.ts';
import { Duration } from '../../../core/config/value.ts';
import { LoopwrightError } from '../../../core/error.ts';
import { parseYamlDocument } from '../../files/parse-yaml.ts';
import { readSmallFile } from '../../files/small-file.ts';

const maxScriptBytes = 1024 * 1024;
const maxAliases = 100;
/** Longer than any real final message, and short enough for one line of the player's output. */
const maxTextChars = 200_000;

const Text = lazy(() => z.string().max(maxTextChars));
const Path = lazy(() => z.string().min(1).max(4096));
const Tokens = lazy(() => z.number().int().min(0));

const Step = lazy(() =>
  z
    .strictObject({
      say: Text().optional(),
      think: Text().optional(),
      write: z.strictObject({ path: Path(), content: Text() }).optional(),
      append: z.strictObject({ path: Path(), content: Text() }).optional(),
      edit: z.strictObject({ path: Path(), find: Text().min(1), replace: Text() }).optional(),
      delete: Path().optional(),
      run: Text().min(1).optional(),
      wait: Duration().optional(),
      /** Never goes on: for time limits. */
      hang: z.literal(true).optional(),
      usage: z
        .strictObject({
          input: Tokens(),
          output: Tokens(),
          'cache-read': Tokens().default(0),
          'cache-write': Tokens().default(0),
          /** Left out: the agent does not know. */
          'cost-usd': z.number().min(0).optional(),
        })
        .optional(),
      /** Ends the run as an agent's own stream would say it. */
      outcome: z
        .strictObject({
          kind: z.enum(agentOutcomeKinds),
          'retry-after': Duration().optional(),
          'reset-in': Duration().optional(),
          evidence: Text().optional(),
          /** Only in so many runs of the iteration; later ones skip the step. */
          times: z.number().int().min(1).optional(),
        })
        .optional(),
      /** Ends the process at once, without a result. */
      exit: z.number().int().min(0).max(255).optional(),
    })
    .refine((step) => Object.keys(step).length === 1, 'a step has exactly one key'),
);

const Iteration = lazy(() =>
  z.strictObject({
    steps: z.array(Step()).max(1000).default([]),
    /** The final message. Sigils belong here. */
    final: Text().default(''),
    /** Stays alive for so long after its result. */
    linger: Duration().default(0),
  }),
);

export const Script = lazy(() =>
  z.strictObject({
    iterations: z.array(Iteration()).min(1).max(1000),
    /** What happens in iterations after the last: it is played again, or the agent only says that it is over. */
    // oxlint-disable-next-line unicorn/no-thenable -- a word of the script, never a function
    then: z.enum(['repeat', 'stop']).default('repeat'),
  }),
);
export type Script = z.output<ReturnType<typeof Script>>;
export type ScriptIteration = Script['iterations'][number];
export type ScriptStep = ScriptIteration['steps'][number];

export async function readScript(file: string): Promise<Script> {
  return parseScript(readBounded(file), file);
}

/** `file` is only named in messages. */
export function parseScript(text: string, file: string): Script {
  const lines = new LineCounter();
  const document = parseYamlDocument(text, lines);
  const [syntaxError] = document.errors;
  if (syntaxError !== undefined) throw invalid(file, [syntaxError.message]);
  const parsed = Script().safeParse(valueOf(document, file));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => {
    const place = path.length === 0 ? '' : ` (${path.join('.')})`;
    return `line ${lineOf(document, path, lines)}${place}: ${message}`;
  });
  throw invalid(file, problems);
}

function readBounded(file: string): string {
  try {
    const bytes = readSmallFile(file, maxScriptBytes);
    if (bytes === null) throw invalid(file, ['it has more than 1 MB, or is not a plain file']);
    return bytes.toString('utf8');
  } catch (cause) {
    if (cause instanceof LoopwrightError) throw cause;
    throw new LoopwrightError('agent.script_missing', `Cannot read the agent's script ${file}.`, {
      cause,
      hint: 'Give the path of a YAML script, as in `--agent scripted:demo.yml`.',
    });
  }
}

function valueOf(document: Document.Parsed, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: maxAliases });
  } catch (cause) {
    throw invalid(file, [cause instanceof Error ? cause.message : String(cause)]);
  }
}

/** The line of a path, or of the nearest thing around it. */
function lineOf(
  document: Document.Parsed,
  path: readonly PropertyKey[],
  lines: LineCounter,
): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (hasRange(node)) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function hasRange(node: unknown): node is { readonly range: readonly [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

function invalid(file: string, problems: readonly string[]): LoopwrightError {
  const shown = problems.slice(0, 5).join('\n  ');
  return new LoopwrightError(
    'agent.script_invalid',
    `The script ${file} is not valid:\n  ${shown}`,
    {
      hint: 'A script has `iterations`, each with `steps` and a `final` message.',
      details: { file, problems },
    },
  );
}
