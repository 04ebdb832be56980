import { readFileSync } from 'node:fs';

/** The version in `package.json`, which lies one folder above the sources and the bundle alike. */
export function packageVersion(): string {
  const parsed: unknown = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  );
  const isOurs = typeof parsed === 'object' && parsed !== null && 'version' in parsed;
  return isOurs && typeof parsed.version === 'string' ? parsed.version : '0.0.0';
}
