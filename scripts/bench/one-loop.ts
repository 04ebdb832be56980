/** P1 to P7 and P10 to P12 of the scoreboard: one loop, beside the floors and the yardstick. */
import type { Line } from './line.ts';
import { best, figure, worst, type Measured, type Options, type Scoreboard } from './scoreboard.ts';

const ours = 'ours';

export type Rounds = { readonly iterations: number; readonly rounds: number };

export type OneLoop = {
  readonly lines: readonly Line[];
  /** The table of all programs and parts. */
  readonly table: string;
};

export function measureOneLoop(
  board: Scoreboard,
  programs: readonly string[],
  by: Rounds,
): OneLoop {
  const only = programs.join(',');
  const { iterations: iter, rounds } = by;
  const loop = board.run('loop.mjs', { only, iter, rounds, nosleep: true });
  return {
    table: loop.text,
    lines: [
      ...overhead(loop.rows, '', 'contained'),
      ...overhead(loop.rows, '-weak', 'process group only'),
      ...transcripts(board, loop.rows, by.rounds),
    ],
  };
}

/** P1 to P4. The gap is the 10th percentile: on a shared machine it repeats, the median does not. */
function overhead(rows: readonly Measured[], suffix: string, how: string): readonly Line[] {
  const mark = suffix === '' ? '' : 'w';
  const ratio = (
    id: string,
    what: string,
    program: string,
    name: string,
    floor: string,
    wanted: number,
  ): Line => ({
    id: `${id}${mark}`,
    what: `${what} (${how})`,
    value: best(rows, `${program}${suffix}`, name),
    unit: 'ms',
    against: { value: best(rows, floor, name), name: floor },
    wanted,
  });
  const [gap, cpu, launch] = ['gap_ms.p10', 'harness_cpu_ms_iter', 'ttfa_ms'];
  const alone = 'the loop alone';
  return [
    ratio('P1', `gap between agents, ${alone}`, 'ours-bare', gap, 'floor-bash', 2.5),
    ratio('P2', 'gap, checks and git, no commit', 'ours-nocommit', gap, 'reference', 1),
    ratio('P2c', 'gap, checks and a commit', ours, gap, 'reference', 2),
    ratio('P3', `own CPU per iteration, ${alone}`, 'ours-bare', cpu, 'floor-node', 1.5),
    ratio('P4', `launch to first agent, ${alone}`, 'ours-bare', launch, 'floor-node', 1.5),
    ratio('P4b', 'launch, with worktree and baseline', ours, launch, 'floor-node', 2.5),
  ];
}

/** P5 to P7. */
function transcripts(
  board: Scoreboard,
  small: readonly Measured[],
  rounds: number,
): readonly Line[] {
  const memory = 'peak_rss_kb_harness';
  const of = (options: Options): readonly Measured[] =>
    board.run('loop.mjs', { only: ours, iter: 1, rounds: 1, nosleep: true, ...options }).rows;
  const tee = 'floor-bash-tee';
  const large = of({ only: `${tee},${ours}`, bytes: '50M', iter: 3, rounds });
  const grown = (rows: readonly Measured[]): number =>
    (worst(rows, ours, memory) - worst(small, ours, memory)) / 1024;
  const growth = (id: string, what: string, rows: readonly Measured[], wanted = 16): Line =>
    plain(id, what, grown(rows), 'MB', wanted);
  const many = rounds > 2 ? 1000 : 300;
  const long = of({ iter: many, sample: 20, timeout: 600 });
  const drift = { value: best(small, ours, 'gap_ms.p50'), name: 'the short run' };
  return [
    {
      id: 'P5',
      what: '50 MB of transcript: wall per iteration',
      value: best(large, ours, 'wall_ms_iter'),
      unit: 'ms',
      against: { value: best(large, tee, 'wall_ms_iter'), name: tee },
      wanted: 1.2,
    },
    growth('P6', '50 MB of transcript: more memory', large),
    growth('P6b', 'one line of 32 MB: more memory', of({ env: 'FA_BIGLINE=32M' })),
    growth('P6c', '1 GB of transcript: more memory', of({ bytes: '1000M' })),
    growth('P7', `${many} iterations: more memory`, long, 10),
    {
      id: 'P7b',
      what: `${many} iterations: gap (p50)`,
      value: best(long, ours, 'gap_ms.p50'),
      unit: 'ms',
      against: drift,
      wanted: 1.05,
    },
  ];
}

/** P10 to P12. */
export function measureFaults(board: Scoreboard): readonly Line[] {
  const scenarios = 'kill9,term,resume,hang';
  const { rows } = board.run('faults.mjs', { only: ours, scenarios, 'hang-s': 20 });
  const of = (scenario: string): Measured | undefined =>
    rows.find((row) => row['scenario'] === scenario);
  const everything = ['orphan_agents', 'orphan_grandchildren', 'orphan_other'];
  const [resume, hang] = [of('resume'), of('hang')];
  const processes = 'processes';
  return [
    plain('P10', 'left 0.3 s after kill -9', left(of('kill9'), ...everything), processes, 0),
    plain('P10b', 'left 0.3 s after SIGTERM', left(of('term'), ...everything), processes, 0),
    plain(
      'P11',
      'resume: calls too many or few',
      Math.abs(figure(resume, 'calls2') - 3),
      'calls',
      0,
    ),
    {
      id: 'P11b',
      what: 'resume: launch to agent',
      value: figure(resume, 'ttfa2_ms'),
      unit: 'ms',
      against: { value: figure(resume, 'ttfa1_ms'), name: 'own first launch' },
      wanted: 1.05,
    },
    plain('P12', 'hung agent, limit of 3 s: over after', figure(hang, 'wall_s'), 's', 3.5),
    plain(
      'P12b',
      'hung agent: left',
      left(hang, 'orphan_agents', 'orphan_grandchildren'),
      processes,
      0,
    ),
  ];
}

function left(row: Measured | undefined, ...names: readonly string[]): number {
  return names.reduce((sum, name) => sum + figure(row, name), 0);
}

function plain(id: string, what: string, value: number, unit: string, wanted: number): Line {
  return { id, what, value, unit, against: null, wanted };
}
