/** Bundles the package: few files start faster than many. `node scripts/build.ts [FOLDER]`, `dist` by default. */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import {
  build,
  type BuildOptions,
  type ChunkingContext,
  type OutputBundle,
  type Plugin,
} from 'rolldown';
import { newStoreName } from '../src/adapters/sqlite/new-store.ts';
import { openStore } from '../src/adapters/sqlite/store.ts';
import { isListed } from '../src/cli/find-command.ts';
import { renderProgramHelp } from '../src/cli/help.ts';
import { registry } from '../src/cli/registry.ts';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.resolve(process.argv[2] ?? path.join(root, 'dist'));

rmSync(dist, { recursive: true, force: true });
const ascii: Plugin = {
  name: 'ascii',
  generateBundle: (_output, files) => escapeChunks(files),
};
const shared = {
  cwd: root,
  plugins: [ascii],
  platform: 'node',
  external: [/^node:/],
  // It runs nothing when it is loaded; what is not used of it stays out.
  treeshake: { moduleSideEffects: (id) => !/node_modules\/zod\//.test(id) },
} satisfies BuildOptions;
const output = { minify: true, dir: dist } as const;
const program = { ...output, format: 'esm', entryFileNames: '[name].js' } as const;
// Code that V8 compiled can be kept for CommonJS, not for modules: bin/bundle.cjs does.
const kept = { ...output, format: 'cjs', entryFileNames: '[name].cjs' } as const;

const apart: Plugin = {
  name: 'apart',
  generateBundle(_output, files) {
    for (const file of Object.values(files)) {
      const foreign = file.type === 'chunk' && file.dynamicImports.find((id) => !(id in files));
      if (foreign) throw new Error(`kept code cannot import ${foreign}: ask for it in another way`);
    }
  },
};
await build({
  ...shared,
  plugins: [ascii, apart],
  input: { cli: 'src/cli/main.ts', library: 'src/index.ts' },
  // Pieces may hand more to each other than the entries export.
  preserveEntrySignatures: 'allow-extension',
  output: {
    ...kept,
    // Chunks lie beside the entries: code finds its files relative to itself.
    chunkFileNames: '[name].[hash].cjs',
    // What a run loads before its first agent comes in three pieces, and nothing else is in them: finding and linking a hundred
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
    'scripted-player': 'src/adapters/agents/scripted/player.ts',
    'strategy-runner': 'src/adapters/strategy/strategy-runner.ts',
  },
  output: { ...program, chunkFileNames: 'program-[name]-[hash].js' },
});
// Each is one file: inside the walls of a sandbox nothing else of the package can be read.
for (const [name, file] of [
  ['door-caller', 'src/adapters/door/caller.ts'],
  ['hook-runner', 'src/adapters/hook/module-runner.ts'],
] as const) {
  await build({ ...shared, input: { [name]: file }, output: program });
}
cpSync(path.join(root, 'src/adapters/sqlite/migrations'), path.join(dist, 'migrations'), {
  recursive: true,
});
// What a first run puts in place instead of carrying out all migrations.
const newStore = await openStore(path.join(dist, 'migrations', newStoreName));
await newStore[Symbol.asyncDispose]();
// The entry file prints this without loading anything.
writeFileSync(path.join(dist, 'help.txt'), renderProgramHelp(registry.filter(isListed), 80));
writeFileSync(path.join(dist, 'index.js'), renderLibrary(path.join(dist, 'library.cjs')));
// The bundle by itself, as `node dist/cli.js`: in a clone the published entry runs the sources.
const bundle = "createRequire(import.meta.url)('../bin/bundle.cjs')";
const byItself = [
  "import { createRequire } from 'node:module';",
  `await ${bundle}.startBundle(import.meta.dirname);`,
];
writeFileSync(path.join(dist, 'cli.js'), `${byItself.join('\n')}\n`);
const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
const types = ['-p', path.join(root, 'tsconfig.build.json'), '--outDir', path.join(dist, 'types')];
execFileSync(process.execPath, [compiler, ...types], { cwd: root, stdio: 'inherit' });

/** The library as a module: the same names, and nothing of the bundle twice. */
function renderLibrary(file: string): string {
  const library: unknown = createRequire(import.meta.url)(file);
  const names = Object.keys(Object(library)).toSorted();
  return [
    "import { createRequire } from 'node:module';",
    `export const { ${names.join(', ')} } = createRequire(import.meta.url)('./library.cjs');`,
    '',
  ].join('\n');
}

/** A file of nothing but ASCII is read at once; one sign beyond it, and all of the file is decoded and held twice as wide. */
function escapeChunks(files: OutputBundle): void {
  for (const file of Object.values(files)) {
    if (file.type !== 'chunk') continue;
    if (/\\[^\0-\x7f]|String\.raw`[^`]*[^\0-\x7f`]/.test(file.code))
      throw new Error(`${file.fileName} cannot be escaped`);
    file.code = file.code.replaceAll(/[^\0-\x7f]/g, (sign) => {
      return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
  }
}

/**
 * Names the piece of every module that a run imports: what any command needs to be found and understood, and what only the
 * run does. Of the latter the pure part is apart: commands that only parse need no more.
 */
function createGroups(): (id: string, context: ChunkingContext) => string | null {
  let found: { base: ReadonlySet<string>; run: ReadonlySet<string> } | null = null;
  return (id, context) => {
    found ??= {
      base: reachable(context, ['src/cli/main.ts']),
      run: reachable(context, ['src/cli/command/run.ts', 'src/daemon/compose.ts']),
    };
    if (id === path.join(root, 'src/cli/main.ts')) return null;
    if (found.base.has(id)) return 'base';
    if (!found.run.has(id)) return null;
    // With what the pure part imports: a piece that needs the other one first cannot be loaded.
    return /src\/core\/|node_modules\//.test(id) ? 'core' : 'engine';
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
