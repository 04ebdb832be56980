/**
 * Writes docs/reference and the tables of defaults and scalar keys from the definitions of commands and configuration:
 * `npm run docs`. A test fails when stale.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderDefaultTable } from './reference/defaults.ts';
import { renderScalarTable } from './reference/scalars.ts';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Every generated file by its path from the root of the repository. */
export async function renderReference(): Promise<Readonly<Record<string, string>>> {
  return { ...renderTables(), ...(await renderPages()) };
}

function renderTables(): Readonly<Record<string, string>> {
  return {
    'src/core/config/default-table.ts': renderDefaultTable(),
    'src/core/config/scalar-table.ts': renderScalarTable(),
  };
}

/** Loaded on demand: the commands read the tables, which must be up to date by then. */
async function renderPages(): Promise<Readonly<Record<string, string>>> {
  const { renderCliReference } = await import('./reference/cli.ts');
  const { renderConfigReference } = await import('./reference/config.ts');
  const { openApiDocument } = await import('../src/protocol/http/openapi.ts');
  return {
    'docs/reference/openapi.json': `${JSON.stringify(openApiDocument(), null, 2)}\n`,
    'docs/reference/cli.md': await renderCliReference(),
    'docs/reference/config.md': renderConfigReference(),
  };
}

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), text);
    console.log(file);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await write(renderTables());
  await write(await renderPages());
}
