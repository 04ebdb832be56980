import path from 'node:path';
import { identify, isAlive } from '../process/identity.ts';
import { smallText } from '../files/small-file.ts';
import { replaceText } from './ignore-rules.ts';
import { loopFolder } from './loop-checkout.ts';
import { ownPid } from '../process/own-process.ts';

/** Says that this process makes or removes the worktree, so that no other one takes it for left behind. */
export function markMaker(gitDir: string, loopId: string): void {
  const { pid, startTime, bootId, host } = identify(ownPid);
  const lines = [host, bootId ?? '', String(pid), startTime ?? ''];
  replaceText(makerFile(gitDir, loopId), lines.join('\n'));
}

/** Whether the process that said so still runs. A mark that is absent or was emptied by a power cut names no process. */
export function hasLivingMaker(gitDir: string, loopId: string): boolean {
  const [host, bootId = '', pid, startTime = ''] =
    smallText(makerFile(gitDir, loopId))?.split('\n') ?? [];
  if (host === undefined || pid === undefined || !/^\d+$/.test(pid)) return false;
  return isAlive({ host, bootId: bootId || null, pid: Number(pid), startTime: startTime || null });
}

function makerFile(gitDir: string, loopId: string): string {
  return path.join(loopFolder(gitDir, loopId), 'maker');
}
