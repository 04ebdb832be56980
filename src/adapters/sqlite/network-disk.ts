import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';

/** File systems that reach another machine. WAL needs memory shared by all its users, which these cannot give. */
const networkTypes = new Set([
  '9p',
  'acfs',
  'afs',
  'beegfs',
  'ceph',
  'cifs',
  'coda',
  'davfs',
  'gfs',
  'gfs2',
  'glusterfs',
  'gpfs',
  'lustre',
  'ncpfs',
  'nfs',
  'nfs4',
  'ocfs2',
  'orangefs',
  'pvfs2',
  'smb',
  'smb2',
  'smb3',
  'smbfs',
  'sshfs',
]);

const networkFuse =
  /^fuse\.(sshfs|s3fs|rclone|glusterfs|ceph|davfs2?|gcsfuse|juicefs|smbnetfs|nfs)/;

/** Refuses a database on a disk that other machines share. Says nothing where the platform lists no mounts. */
export function refuseNetworkDisk(file: string): void {
  const mounts = readMounts();
  if (mounts === null) return;
  const type = networkFileSystem(mounts, realFolder(file));
  if (type === null) return;
  throw new LoopwrightError('store.network_disk', `${file} is on a network disk (${type})`, {
    hint: 'SQLite can lose data there. Keep the project, or the file named by `store`, on a local disk.',
    details: { file, fileSystem: type },
  });
}

/** The network file system that holds an absolute path, by a list in the format of `/proc/mounts`; null: none. */
export function networkFileSystem(mounts: string, folder: string): string | null {
  let found = { point: '', type: '' };
  for (const line of mounts.split('\n')) {
    const [, rawPoint, type] = line.split(' ');
    if (rawPoint === undefined || type === undefined) continue;
    const point = unescapeMount(rawPoint);
    // A later mount on the same point hides the earlier one.
    if (isInside(folder, point) && point.length >= found.point.length) found = { point, type };
  }
  return networkTypes.has(found.type) || networkFuse.test(found.type) ? found.type : null;
}

function isInside(folder: string, point: string): boolean {
  if (point === '/' || folder === point) return true;
  return folder.startsWith(`${point}/`);
}

/** Blanks, tabs, newlines and backslashes are written as three octal digits. */
function unescapeMount(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

function realFolder(file: string): string {
  let folder = path.dirname(path.resolve(file));
  while (!existsSync(folder) && folder !== path.dirname(folder)) folder = path.dirname(folder);
  return realpathSync(folder);
}

function readMounts(): string | null {
  return existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : null;
}
