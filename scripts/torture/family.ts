import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

type Process = { readonly pid: number; readonly parent: number; readonly name: string };

/** Every process that runs; one that has ended and waits for its parent does not. */
export function processes(): readonly Process[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const stat = look(() => readFileSync(`/proc/${name}/stat`, 'latin1'));
    const end = stat.lastIndexOf(')');
    const [state, parent] = stat.slice(end + 2).split(' ');
    if (end < 0 || state === 'Z' || state === 'X') return [];
    const program = stat.slice(stat.indexOf('(') + 1, end);
    return [{ pid: Number(name), parent: Number(parent), name: program }];
  });
}

/** The children of a process, their children and so on. */
export function descendants(pid: number): readonly Process[] {
  const all = processes();
  const found: Process[] = [];
  const wanted = new Set([pid]);
  for (let size = 0; size !== wanted.size;) {
    size = wanted.size;
    for (const each of all) {
      if (!wanted.has(each.parent) || wanted.has(each.pid)) continue;
      wanted.add(each.pid);
      found.push(each);
    }
  }
  return found;
}

/** Processes whose environment, folder or command line names a text that only ours carry. */
export function processesNaming(text: string): readonly Process[] {
  return processes().filter(({ pid }) => {
    if (pid === process.pid) return false;
    return (
      look(() => readFileSync(`/proc/${pid}/environ`, 'latin1')).includes(text) ||
      look(() => readFileSync(`/proc/${pid}/cmdline`, 'latin1')).includes(text) ||
      look(() => readlinkSync(`/proc/${pid}/cwd`)).includes(text)
    );
  });
}

/** The program with everything that it started, one right after the other. */
export function killFamily(pid: number, token: string): void {
  const family = [pid, ...descendants(pid).map((each) => each.pid)];
  for (const each of family) send(each, 'SIGKILL');
  // What was being started at that moment.
  for (const each of processesNaming(token)) send(each.pid, 'SIGKILL');
}

/** False when it is gone. */
export function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Empty for a process that ended meanwhile. */
function look(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
