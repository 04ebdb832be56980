import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { configHome, type HomeInput } from './config-home.ts';

/**
 * Changes whenever a configuration file or loop type appears, disappears or is written. A handful of `stat` calls:
 * cheap enough for every iteration boundary, where reading and resolving everything is not.
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
    ...(await listFolder(path.join(home, 'types'))),
    ...(await listFolder(path.join(projectRoot, 'loopwright', 'types'))),
  ];
  return (await Promise.all(files.map(stamp))).join('\n');
}

async function listFolder(folder: string): Promise<readonly string[]> {
  const names: readonly string[] = await readdir(folder).catch(() => []);
  return names.toSorted().map((name) => path.join(folder, name));
}

async function stamp(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => null);
  return found === null ? `${file} absent` : `${file} ${found.mtimeNs} ${found.size} ${found.ino}`;
}
