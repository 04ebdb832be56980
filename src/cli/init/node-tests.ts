import { parse } from 'yaml';
import {
  hasDependency,
  packageManagerOf,
  readPackageJson,
  type PackageJson,
  type PackageManager,
} from './package-json.ts';
import type { ProjectFolder } from './project-folder.ts';
import type { TestCommand } from './test-command.ts';

/** `bun test` would start Bun's own runner, whatever the script says. */
const testScripts: Readonly<Record<PackageManager, string>> = {
  npm: 'npm test',
  pnpm: 'pnpm test',
  yarn: 'yarn test',
  bun: 'bun run test',
};

const executors: Readonly<Record<PackageManager, string>> = {
  npm: 'npx',
  pnpm: 'pnpm exec',
  yarn: 'yarn',
  bun: 'bunx',
};

/** Tests of JavaScript projects: npm, pnpm, Yarn, Bun and Deno. */
export async function findNodeTests(folder: ProjectFolder): Promise<readonly TestCommand[]> {
  const manifest = await readPackageJson(folder);
  const packaged = manifest === null ? [] : packageTests(manifest, folder);
  return [...packaged, ...(await denoTests(folder))];
}

function packageTests(manifest: PackageJson, folder: ProjectFolder): readonly TestCommand[] {
  const manager = packageManagerOf(manifest, folder);
  const script = manifest.scripts['test'];
  // What `npm init` writes says that there are no tests.
  if (typeof script === 'string' && script !== '' && !script.includes('no test specified')) {
    return [{ command: testScripts[manager], because: 'scripts.test in package.json' }];
  }
  const runner = [
    { name: 'vitest', command: `${executors[manager]} vitest run` },
    { name: 'jest', command: `${executors[manager]} jest` },
    { name: 'mocha', command: `${executors[manager]} mocha` },
  ].find(({ name }) => hasDependency(manifest, name));
  if (runner !== undefined) {
    return [{ command: runner.command, because: `${runner.name} in package.json` }];
  }
  return manager === 'bun' ? [{ command: 'bun test', because: 'the lock file of Bun' }] : [];
}

async function denoTests(folder: ProjectFolder): Promise<readonly TestCommand[]> {
  const file = ['deno.json', 'deno.jsonc'].find((name) => folder.names.has(name));
  if (file === undefined) return [];
  const text = (await folder.read(file)) ?? '';
  return hasDenoTask(text)
    ? [{ command: 'deno task test', because: `tasks.test in ${file}` }]
    : [{ command: 'deno test', because: file }];
}

function hasDenoTask(text: string): boolean {
  try {
    // YAML reads JSON; comments as in `.jsonc` are taken out line by line.
    const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('//'));
    const config: unknown = parse(lines.join('\n'), { maxAliasCount: 0 });
    const tasks = isRecord(config) ? config['tasks'] : null;
    return isRecord(tasks) && 'test' in tasks;
  } catch {
    // Not readable: Deno's own default is proposed.
    return false;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
