import { classify } from './classify.ts';

/**
 * What runners look for in the folders above the one they are started in, besides files whose name tells. Not `.cargo` as a
 * whole: in a home, cargo itself keeps what it downloads there.
 */
export const climbed: readonly string[] = [
  'node_modules',
  '.cargo/config',
  '.cargo/config.toml',
  '.mvn/extensions.xml',
  '.mvn/jvm.config',
  '.mvn/maven.config',
];

/** Looked for beside the project or in the home, and in no folder between: a clean home has none of them. */
const neverClimbed = new Set([
  '.bash_profile',
  '.bashrc',
  '.gitconfig',
  '.npmrc',
  '.profile',
  '.proverc',
  '.rspec',
  '.zprofile',
  '.zshenv',
  '.zshrc',
]);

/** Whether the name of a file says that runners, builds or package managers obey it from below. */
export function isClimbedTo(name: string): boolean {
  if (neverClimbed.has(name)) return false;
  const kind = classify(name)?.kind;
  return kind === 'config' || kind === 'manifest' || kind === 'dependencies';
}
