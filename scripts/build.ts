/** Bundles the package: few files start faster than many. `node scripts/build.ts [FOLDER]`, `dist` by default. */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.resolve(process.argv[2] ?? path.join(root, 'dist'));

rmSync(dist, { recursive: true, force: true });
await build({
  cwd: root,
  input: {
    cli: 'src/cli/main.ts',
    index: 'src/index.ts',
    'scripted-player': 'src/adapters/agents/scripted/player.ts',
    'native-agent': 'src/adapters/agents/native/program.ts',
  },
  platform: 'node',
  external: [/^node:/],
  output: {
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    // Chunks lie beside the entries: code finds its files relative to itself.
    chunkFileNames: '[name]-[hash].js',
  },
});
cpSync(path.join(root, 'src/adapters/sqlite/migrations'), path.join(dist, 'migrations'), {
  recursive: true,
});
const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
const types = ['-p', path.join(root, 'tsconfig.build.json'), '--outDir', path.join(dist, 'types')];
execFileSync(process.execPath, [compiler, ...types], { cwd: root, stdio: 'inherit' });
