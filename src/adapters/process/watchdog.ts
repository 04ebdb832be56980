/**
 * A tiny shell that outlives this process by a few milliseconds. It holds a pipe from us and is told which process
 * groups run; when the pipe ends, however we died, it kills them and everything that carries our mark.
 * It ignores polite signals and has its own session, so that a signal meant for us does not end it first.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { markVariable, outerMarks } from './mark.ts';

/** In dash `kill -9 -- -PGID` fails; `kill -9 "-PGID"` works everywhere. */
const script = `
trap '' TERM INT HUP
groups=' '
while read -r line; do
  case $line in
    +*) groups="$groups\${line#+} " ;;
    -*) groups="\${groups%% \${line#-} *} \${groups#* \${line#-} }" ;;
  esac
done
cgroups=$2
kill_groups() {
  for group in $groups; do
    kill -9 "-$group" 2>/dev/null
    for dir in "$cgroups"/loopwright-"$group"-*; do
      [ -e "$dir/cgroup.kill" ] && echo 1 > "$dir/cgroup.kill"
    done
  done
}
[ -z "\${groups#"\${groups%%[0-9]*}"}" ] && exit 0
kill_groups
passes=0 empty=0
while [ "$empty" -lt 2 ] && [ "$passes" -lt 50 ]; do
  passes=$((passes + 1)) empty=$((empty + 1))
  for file in $(grep -lsF -e "$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/} pid=\${pid%/environ}
    kill -9 "$pid" 2>/dev/null && empty=0
  done
done
kill_groups
`;

/** How often a watchdog that somebody killed is replaced at once; after that only the next run starts one. */
const maxReplacements = 5;

export type Watchdog = AsyncDisposable & {
  /** From now on the group dies with this process. Starts the watchdog if it does not run. */
  guard(group: number): void;
  release(group: number): void;
};

/**
 * `mark` is carried by everything this process starts; `cgroups` is the folder of their cgroups, if they have any. Does not keep
 * this process alive.
 */
export function createWatchdog(mark: string, cgroups: () => string | null = () => null): Watchdog {
  const guarded = new Set<number>();
  let shell: ChildProcess | null = null;
  let replacements = 0;

  function tell(line: string): void {
    shell?.stdin?.write(`${line}\n`);
  }

  function start(): void {
    const started = spawn('/bin/sh', ['-c', script, 'loopwright-watchdog', mark, cgroups() ?? ''], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', [markVariable]: outerMarks() },
    });
    shell = started;
    started.unref();
    if (started.stdin instanceof Socket) started.stdin.unref();
    // Someone may kill the watchdog while it is told something: `exit` and `error` below deal with that.
    started.stdin?.on('error', () => undefined);
    const replace = (): void => {
      if (shell !== started) return;
      shell = null;
      if (guarded.size === 0 || replacements === maxReplacements) return;
      replacements += 1;
      start();
    };
    started.once('exit', replace);
    started.once('error', replace);
    for (const group of guarded) tell(`+${group}`);
  }

  return {
    guard(group) {
      guarded.add(group);
      if (shell === null) start();
      else tell(`+${group}`);
    },
    release(group) {
      guarded.delete(group);
      tell(`-${group}`);
    },
    async [Symbol.asyncDispose]() {
      const ending = shell;
      shell = null;
      if (ending?.stdin == null || ending.exitCode !== null || ending.signalCode !== null) return;
      const exited = once(ending, 'exit');
      ending.ref();
      ending.stdin.end();
      await exited;
    },
  };
}
