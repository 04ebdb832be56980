import { readdirSync, statSync, type BigIntStats } from 'node:fs';
import path from 'node:path';
import { configHome, type HomeInput } from './config-home.ts';

/**
 * Changes whenever a configuration file or loop type appears, disappears or is written. A handful of `stat` calls, made at
 * once: cheap enough for every iteration boundary, where reading and resolving everything is not.
 */
export async function configFingerprint(
  input: HomeInput & { readonly projectRoot: string },
): Promise<string> {
  const home = configHome(input);
  const { projectRoot } = input;
  const files = [
    path.join(home, 'config.yml'),
    path.join(home, 'config.yaml'),
    path.join(projectRoot, 'loopwright.yml'),
    path.join(projectRoot, 'loopwright.yaml'),
    ...listFolder(path.join(home, 'types')),
    ...listFolder(path.join(projectRoot, 'loopwright', 'types')),
    ...listFolder(path.join(home, 'prompts')),
    ...listFolder(path.join(projectRoot, 'loopwright', 'prompts')),
  ];
  return files.map(stamp).join('\n');
}

function listFolder(folder: string): readonly string[] {
  if (statOf(folder) === null) return [];
  try {
    return readdirSync(folder)
      .toSorted()
      .map((name) => path.join(folder, name));
  } catch {
    // Not a folder, or not to be read: reading the configuration says so.
    return [];
  }
}

function stamp(file: string): string {
  const found = statOf(file);
  return found === null ? `${file} absent` : `${file} ${found.mtimeNs} ${found.size} ${found.ino}`;
}

function statOf(file: string): BigIntStats | null {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
