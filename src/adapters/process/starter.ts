import { spawn } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Clock } from '../../ports/clock.ts';
import { findTool } from './containment.ts';
import { listen, type Exit, type Talk } from './gate-talk.ts';
import type { GateSpec, Keeper } from './keeper.ts';
import { markVariable, outerMarks } from './mark.ts';
import { isLiving, readStat } from './proc.ts';
import { sendSignal } from './tree.ts';
import { shellWord } from '../../core/text/shell-word.ts';

/**
 * A small shell that starts the gates of namespaces for this process. Starting a process takes one that is as large as this
 * many times longer than a shell of a megabyte, and everything else stands still meanwhile.
 *
 * What it starts dies with it, and it ends when this process does: its input ends then. A shell that somebody has killed is
 * replaced when the next gate is asked for. It does not keep this process alive.
 */
export type Starter = AsyncDisposable & {
  /** Starts the shell, so that it takes what comes next. Until then nothing is taken. */
  prepare(): void;
  /** Null when it cannot take this one, or the shell was lost: then nothing runs. */
  start(words: readonly string[], spec: GateSpec): Promise<Keeper | null>;
};

/** The shell reads its commands byte by byte, and a long argument is rare. */
const longestCommand = 32_768;

/**
 * Each gate gets two pipes: 3, on which it hears, and 4, on which it answers. The shell holds both ends of both until we have
 * opened ours through `/proc`. A shell makes whatever it starts in the background deaf to INT and QUIT, hence `env`.
 */
const makePipes = `exec 3<<. 4<<.
-
.
-
.
read -r line <&3; read -r line <&4; exec 5>/proc/self/fd/3 6>/proc/self/fd/4
`;
const closePipes = 'exec 3<&- 4<&- 5>&- 6>&-\n';
/** What the shell needs is tried once. It ends when it does not have it. */
const tryOut = `${makePipes}[ -p /proc/self/fd/3 ] && [ -p /proc/self/fd/4 ] || exit
env --default-signal=INT,QUIT -C / /bin/sh -c : || exit
${closePipes}`;

export function createStarter(clock: Clock): Starter {
  const env = findTool('env');
  let shell: Shell | null = null;
  let isUseless = env === null;

  function current(): Shell | null {
    if (isUseless || shell?.isGone === false) return isUseless ? null : shell;
    // One that could not start a single gate is not tried again.
    isUseless = shell?.hasServed === false;
    try {
      shell = isUseless ? null : new Shell(clock);
    } catch {
      // No memory for it: programs are started without.
      isUseless = true;
      shell = null;
    }
    return shell;
  }

  return {
    prepare: () => void current(),
    async start(words, spec) {
      if (shell === null || env === null) return null;
      const command = commandOf(env, words, spec);
      return command === null ? null : ((await current()?.start(command)) ?? null);
    },
    async [Symbol.asyncDispose]() {
      isUseless = true;
      await shell?.end();
    },
  };
}

