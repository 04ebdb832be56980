/**
 * Starts a program behind a gate: a shell in a session of its own that waits on descriptor 3 for permission and then
 * becomes the program, or starts it when it is the first process of a namespace. So the identity can be stored
 * before the program acts, and if we die in between, the descriptor ends and nothing runs.
 */
import type { Readable, Writable } from 'node:stream';
import type { ContainmentMode } from '../../ports/process.ts';
import { joinCgroup, removeCgroup } from './cgroup.ts';
import { isNamespace, type Enclosure } from './containment.ts';
import { openPipes } from './gate-pipes.ts';
import { gateName, namespaceGate, plainGate } from './gate-script.ts';
import { readEnd, type Exit } from './gate-talk.ts';
import { spawnKeeper, type GateSpec, type Keeper, type NotStarted } from './keeper.ts';
import { firstChild } from './proc.ts';
import type { Starter } from './starter.ts';

/** A program that is started but may not act yet. */
export type GatedProcess = {
  readonly mode: ContainmentMode;
  /** Of the program, or of the first process of its namespace. */
  readonly pid: number;
  /** The cgroup it is in, where that keeps it together. */
  readonly cgroup: string | null;
  /** Null when the program gets no input. */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How the program ended. `isAlone`: the kernel says that it left nothing behind. */
  readonly ended: Promise<Exit & { readonly isAlone: boolean }>;
  /** What was started is gone: the program itself, or what keeps its namespace. */
  readonly gone: Promise<void>;
  /** Lets the program run, with `marks` in its environment and these variables (`NAME=value`, one line each) changed. */
  open(marks: string, variables?: readonly string[]): void;
  /** Ends the gate instead; the program never runs. */
  abandon(): void;
  /** Lets the first process of a namespace leave, which is empty by now. */
  dismiss(): void;
  /** Kills what was started. For when it does not leave. */
  kill(): void;
};

/** The gate itself never came to be: its enclosure does not work, now or on this machine. */
export type NoGate = { readonly noGate: string };

/** By the starter, if it takes it; whatever hinders it is found out, and told, by starting the gate from here. */
export async function startBehindGate(
  spec: GateSpec,
  enclosure: Enclosure,
  starter: Starter,
): Promise<GatedProcess | NotStarted | NoGate> {
  const script = isNamespace(enclosure.mode) ? namespaceGate : plainGate;
  const words = [...enclosure.prefix, '/bin/sh', '-c', script, gateName, ...spec.argv];
  const started = isNamespace(enclosure.mode) ? await starter.start(words, spec) : null;
  const gated = started === null ? null : await meetGate(started, spec, enclosure);
  if (gated !== null && 'pid' in gated) return gated;
  const keeper = await spawnKeeper(words, spec);
  return 'pid' in keeper ? meetGate(keeper, spec, enclosure) : keeper;
}

/** Waits until the gate says that it is there, and connects to it. */
async function meetGate(
  keeper: Keeper,
  spec: GateSpec,
  enclosure: Enclosure,
): Promise<GatedProcess | NoGate> {
  const { talk, gone } = keeper;
  const greeting = await talk.next();
  const isOwnNamespace = isNamespace(enclosure.mode);
  const first = isOwnNamespace ? firstChild(keeper.pid) : keeper.pid;
  if (greeting === null || first === null) {
    keeper.leave();
    keeper.streams?.stdin?.destroy();
    keeper.streams?.stdout.destroy();
    const complaint = await keeper.complaint();
    await gone;
    return { noGate: complaint === '' ? 'it ended before the program could start' : complaint };
  }
  const group = enclosure.cgroup === undefined ? null : enter(enclosure.cgroup, first);
  const pipes = greeting === 'pipes' ? openPipes(first, spec.stdin !== null) : null;
  const streams = pipes ?? keeper.streams;
  const abandon = (): void => {
    keeper.leave();
    for (const each of [keeper.streams, pipes]) destroyAll(each);
  };
  if (group instanceof Error || streams === null) {
    abandon();
    await gone;
    return { noGate: group instanceof Error ? group.message : 'it has no pipes' };
  }
  return {
    mode: enclosure.mode,
    pid: first,
    cgroup: group,
    ended: isOwnNamespace ? readEnd(talk) : gone.then((exit) => ({ ...exit, isAlone: false })),
    // Its last words may still be on their way when it is gone already.
    gone: gone
      .then(() => talk.over)
      .then(() => {
        keeper.leave();
        // What the program left behind keeps it; whoever ends that removes it.
        if (group !== null) removeCgroup(group);
      }),
    stdin: streams.stdin,
    stdout: streams.stdout,
    stderr: streams.stderr,
    open(marks, variables = []) {
      if (pipes !== null) destroyAll(keeper.streams);
      const kind = pipes === null ? 'sockets' : 'pipes';
      const input = pipes !== null && spec.stdin !== null ? 'pipe' : 'as-is';
      const permission = [`${kind} ${input} ${variables.length} ${marks}`, ...variables];
      const text = permission.map((line) => `${line}\n`).join('');
      if (isOwnNamespace) keeper.say(text);
      else keeper.hangUp(text);
    },
    abandon,
    dismiss: () => keeper.hangUp(),
    kill: () => keeper.kill(),
  };
}

/** Before the program exists, so that all it starts is born inside. */
function enter(parent: string, pid: number): string | Error {
  try {
    return joinCgroup(parent, pid);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function destroyAll(streams: Keeper['streams']): void {
  if (streams === null) return;
  for (const stream of [streams.stdin, streams.stdout, streams.stderr]) stream?.destroy();
}
