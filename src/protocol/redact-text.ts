import { concat } from '../core/redact/bytes.ts';
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
    const given = new TextEncoder().encode(text);
    const kept = concat([...stream.push(given), ...stream.end()]);
    // Text that holds no secret comes back as it was, also where it is not well-formed.
    if (isSame(given, kept)) return text;
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(kept);
  };
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
