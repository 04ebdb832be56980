import { platform as currentPlatform } from 'node:os';
import path from 'node:path';

export type HomeInput = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  readonly platform?: NodeJS.Platform;
};

/** Folder of the user's own configuration and loop types. It need not exist. */
export function configHome({ env, home, platform = currentPlatform() }: HomeInput): string {
  const own = env['LOOPWRIGHT_HOME'];
  if (own !== undefined && own !== '') return path.resolve(own);
  const xdg = env['XDG_CONFIG_HOME'];
  // The specification of these folders says to ignore a relative path.
  if (xdg !== undefined && path.isAbsolute(xdg)) return path.join(xdg, 'loopwright');
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'loopwright');
  return path.join(home, '.config', 'loopwright');
}
