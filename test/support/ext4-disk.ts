import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A real ext4 file system in an image, with a power switch. */
export type Ext4Disk = Disposable & {
  /** The power goes: from here on nothing reaches the disk, and everything that asks for it fails. */
  cut(): void;
  /** The machine is back: what had reached the disk is there. Whoever used the disk must be gone, or on its way. */
  restart(): void;
};

/** `EXT4_IOC_SHUTDOWN`, without flushing the journal. Perl comes with git. */
const shutdown =
  'open(my $d, "<", $ARGV[0]) or die "open: $!\\n"; my $how = pack("L", 2); ioctl($d, 0x8004587d, $how) or die "ioctl: $!\\n"';

/** Why there can be no such disk here; null when there can. */
export function whyNoExt4Disk(): string | null {
  if (process.platform !== 'linux') return 'only Linux has ext4';
  if (process.getuid?.() !== 0) return 'only root may mount an image';
  const folder = mkdtempSync(path.join(tmpdir(), 'loopwright-ext4-'));
  const place = path.join(folder, 'disk');
  try {
    mkdirSync(place);
    makeImage(path.join(folder, 'image'), '16M');
    run('mount', '-o', 'loop', path.join(folder, 'image'), place);
    try {
      run('perl', '-e', shutdown, place);
      return null;
    } finally {
      run('umount', '-l', place);
    }
  } catch (error) {
    return error instanceof Error ? error.message.trim().replaceAll('\n', ' ') : String(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Puts what a folder holds on such a disk, synced, and the disk in place of the folder. The disk comes back as a copy of its image:
 * a mount namespace of a sandbox that still runs anywhere keeps the one that was cut.
 */
export function ext4Disk(folder: string, options: string): Ext4Disk {
  const home = mkdtempSync(path.join(tmpdir(), 'loopwright-ext4-'));
  const mount = (image: string, place: string) =>
    run('mount', '-o', `loop,${options}`, image, place);
  const first = path.join(home, 'first');
  const aside = path.join(home, 'aside');
  makeImage(first, '400M');
  mkdirSync(aside);
  mount(first, aside);
  rmdirSync(path.join(aside, 'lost+found'));
  run('cp', '-a', `${folder}/.`, aside);
  run('sync', '-f', aside);
  run('umount', aside);
  let image = first;
  const next = (): string => {
    const copy = `${image}-again`;
    run('cp', '--sparse=always', image, copy);
    return copy;
  };
  image = next();
  mount(image, folder);
  return {
    cut: () => run('perl', '-e', shutdown, folder),
    restart() {
      run('umount', '-l', folder);
      image = next();
      mount(image, folder);
    },
    [Symbol.dispose]() {
      run('umount', '-l', folder);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function makeImage(file: string, size: string): void {
  writeFileSync(file, '');
  truncateSync(file, Number.parseInt(size, 10) * 1024 * 1024);
  run('mkfs.ext4', '-q', '-F', file);
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
