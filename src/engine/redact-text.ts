import { createRedaction, type Redaction } from '../core/redact/redactor.ts';
import { secretsOf } from '../core/redact/secret-values.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Takes the values of secret variables, and everything that looks like a secret, out of a text that is to be kept. What programs
 * print is redacted as it comes; this is for what people give, for prompts, and for what is read out of files.
 */
export function redactText(...environments: readonly Variables[]): (text: string) => string {
  return redactWith(createRedaction(environments.flatMap((env) => secretsOf(env))));
}

export function redactWith(redaction: Redaction): (text: string) => string {
  return (text) => {
    const stream = redaction.stream();
    const given = Buffer.from(text, 'utf8');
    const kept = Buffer.concat([...stream.push(given), ...stream.end()]);
    return kept.equals(given) ? text : kept.toString('utf8');
  };
}
