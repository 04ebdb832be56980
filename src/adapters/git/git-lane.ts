import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { createEnding, exitCodeOf } from './git-ending.ts';
import { BoundedOutput, OutputTail } from './git-output.ts';
import { withInput } from './git-script.ts';
import { shellWord } from '../../core/text/shell-word.ts';

export type LaneCommand = {
  /** Run by a subshell in `cwd`. */
  readonly script: string;
  readonly input: string | Uint8Array | undefined;
  readonly cwd: string;
  /** On top of the lane's environment. */
  readonly variables: Readonly<Record<string, string>>;
  readonly maxOutputBytes: number;
};

export type LaneResult = {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly truncated: boolean;
};

/**
 * A small shell that starts commands for this process, one after the other. Starting a process takes one that is as
 * large as this many times longer than a shell of a megabyte, and everything else stands still meanwhile.
 *
 * States: idle (the shell waits for its next line, and does not keep this process alive); busy (one command runs); gone.
 * It has a process group of its own: whatever ends a command early ends the lane with it. When this process dies the
 * shell reads the end of its input, and ends when its command has.
 */
export class GitLane {
  readonly #child;
  readonly #mark = randomBytes(16).toString('hex');
  #count = 0;
  #running: Running | null = null;
  #isGone = false;

  constructor(env: Readonly<Record<string, string>>) {
    this.#child = spawn('/bin/sh', ['-s'], {
      cwd: '/',
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child.stdout.on('data', (chunk: Buffer) => this.#running?.onStdout(chunk));
    this.#child.stderr.on('data', (chunk: Buffer) => this.#running?.onStderr(chunk));
    // A shell that was killed cannot read on; its end says so.
    this.#child.stdin.on('error', () => undefined);
    this.#child.once('error', () => this.#onGone(null, null));
    this.#child.once('exit', () => (this.#isGone = true));
    this.#child.once('close', (code, signal) => this.#onGone(code, signal));
    this.#keepAlive(false);
  }

  /** Commands it was given so far. */
  get uses(): number {
    return this.#count;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Null when the shell was gone before it took the command: nothing of it has run. */
  async run(command: LaneCommand, stop: AbortSignal): Promise<LaneResult | null> {
    this.#count++;
    const mark = `${this.#mark}-${this.#count}`;
    const ending = createEnding(this.#child);
    const running = new Running(mark, command.maxOutputBytes, () => ending.start());
    const onStop = () => ending.start();
    stop.addEventListener('abort', onStop, { once: true });
    this.#running = running;
    this.#keepAlive(true);
    this.#child.stdin.write(laneScript(command, mark));
    try {
      return await running.result;
    } finally {
      stop.removeEventListener('abort', onStop);
      ending.stop();
      this.#running = null;
      if (stop.aborted || running.isTruncated) this.end();
      else this.#keepAlive(false);
    }
  }

  /** The shell ends by itself. */
  end(): void {
    this.#isGone = true;
    this.#child.stdin.end();
  }

  #onGone(code: number | null, signal: NodeJS.Signals | null): void {
    this.#isGone = true;
    this.#running?.onGone(exitCodeOf(code, signal));
  }

  #keepAlive(isBusy: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const each of [stdin, stdout, stderr, this.#child]) {
      if (!(each instanceof Socket) && each !== this.#child) continue;
      if (isBusy) each.ref();
      else each.unref();
    }
  }
}

/** One command, from being written to the shell until its two end marks have been read. */
class Running {
  readonly result: Promise<LaneResult | null>;
  readonly #resolve: (result: LaneResult | null) => void;
  readonly #stdout: MarkedStream;
  readonly #stderr: MarkedStream;
  readonly #output: BoundedOutput;
  readonly #complaints = new OutputTail();
  readonly #onTooMuch: () => void;

