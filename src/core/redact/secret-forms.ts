/** The ways a secret turns up in output: as it is, in JSON, in an address, in base64. All as bytes. */
import { isLongEnough } from './secret-values.ts';

/** What is left of a form that depends on its surroundings is a secret only if there is enough of it. */
const shortestForm = 8;
/** A longer form is looked for in parts of this size, so that little has to be held back while one may be on its way. */
const longestForm = 256;

/** Every form of these values, each once. Lines of a value of many lines are secrets of their own. */
export function secretForms(values: readonly string[]): readonly Uint8Array[] {
  const forms = new Map<string, Uint8Array>();
  const secrets = values.flatMap((value) => [
    value,
    ...value.split('\n').map((line) => line.trim()),
  ]);
  for (const secret of secrets.filter(isLongEnough)) {
    for (const form of formsOf(secret.toWellFormed())) {
      for (const part of parts(form)) forms.set(part.join(), part);
    }
  }
  return [...forms.values()];
}

function formsOf(secret: string): readonly Uint8Array[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inAddress = encodeURIComponent(secret);
  // What other languages encode as well; Python leaves the slash, forms leave the star.
  const strict = inAddress.replaceAll(/[!'()*]/g, encodeUnit);
  const inForm = strict.replaceAll('%2A', '*').replaceAll('~', '%7E');
  const addresses = [inAddress, strict, strict.replaceAll('%2F', '/'), inForm];
  const texts = [
    secret,
    inJson,
    // JSON within JSON: agents report what their tools printed.
    JSON.stringify(inJson).slice(1, -1),
    inJson.replaceAll(/[\u0080-\uffff]/g, escapeUnit),
    ...addresses.flatMap((address) => [
      address,
      address.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
      address.replaceAll('%20', '+'),
    ]),
  ];
  return [...texts.map(utf8), ...base64Forms(utf8(secret))];
}

function encodeUnit(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).toUpperCase()}`;
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function parts(form: Uint8Array): readonly Uint8Array[] {
  if (form.length <= longestForm) return [form];
  const count = Math.floor(form.length / longestForm);
  const whole = Array.from({ length: count }, (_, index) =>
    form.slice(index * longestForm, (index + 1) * longestForm),
  );
  return [...whole, form.slice(-longestForm)];
}

function utf8(text: string): Uint8Array {
  const bytes: number[] = [];
  const encoded = encodeURIComponent(text);
  for (let i = 0; i < encoded.length; i += 1) {
    if (encoded[i] === '%') {
      bytes.push(Number.parseInt(encoded.slice(i + 1, i + 3), 16));
      i += 2;
    } else bytes.push(encoded.charCodeAt(i));
  }
  return Uint8Array.from(bytes);
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * What of the secret's base64 does not depend on what stands around it, for each of the three ways it can be aligned, in both
 * alphabets.
 */
function base64Forms(secret: Uint8Array): readonly Uint8Array[] {
  return [0, 1, 2].flatMap((skipped) => {
    const first = Math.ceil((skipped * 8) / 6);
    const end = Math.floor(((skipped + secret.length) * 8) / 6);
    const text = Array.from({ length: end - first }, (_, index) =>
      alphabet.charAt(sixBits(secret, (first + index) * 6 - skipped * 8)),
    ).join('');
    if (text.length < shortestForm) return [];
    return [utf8(text), utf8(text.replaceAll('+', '-').replaceAll('/', '_'))];
  });
}

function sixBits(bytes: Uint8Array, at: number): number {
  const index = Math.floor(at / 8);
  const both = ((bytes[index] ?? 0) << 8) | (bytes[index + 1] ?? 0);
  return (both >> (10 - (at % 8))) & 0x3f;
}
