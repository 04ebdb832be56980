/** Writes docs/reference from the definitions of commands and configuration: `npm run docs`. A test fails when stale. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderCliReference } from './reference/cli.ts';
import { renderConfigReference } from './reference/config.ts';

/** Every generated page by its path from the root of the repository. */
export async function renderReference(): Promise<Readonly<Record<string, string>>> {
  return {
    'docs/reference/cli.md': await renderCliReference(),
    'docs/reference/config.md': renderConfigReference(),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
  for (const [file, text] of Object.entries(await renderReference())) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), text);
    console.log(file);
  }
}
