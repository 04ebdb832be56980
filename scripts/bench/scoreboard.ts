import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** One run of one program, as the scoreboard's scripts write it. */
export type Measured = Readonly<Record<string, unknown>> & { readonly name: string };

/** Of a script, by name without dashes; true stands for a flag. */
export type Options = Readonly<Record<string, string | number | true>>;

export type Scoreboard = {
  /** Runs a script of the scoreboard; answers its rows and what it printed. */
  run(
    script: string,
    options: Options,
  ): { readonly rows: readonly Measured[]; readonly text: string };
};

export type ScoreboardPlace = {
  /** Where the scripts lie. */
  readonly folder: string;
  /** Where its programs were built. */
  readonly programs: string;
  /** The file with the measured programs. */
  readonly config: string;
};

export function createScoreboard({ folder, programs, config }: ScoreboardPlace): Scoreboard {
  return {
    run(script, options) {
      const temporary = mkdtempSync(path.join(tmpdir(), 'loopwright-bench-'));
      const out = path.join(temporary, 'rows.jsonl');
      try {
        const common = { bin: programs, config, settle: 5, prio: true, out } as const;
        const words = [path.join(folder, script), ...flags({ ...common, ...options })];
        const { stdout, status } = spawnSync(process.execPath, words, {
          cwd: folder,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'inherit'],
          // It would make every start of Node longer.
          env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined },
        });
        if (status !== 0) throw new Error(`${script} ended with exit code ${status}`);
        return { rows: existsSync(out) ? readRows(out) : [], text: stdout };
      } finally {
        rmSync(temporary, { recursive: true, force: true });
      }
    },
  };
}

function flags(options: Options): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [`--${name}`, String(value)],
  );
}

function readRows(file: string): readonly Measured[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.flatMap((line) => {
    const row: unknown = line === '' ? null : JSON.parse(line);
    return isMeasured(row) ? [row] : [];
  });
}

function isMeasured(row: unknown): row is Measured {
  return typeof row === 'object' && row !== null && 'name' in row && typeof row.name === 'string';
}

/** A figure of a row by its path, such as `gap_ms.p10`; not a number when it is missing. */
export function figure(row: Measured | undefined, name: string): number {
  const found = name
    .split('.')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null ? Reflect.get(value, key) : null,
      row,
    );
  return typeof found === 'number' ? found : Number.NaN;
}

/** The best round of a program. */
export function best(rows: readonly Measured[], program: string, name: string): number {
  return Math.min(...figures(rows, program, name));
}

/** The worst round of a program: for memory. */
export function worst(rows: readonly Measured[], program: string, name: string): number {
  return Math.max(...figures(rows, program, name));
}

function figures(rows: readonly Measured[], program: string, name: string): readonly number[] {
  const found = rows
    .filter((row) => row.name === program)
    .map((row) => figure(row, name))
    .filter(Number.isFinite);
  return found.length === 0 ? [Number.NaN] : found;
}
