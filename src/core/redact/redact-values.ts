import { secretValues } from './secret-values.ts';

/** For what is shown: puts the name of its variable in the place of every secret. */
export function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
): (text: string) => string {
  // A secret that contains another is replaced first, whole.
  const secrets = secretValues(env).toSorted((a, b) => b.value.length - a.value.length);
  if (secrets.length === 0) return (text) => text;
  return (text) =>
    secrets.reduce((result, { name, value }) => result.replaceAll(value, () => `[${name}]`), text);
}
