/** What a judged file says, as data. Loaded when a rule asks for it: few do, and the library is large. */
import { parse as parseYaml } from 'yaml';
import { schemaProblems } from '../../core/verdict/json-schema.ts';
import { timeBox } from '../time-box.ts';

/** Problems of a value with a schema file; null when the check takes too long. */
export function problemsWith(schema: string | null, value: unknown): readonly string[] | null {
  if (schema === null) return ['its schema file is neither on the base nor in your checkout'];
  const { data, problem } = parseData(schema);
  if (problem !== null) return [`its schema file ${problem}`];
  return timeBox(() => schemaProblems(data, value));
}

type Parsed = { readonly data: unknown; readonly problem: string | null };

/** JSON is YAML too. */
export function parseData(text: string): Parsed {
  try {
    const data: unknown = timeBox((): unknown => JSON.parse(text));
    return { data, problem: null };
  } catch {
    // Not JSON: perhaps YAML.
  }
  try {
    const parsed = timeBox((): { data: unknown } => ({
      data: parseYaml(text, { logLevel: 'silent' }),
    }));
    if (parsed === null) return { data: undefined, problem: 'takes too long to read' };
    return { data: parsed.data, problem: null };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return { data: undefined, problem: `is neither JSON nor YAML: ${why}` };
  }
}
