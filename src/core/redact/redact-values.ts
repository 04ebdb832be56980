import { looksSecret } from '../env/allow-list.ts';

const shortest = 8;

/** Replaces the values of variables that look like keys, wherever they turn up in a text. */
export function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
): (text: string) => string {
  const secrets = Object.entries(env)
    .flatMap(([name, value]) =>
      value !== undefined && value.length >= shortest && looksSecret(name) ? [{ name, value }] : [],
    )
    // A secret that contains another is replaced first, whole.
    .toSorted((a, b) => b.value.length - a.value.length);
  if (secrets.length === 0) return (text) => text;
  return (text) =>
    secrets.reduce((result, { name, value }) => result.replaceAll(value, () => `[${name}]`), text);
}
