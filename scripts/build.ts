/** Bundles the package into `dist`: few files start faster than many. Types come from the compiler. */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
await build({
  cwd: root,
  input: {
    cli: 'src/cli/main.ts',
    index: 'src/index.ts',
    'scripted-player': 'src/adapters/agents/scripted/player.ts',
  },
  platform: 'node',
  external: [/^node:/],
  output: {
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    // Chunks lie beside the entries: code finds its files relative to itself.
    chunkFileNames: '[name]-[hash].js',
    minify: false,
  },
});
cpSync(path.join(root, 'src/adapters/sqlite/migrations'), path.join(dist, 'migrations'), {
  recursive: true,
});
execFileSync(
  process.execPath,
  [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
