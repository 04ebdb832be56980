import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

const namespaces = 'unshare';

/** A small disk of its own (tmpfs) at a folder, in a mount namespace that only programs started with `within` see. */
export type PrivateDisk = AsyncDisposable & {
  /** How this process reaches a path inside. */
  view(path: string): string;
  /** The command that runs another one inside. */
  within(cwd: string, argv: readonly string[]): readonly [string, ...string[]];
};

/** Why there can be no such disk here; null when there can. */
export function whyNoPrivateDisk(): string | null {
  if (process.platform !== 'linux') return 'only Linux has mount namespaces';
  const tried = spawnSync(namespaces, ['-Urm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
  if (tried.error !== undefined) return 'there is no unshare';
  return tried.status === 0 ? null : `unshare -Urm: ${tried.stderr.toString().trim()}`;
}

export async function privateDisk(folder: string, options: string): Promise<PrivateDisk> {
  const script = 'mount -t tmpfs -o "$1" tmpfs "$0" && echo mounted && exec cat';
  const holder = spawn(namespaces, ['-Urm', 'sh', '-c', script, folder, options], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(holder, 'exit');
  await once(holder.stdout, 'data');
  const pid = String(holder.pid);
  return {
    view: (path) => `/proc/${pid}/root${path}`,
    within: (cwd, argv) => {
      const enter = ['-t', pid, '-U', '-m', '--preserve-credentials', '--'];
      // The folder is entered inside: nsenter's own option enters it before the disk is there.
      return ['nsenter', ...enter, 'sh', '-c', 'cd "$0" && exec "$@"', cwd, ...argv];
    },
    async [Symbol.asyncDispose]() {
      holder.stdin.end();
      await exited;
    },
  };
}
