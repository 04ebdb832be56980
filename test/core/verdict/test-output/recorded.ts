import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../../fixtures/test-output/', import.meta.url);

/** Output recorded from a real runner, by its path in the fixtures folder without the extension. */
export function recorded(name: string): string {
  return readFileSync(new URL(`${name}.txt`, folder), 'utf8');
}

export function recordedNames(): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      readdirSync(new URL(`${name}/`, folder)).map(
        (file) => `${name}/${file.replace(/\.txt$/, '')}`,
      ),
    );
}
