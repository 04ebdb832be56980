import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { tempDir } from '../support/temp-dir.ts';

const root = path.resolve(import.meta.dirname, '../..');

const LintRules = z.looseObject({});
const LintReport = z.object({
  diagnostics: z.array(z.object({ code: z.string(), filename: z.string() })),
});

/** Each file breaks one rule of the house. Every one of them must be refused. */
const planted: readonly (readonly [file: string, text: string])[] = [
  ...imports('core', ['ports', 'engine', 'adapters', 'protocol', 'server', 'daemon', 'cli']),
  ...imports('ports', ['engine', 'adapters', 'protocol', 'server', 'daemon', 'cli']),
  ...imports('engine', ['adapters', 'protocol', 'server', 'daemon', 'cli']),
  ...imports('adapters', ['engine', 'protocol', 'server', 'daemon', 'cli']),
  ...imports('protocol', ['engine', 'adapters', 'server', 'daemon', 'cli']),
  ...imports('server', ['adapters', 'daemon', 'cli']),
  ...imports('daemon', ['cli']),
  ...['core', 'engine', 'adapters/git', 'protocol', 'server', 'daemon', 'cli'].flatMap((folder) => [
    at(folder, 'clock', 'export const now = Date.now();'),
    at(folder, 'timer', 'setTimeout(() => {}, 1);'),
    at(folder, 'ticker', 'setInterval(() => {}, 1);'),
    at(folder, 'own', 'export const pid = process.pid;'),
    at(folder, 'request', "await fetch('http://localhost');"),
    at(folder, 'chance', 'export const chance = Math.random();'),
    at(folder, 'spawn', "import { spawn } from 'node:child_process';\nspawn('true');"),
    at(folder, 'wait', "import { setTimeout } from 'node:timers/promises';\nawait setTimeout(1);"),
  ]),
];

/** What the same folders may do. */
const allowed: readonly (readonly [file: string, text: string])[] = [
  at('engine', 'fine', "import { thing } from '../ports/thing.ts';\nexport const mine = thing;"),
  at('adapters/process', 'fine', "import { spawn } from 'node:child_process';\nspawn('true');"),
  at('adapters/clock', 'fine', 'setTimeout(() => {}, 1);\nexport const now = Date.now();'),
  at('cli', 'fine', "import { thing } from '../adapters/thing.ts';\nexport const mine = thing;"),
];

it('the linter refuses each planted violation of a layer, a clock, a timer or a process', async () => {
  await using dir = await tempDir();
  const refused = await lint(dir.path);
  expect(planted.map(([file]) => file).filter((file) => !refused.has(file))).toEqual([]);
  expect(allowed.map(([file]) => file).filter((file) => refused.has(file))).toEqual([]);
});

/** The rules of this repository, run on a folder with these files only. */
async function lint(folder: string): Promise<ReadonlySet<string>> {
  const rules = LintRules.parse(
    JSON.parse(await readFile(path.join(root, '.oxlintrc.json'), 'utf8')),
  );
  // None of these rules needs types, and there is no project here to take them from.
  const config = JSON.stringify({ ...rules, options: {} });
  await writeFile(path.join(folder, '.oxlintrc.json'), config);
  for (const [file, text] of [...planted, ...allowed]) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), `${text}\n`);
  }
  const program = path.join(root, 'node_modules/.bin/oxlint');
  const call = promisify(execFile)(program, ['-f', 'json'], { cwd: folder, maxBuffer: 2 ** 26 });
  // It exits with 1 when it refuses something, which is what is wanted here.
  const { stdout } = await call.catch((error: { readonly stdout: string }) => error);
  const { diagnostics } = LintReport.parse(JSON.parse(stdout));
  const found = diagnostics.filter(({ code }) => code.includes('no-restricted-'));
  return new Set(found.map(({ filename }) => filename));
}

function imports(from: string, layers: readonly string[]) {
  return layers.map((to) =>
    at(
      from,
      `imports-${to}`,
      `import { thing } from '../${to}/thing.ts';\nexport const x = thing;`,
    ),
  );
}

function at(folder: string, name: string, text: string) {
  return [`src/${folder}/${name}.ts`, text] as const;
}
