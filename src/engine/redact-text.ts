import { createRedaction } from '../core/redact/redactor.ts';
import { secretsOf } from '../core/redact/secret-forms.ts';

/**
 * Takes the values of secret variables, and everything that looks like a key, out of a text that is to be kept. What agents
 * print is redacted as it comes; this is for text that people give, and a second look at what goes into memory.
 */
export function redactText(
  env: Readonly<Record<string, string | undefined>>,
): (text: string) => string {
  const redaction = createRedaction(secretsOf(env));
  return (text) => {
    const stream = redaction.stream();
    const parts = [...stream.push(Buffer.from(text, 'utf8')), ...stream.end()];
    return Buffer.concat(parts).toString('utf8');
  };
}
