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

/** Whether the name of a file says that runners, builds or package managers obey it from below. */
export function isClimbedTo(name: string): boolean {
  const kind = classify(name)?.kind;
  return kind === 'config' || kind === 'manifest' || kind === 'dependencies';
}