/** States: idle; starting (one gate at a time: the shell has one set of pipes); gone. */
class Shell {
  readonly #clock: Clock;
  readonly #child;
  #turn: Promise<unknown> = Promise.resolve();
  #heard = '';
  #answer: ((line: string | null) => void) | null = null;
  isGone = false;
  hasServed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#child = spawn('/bin/sh', ['-s', 'loopwright-starter'], {
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', [markVariable]: outerMarks() },
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    this.#child.once('error', () => this.#onGone());
    this.#child.once('exit', () => this.#onGone());
    // Without descriptors for its pipes it has none, and was not started.
    if (this.#child.pid === undefined) {
      this.#onGone();
      return;
    }
    this.#child.stdout.on('data', (chunk: Buffer) => this.#hear(chunk.toString('latin1')));
    // A shell that was killed cannot read on; its end says so.
    this.#child.stdin.on('error', () => undefined);
    this.#child.stdin.write(tryOut);
    this.#keepAlive(false);
  }

  start(command: string): Promise<Keeper | null> {
    const started = this.#turn.then(() => this.#start(command));
    this.#turn = started;
    return started;
  }

  async end(): Promise<void> {
    await this.#turn;
    if (this.isGone) return;
    const exited = once(this.#child, 'exit');
    this.#keepAlive(true);
    this.#child.stdin.end();
    await exited;
  }

  async #start(command: string): Promise<Keeper | null> {
    if (this.isGone) return null;
    this.#keepAlive(true);
    const answer = new Promise<string | null>((resolve) => (this.#answer = resolve));
    this.#child.stdin.write(`${makePipes}${command}`);
    const pid = Number((await answer) ?? Number.NaN);
    this.#keepAlive(false);
    const ends = Number.isInteger(pid) ? this.#openEnds() : null;
    this.#child.stdin.write(closePipes);
    if (ends === null) return null;
    this.hasServed = true;
    return this.#keeper(pid, ends);
  }

  /** Null when the system does not let us open them: the gate hears nothing more and ends. */
  #openEnds(): { readonly words: Socket; readonly answers: Socket } | null {
    const end = (descriptor: number, flag: number): number =>
      openSync(`/proc/${this.#child.pid}/fd/${descriptor}`, flag | constants.O_NONBLOCK);
    let words: Socket | null = null;
    try {
      words = new Socket({ fd: end(3, constants.O_WRONLY), readable: false, writable: true });
      // The gate may be killed while we talk to it; its end is what counts.
      words.on('error', () => undefined);
      const answers = new Socket({
        fd: end(4, constants.O_RDONLY),
        readable: true,
        writable: false,
      });
      answers.on('error', () => undefined);
      return { words, answers };
    } catch {
      words?.destroy();
      return null;
    }
  }

  #keeper(pid: number, { words, answers }: { words: Socket; answers: Socket }): Keeper {
    const startTime = readStat(pid)?.startTime;
    const runs = (): boolean => {
      const stat = readStat(pid);
      return stat !== null && isLiving(stat) && stat.startTime === startTime;
    };
    const talk = listen(answers);
    return {
      pid,
      talk,
      streams: null,
      gone: this.#untilBuried(pid, runs, talk),
      say: (text) => void words.write(text),
      hangUp: (text = '') => void words.end(text),
      leave() {
        words.destroy();
        answers.destroy();
      },
      complaint: () => Promise.resolve(''),
      kill: () => void (runs() && sendSignal(pid, 'SIGKILL')),
    };
  }

  /** Only its parent is told when a process ends, and the shell is busy with reading: so it is looked at. */
  async #untilBuried(pid: number, runs: () => boolean, talk: Talk): Promise<Exit> {
    await talk.over;
    const never = new AbortController().signal;
    for (let pauseMs = 4; runs(); pauseMs = Math.min(pauseMs * 2, 50)) {
      await this.#clock.sleep(pauseMs, never);
    }
    if (!this.isGone) this.#child.stdin.write(`wait ${pid}\n`);
    return { code: null, signal: null };
  }

  #hear(text: string): void {
    const lines = (this.#heard + text).split('\n');
    this.#heard = lines.pop() ?? '';
    for (const line of lines) this.#answer?.(line);
  }

  #onGone(): void {
    this.isGone = true;
    this.#answer?.(null);
  }

  #keepAlive(isBusy: boolean): void {
    const { stdin, stdout } = this.#child;
    for (const each of [stdin, stdout, this.#child]) {
      if (!(each instanceof Socket) && each !== this.#child) continue;
      if (isBusy) each.ref();
      else each.unref();
    }
  }
}

/**
 * In exactly the environment and folder of the spec. Everybody on the machine can read the arguments of a process, so variables
 * are no arguments of `env`. Null for what a shell or `env` would take for something else.
 */
function commandOf(
  env: string,
  words: readonly string[],
  { cwd, env: variables }: GateSpec,
): string | null {
  const names = Object.keys(variables);
  const exported = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);
  const program = [env, '--default-signal=INT,QUIT', '-C', cwd, '--', ...words].map(shellWord);
  const command = `( unset ${ownVariables.join(' ')}
${exported.length === 0 ? '' : `export ${exported.join(' ')}`}
exec ${program.join(' ')} ) </dev/null >/dev/null 2>&1 9>&6 4<&- 5>&- 6>&- &
echo $!
`;
  const isPlain =
    names.every((name) => /^[A-Za-z_]\w*$/.test(name)) &&
    words[0]?.includes('=') === false &&
    !command.includes('\0');
  return isPlain && command.length <= longestCommand ? command : null;
}

/** What the shell has from us, or makes itself. */
const ownVariables = ['PATH', 'PWD', 'OLDPWD', 'SHLVL', markVariable];
