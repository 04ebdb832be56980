import { neededPrograms } from './needed-programs.ts';

/** Programs that look for their manifest in the folders above, and work in the folder where they find it. */
const manifests: Readonly<Record<string, string>> = {
  npm: 'package.json',
  pnpm: 'package.json',
  yarn: 'package.json',
  bun: 'package.json',
  cargo: 'Cargo.toml',
  go: 'go.mod',
};

/**
 * The file without which a check runs in a folder above: a worktree lies inside the user's checkout, and `npm test` without a
 * `package.json` would test that one. Null when the check needs no such file, or starts in another folder.
 */
export function neededManifest(text: string): string | null {
  const [first] = neededPrograms(text);
  if (first === undefined || first.folder !== '') return null;
  return Object.hasOwn(manifests, first.name) ? (manifests[first.name] ?? null) : null;
}
