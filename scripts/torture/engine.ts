import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Environment } from './shell.ts';

/** An event that the program told, as far as the judge needs it. */
export type Told = { readonly loop: string; readonly seq: number; readonly type: string };

export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly err: string;
};

/** One real `loopwright run` with its event stream. */
export type EngineRun = {
  readonly pid: number;
  readonly told: readonly Told[];
  readonly ended: Promise<Ended>;
  readonly isOver: boolean;
  /** Calls back for every event as it is told. */
  onTold(listener: (event: Told) => void): void;
  /** Resolves when standard error has said a text; never when it does not. */
  said(text: string): Promise<void>;
};

export function startEngine(
  entry: string,
  argv: readonly string[],
  options: {
    readonly cwd: string;
    readonly env: Environment;
    /** Everything that it says is kept in files of this name. */
    readonly record: string;
  },
): EngineRun {
  const { cwd, env, record } = options;
  const child = spawn(process.execPath, [entry, ...argv], { cwd, env, stdio: 'pipe' });
  const told: Told[] = [];
  const listeners: ((event: Told) => void)[] = [];
  const sayings: (() => void)[] = [];
  let err = '';
  let isOver = false;
  child.stdin.end();
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (chunk: string) => {
    err += chunk;
    appendFileSync(`${record}.err`, chunk);
    for (const look of sayings) look();
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    appendFileSync(`${record}.jsonl`, `${line}\n`);
    const event = parseTold(line);
    if (event === null) return;
    told.push(event);
    for (const listener of listeners) listener(event);
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => {
      isOver = true;
      resolve({ code, signal, err });
    });
  });
  return {
    pid: child.pid ?? 0,
    told,
    ended,
    get isOver() {
      return isOver;
    },
    onTold: (listener) => listeners.push(listener),
    said: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (err.includes(text)) resolve();
        };
        sayings.push(look);
        look();
      }),
  };
}

/** Null for what is only live, and for half a line of a program that was killed. */
function parseTold(line: string): Told | null {
  try {
    const event: unknown = JSON.parse(line);
    if (typeof event !== 'object' || event === null) return null;
    const [loop, seq, type] = ['loop', 'seq', 'type'].map((key): unknown =>
      Reflect.get(event, key),
    );
    if (typeof loop !== 'string' || typeof seq !== 'number') return null;
    return { loop, seq, type: String(type) };
  } catch {
    return null;
  }
}