  constructor(mark: string, maxOutputBytes: number, onTooMuch: () => void) {
    const { promise, resolve } = Promise.withResolvers<LaneResult | null>();
    this.result = promise;
    this.#resolve = resolve;
    this.#onTooMuch = onTooMuch;
    this.#output = new BoundedOutput(maxOutputBytes);
    this.#stdout = new MarkedStream(mark, (bytes) => this.#output.add(bytes));
    this.#stderr = new MarkedStream(mark, (bytes) => this.#complaints.add(bytes));
  }

  get isTruncated(): boolean {
    return this.#output.isTruncated;
  }

  onStdout(chunk: Buffer): void {
    this.#stdout.add(chunk);
    if (this.isTruncated) this.#onTooMuch();
    this.#settle();
  }

  onStderr(chunk: Buffer): void {
    this.#stderr.add(chunk);
    this.#settle();
  }

  onGone(exitCode: number): void {
    this.#stdout.flush();
    this.#stderr.flush();
    this.#resolve(this.#stdout.hasBegun ? this.#ended(exitCode) : null);
  }

  #settle(): void {
    const { exitCode } = this.#stdout;
    if (exitCode !== null && this.#stderr.exitCode !== null) this.#resolve(this.#ended(exitCode));
  }

  #ended(exitCode: number): LaneResult {
    const stderr = this.#complaints.text();
    return { exitCode, stdout: this.#output.bytes(), stderr, truncated: this.isTruncated };
  }
}

/** Takes the marks of the shell out of what its command prints: one before it runs, one behind with the exit code. */
class MarkedStream {
  readonly #begin: Buffer;
  readonly #end: Buffer;
  readonly #sink: (bytes: Buffer) => void;
  #held = Buffer.alloc(0);
  hasBegun = false;
  exitCode: number | null = null;

  constructor(mark: string, sink: (bytes: Buffer) => void) {
    this.#begin = Buffer.from(`\0${mark} begin\n`);
    this.#end = Buffer.from(`\0${mark} end `);
    this.#sink = sink;
  }

  add(chunk: Buffer): void {
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    if (!this.hasBegun) {
      const from = bytes.indexOf(this.#begin);
      this.hasBegun = from !== -1;
      // Whatever comes before the mark is not this command's.
      bytes = this.hasBegun ? bytes.subarray(from + this.#begin.length) : bytes;
    }
    // Marks are looked for in the last bytes alone: nothing follows them until the next command.
    const longest = this.#end.length + 'nnn\n'.length;
    const tail = Math.max(0, bytes.length - longest);
    const at = bytes.at(-1) === newline ? bytes.indexOf(this.#end, tail) : -1;
    if (this.hasBegun && at !== -1) {
      this.exitCode = Number(bytes.subarray(at + this.#end.length, -1).toString('latin1'));
      bytes = bytes.subarray(0, at);
    }
    const isWhole = this.exitCode !== null;
    this.#held = Buffer.from(isWhole ? [] : bytes.subarray(tail));
    if (this.hasBegun) this.#sink(isWhole ? bytes : bytes.subarray(0, tail));
  }

  /** There will be no mark any more: what was held back belongs to the output. */
  flush(): void {
    if (this.hasBegun) this.#sink(this.#held);
    this.#held = Buffer.alloc(0);
  }
}

const newline = 10;

function laneScript({ script, input, cwd, variables }: LaneCommand, mark: string): string {
  const sets = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);
  const exported = sets.length === 0 ? '' : `export ${sets.join(' ')}; `;
  // The shell's own folder is not the caller's business, nor are the names it exports.
  const group = `( cd -- ${shellWord(cwd)} && unset PWD OLDPWD && ${exported}${script}\n)`;
  const say = (what: string): string => `printf '\\000%s\\n' "${mark} ${what}"`;
  return `${say('begin')}; ${say('begin')} >&2
${withInput(group, input, mark)}
code=$?; ${say('end $code')} >&2; ${say('end $code')}
`;
}
