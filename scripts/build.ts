/** Bundles the package: few files start faster than many. `node scripts/build.ts [FOLDER]`, `dist` by default. */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type BuildOptions, type ChunkingContext } from 'rolldown';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.resolve(process.argv[2] ?? path.join(root, 'dist'));

rmSync(dist, { recursive: true, force: true });
const shared = {
  cwd: root,
  platform: 'node',
  external: [/^node:/],
  // It runs nothing when it is loaded; what is not used of it stays out.
  treeshake: { moduleSideEffects: (id) => !/node_modules\/zod\//.test(id) },
} satisfies BuildOptions;
const output = { minify: true, dir: dist, format: 'esm', entryFileNames: '[name].js' } as const;

await build({
  ...shared,
  input: {
    cli: 'src/cli/main.ts',
    index: 'src/index.ts',
    'scripted-player': 'src/adapters/agents/scripted/player.ts',
  },
  // Pieces may hand more to each other than the entries export.
  preserveEntrySignatures: 'allow-extension',
  output: {
    ...output,
    // Chunks lie beside the entries: code finds its files relative to itself.
    chunkFileNames: '[name]-[hash].js',
    // What a run loads before its first agent comes in two pieces, and nothing else is in them: finding and linking a hundred
    // files takes longer than reading them, and what is not needed is neither read nor evaluated.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: createGroups(), debugName: 'run' }],
    },
  },
});
// Programs of their own, which need nothing of the engine and take nothing from its pieces.
await build({
  ...shared,
  input: {
    'acp-client': 'src/adapters/agents/acp/client.ts',
    'native-agent': 'src/adapters/agents/native/program.ts',
    'learning-search': 'src/adapters/sqlite/search-program.ts',
  },
  output: { ...output, chunkFileNames: 'program-[name]-[hash].js' },
});
// Each is one file: inside the walls of a sandbox nothing else of the package can be read.
for (const [name, file] of [
  ['door-caller', 'src/adapters/door/caller.ts'],
  ['hook-runner', 'src/adapters/hook/module-runner.ts'],
] as const) {
  await build({ ...shared, input: { [name]: file }, output });
}
cpSync(path.join(root, 'src/adapters/sqlite/migrations'), path.join(dist, 'migrations'), {
  recursive: true,
});
// The entry file prints this without loading anything.
const help = execFileSync(process.execPath, [path.join(dist, 'cli.js'), '--help'], {
  encoding: 'utf8',
  env: {},
});
writeFileSync(path.join(dist, 'help.txt'), help);
const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
const types = ['-p', path.join(root, 'tsconfig.build.json'), '--outDir', path.join(dist, 'types')];
execFileSync(process.execPath, [compiler, ...types], { cwd: root, stdio: 'inherit' });

/**
 * Names the piece of every module that a run imports, but for what the entry itself imports and any command needs. The pure
 * part is apart: commands that only parse need no more.
 */
function createGroups(): (id: string, context: ChunkingContext) => string | null {
  let ofRun: ReadonlySet<string> | null = null;
  return (id, context) => {
    ofRun ??= reachable(context, ['src/cli/command/run.ts', 'src/daemon/compose.ts']).difference(
      reachable(context, ['src/cli/main.ts']),
    );
    if (!ofRun.has(id)) return null;
    return /src\/core\/|node_modules\/zod\//.test(id) ? 'core' : 'engine';
  };
}

/** All modules that come with these because they are imported, not asked for later. */
function reachable(context: ChunkingContext, entries: readonly string[]): Set<string> {
  const found = new Set(entries.map((entry) => path.join(root, entry)));
  for (const id of found) {
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  }
  return found;
}
