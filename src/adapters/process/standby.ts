/**
 * Gates that stand ready: starting one takes longer than everything else between two runs, and nothing of it depends on
 * what the program will be told. A gate that was started ahead is used only for the very same program in the very same
 * place; what differs in the environment is told with the permission. Like every gate it ends when this process does.
 */
import { statSync } from 'node:fs';
import { isReserved } from '../../core/env/reserved.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ProcessSpec } from '../../ports/process.ts';
import type { Enclosure } from './containment.ts';
import { startBehindGate, type GatedProcess } from './gate.ts';
import type { GateSpec } from './keeper.ts';
import { isLiving, listPids, readStat } from './proc.ts';
import type { Starter } from './starter.ts';

/** A gate, and what its program's environment lacks. */
export type ReadyGate = {
  readonly gated: GatedProcess;
  readonly variables: readonly string[];
  /** How long it has been standing. */
  readonly ageMs: number;
};

export type StandbyGates = {
  /** Null: none stands ready. The gate is the caller's from here on. */
  take(spec: ProcessSpec, enclosure: Enclosure): Promise<ReadyGate | null>;
  /** Starts gates for what recurs in the group, and ends those nobody asked for since the last time. */
  prepare(group: string, enclosure: Enclosure): void;
  end(group: string): Promise<void>;
  endAll(): Promise<void>;
};

type Place = { readonly device: bigint; readonly file: bigint };

type Gate = {
  readonly spec: GateSpec;
  readonly enclosure: Enclosure;
  readonly place: Place | null;
  readonly since: number;
  readonly started: ReturnType<typeof startBehindGate>;
  isGone: boolean;
};

/** A program that was run: how often since the last preparation, and whether it was before that. */
type Program = { spec: GateSpec; uses: number; recurs: boolean; gate: Gate | null };

/** Of one group. A loop has an agent and a few checks. */
const mostPrograms = 8;
/** The gate reads them byte by byte. */
const mostVariableBytes = 2048;

export function createStandbyGates(clock: Clock, starter: Starter): StandbyGates {
  const groups = new Map<string, Map<string, Program>>();
  /** Gates nobody wants, on their way out. */
  const leaving = new Set<Promise<void>>();

  function dismiss(gate: Gate | null): void {
    if (gate === null) return;
    const left = gate.started.then(
      async (started) => {
        if (!('pid' in started)) return;
        started.abandon();
        await started.gone;
      },
      // One that did not start need not leave.
      () => undefined,
    );
    leaving.add(left);
    void left.then(() => leaving.delete(left));
  }

  async function end(group: string): Promise<void> {
    for (const { gate } of groups.get(group)?.values() ?? []) dismiss(gate);
    groups.delete(group);
    await Promise.all(leaving);
  }

  return {
    async take(spec, enclosure) {
      const { standby, argv, cwd, env, stdin } = spec;
      if (standby === undefined) return null;
      const programs = groups.get(standby.group) ?? new Map<string, Program>();
      groups.set(standby.group, programs);
      const key = JSON.stringify([cwd, argv]);
      const known = programs.get(key);
      const gate = known?.gate ?? null;
      if (known !== undefined || programs.size < mostPrograms) {
        const before = known ?? { uses: 0, recurs: false };
        programs.set(key, {
          spec: { argv, cwd, env, stdin: stdin === null ? null : '' },
          uses: before.uses + 1,
          recurs: before.recurs,
          gate: null,
        });
      }
      if (gate === null) return null;
      const variables = fits(gate, spec, enclosure) ? changedVariables(gate.spec, spec) : null;
      const started = variables === null ? null : await gate.started;
      if (
        variables === null ||
        started === null ||
        !('pid' in started) ||
        gate.isGone ||
        !runs(started.pid)
      ) {
        dismiss(gate);
        return null;
      }
      return { gated: started, variables, ageMs: clock.monotonic() - gate.since };
    },
    prepare(group, enclosure) {
      const programs = groups.get(group);
      for (const [key, program] of programs ?? []) {
        if (program.uses === 0) {
          dismiss(program.gate);
          programs?.delete(key);
          continue;
        }
        // What was never run twice, such as a program that gets its prompt as an argument, is not expected again.
        const recurs = program.recurs || program.uses > 1;
        program.gate ??= recurs ? startGate(program.spec, enclosure, clock, starter) : null;
        program.uses = 0;
        program.recurs = true;
      }
    },
    end,
    async endAll() {
      for (const group of groups.keys()) await end(group);
      await Promise.all(leaving);
    },
  };
}

function startGate(spec: GateSpec, enclosure: Enclosure, clock: Clock, starter: Starter): Gate {
  const place = placeOf(spec.cwd);
  const gate: Gate = {
    spec,
    enclosure,
    place,
    since: clock.monotonic(),
    started: startBehindGate(spec, enclosure, starter),
    isGone: false,
  };
  const gone = (): void => {
    gate.isGone = true;
  };
  // A gate that did not start, or was ended by somebody, is no loss: the program is started the usual way.
  gate.started.then((started) => ('pid' in started ? started.gone.then(gone) : gone()), gone);
  return gate;
}

function fits(gate: Gate, spec: ProcessSpec, enclosure: Enclosure): boolean {
  const place = placeOf(spec.cwd);
  return (
    gate.enclosure === enclosure &&
    (gate.spec.stdin === null) === (spec.stdin === null) &&
    place !== null &&
    place.file === gate.place?.file &&
    place.device === gate.place.device
  );
}

/** One that was killed a moment ago is told as gone only later. */
function runs(pid: number): boolean {
  const stat = readStat(pid);
  return stat === null ? listPids().length === 0 : isLiving(stat);
}

/** A folder that was made anew under the same name is another one. */
function placeOf(folder: string): Place | null {
  const stat = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : { device: stat.dev, file: stat.ino };
}

/** What turns the one environment into the other; null when a shell cannot do that line by line. */
function changedVariables(from: GateSpec, to: GateSpec): readonly string[] | null {
  if (Object.keys(from.env).some((name) => !(name in to.env))) return null;
  const changed = Object.entries(to.env).filter(([name, value]) => from.env[name] !== value);
  // Others mean something to the shell itself, or may.
  const isPlain = changed.every(([name, value]) => isReserved(name) && !value.includes('\n'));
  const lines = changed.map(([name, value]) => `${name}=${value}`);
  return isPlain && Buffer.byteLength(lines.join('\n')) <= mostVariableBytes ? lines : null;
}
