import { describe, expect, test } from 'vitest';
import { networkFileSystem } from '../../../src/adapters/sqlite/network-disk.ts';

const mounts = `/dev/sda1 / ext4 rw,relatime 0 0
proc /proc proc rw 0 0
server:/export /mnt/share nfs4 rw 0 0
/dev/sdb1 /mnt/share/local xfs rw 0 0
//nas/files /mnt/my\\040nas cifs rw 0 0
me@host:/ /home/me/remote fuse.sshfs rw 0 0
portal /run/user/1000/doc fuse.portal rw 0 0
C:\\134 /mnt/c 9p rw 0 0
server:/old /data nfs rw 0 0
/dev/sdc1 /data ext4 rw 0 0
tmpfs /tmp tmpfs rw 0 0`;

describe('a network disk is known by its mount', () => {
  test.each([
    ['/home/me/project', null],
    ['/mnt/share', 'nfs4'],
    ['/mnt/share/project/.loopwright', 'nfs4'],
    ['/mnt/shared', null],
    ['/mnt/share/local/project', null],
    ['/mnt/my nas/project', 'cifs'],
    ['/home/me/remote/project', 'fuse.sshfs'],
    ['/run/user/1000/doc/x', null],
    ['/mnt/c/Users/me', '9p'],
    ['/data/project', null],
    ['/tmp/x', null],
  ])('%s → %s', (folder, type) => {
    expect(networkFileSystem(mounts, folder)).toBe(type);
  });

  test('nothing is known without mounts', () => {
    expect(networkFileSystem('', '/anywhere')).toBeNull();
  });
});
