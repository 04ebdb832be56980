import { totalTokens, type Activity, type AgentOutcome } from './outcome.ts';

/** What was seen of an agent that was asked to write one file. */
export type WriteRun = {
  readonly outcome: AgentOutcome;
  /** Null when no process was there. */
  readonly isStarted: boolean;
  /** Why not, in words; null when it was. */
  readonly obstacle: string | null;
  readonly activities: readonly Activity[];
  /** Whether any of them came before the agent's end was known. */
  readonly isLive: boolean;
  readonly costUsd: number | null;
  /** Null: not written. */
  readonly written: string | null;
  readonly wanted: string;
  /** What else lies in the folder. */
  readonly otherFiles: readonly string[];
};

/** What was seen of an agent that was told to end. */
export type StopRun = {
  /** Whether it was still at work when it was told. */
  readonly wasTold: boolean;
  readonly tookMs: number;
  readonly graceMs: number;
};

export type ProbeFindings = {
  readonly write: WriteRun;
  /** Null: not tried. */
  readonly stop: StopRun | null;
  /** Commands that still ran afterwards; null: cannot be looked up here. */
  readonly left: readonly string[] | null;
};

export type ProbeCheck = {
  readonly name: 'starts' | 'streams' | 'edits' | 'usage' | 'ends' | 'stops' | 'leaves';
  readonly status: 'ok' | 'warn' | 'fail';
  readonly text: string;
};

/** One line per thing a loop needs of an agent. */
export function judgeProbe({ write, stop, left }: ProbeFindings): readonly ProbeCheck[] {
  const start = starts(write);
  const ended = leaves(left);
  if (start.status === 'fail') return [start, ended];
  return [
    start,
    streams(write),
    edits(write),
    usage(write),
    ends(write),
    ...(stop === null ? [] : [stops(stop)]),
    ended,
  ];
}

function starts({ isStarted, obstacle, outcome }: WriteRun): ProbeCheck {
  if (!isStarted) return fail('starts', obstacle ?? 'it could not be started');
  if (outcome.kind === 'auth') {
    const how = 'sign in with its own program, or give it a valid key';
    return fail('starts', `it cannot sign in (${outcome.evidence}): ${how}`);
  }
  return ok('starts', 'it starts');
}

function streams({ activities, isLive }: WriteRun): ProbeCheck {
  const [first] = activities;
  if (first === undefined) return fail('streams', 'it says nothing about what it does');
  const text = `${activities.length} ${activities.length === 1 ? 'action' : 'actions'}`;
  if (!isLive) return warn('streams', `${text}, all of them shown only at its end`);
  return ok('streams', `${text} shown as they happened`);
}

function edits({ written, wanted, otherFiles }: WriteRun): ProbeCheck {
  if (written === null) return fail('edits', 'it did not write the file it was asked for');
  if (written.trim() !== wanted) {
    return fail('edits', 'it wrote the file, but not what it was asked to write');
  }
  if (otherFiles.length === 0) return ok('edits', 'it wrote the file it was asked for');
  const names = otherFiles.slice(0, 5).join(', ');
  return warn('edits', `it wrote the file it was asked for, and also ${names}`);
}

function usage({ outcome, costUsd }: WriteRun): ProbeCheck {
  const { tokens } = outcome;
  if (tokens === null || totalTokens(tokens) === 0) {
    const what = 'max-tokens and max-cost-usd cannot stop it';
    return warn('usage', `it does not report what it uses: ${what}`);
  }
  const used = `${totalTokens(tokens)} tokens`;
  if (costUsd !== null) return ok('usage', `${used}, $${costUsd.toFixed(4)}`);
  const model = outcome.model ?? 'MODEL';
  const how = `set \`prices."${model}"\``;
  return warn(
    'usage',
    `${used}, at a price that is not known: max-cost-usd cannot stop it; ${how}`,
  );
}

function ends({ outcome }: WriteRun): ProbeCheck {
  if (outcome.kind !== 'done') {
    return fail('ends', `it ended as ${outcome.kind.replaceAll('_', ' ')}: ${outcome.evidence}`);
  }
  if (outcome.confidence === 'low') {
    return warn('ends', 'it says that it is done, but over its protocol failures look the same');
  }
  return ok('ends', 'it says when it is done');
}

function stops({ wasTold, tookMs, graceMs }: StopRun): ProbeCheck {
  if (!wasTold) return warn('stops', 'it ended by itself before it could be told to end');
  const took = `${(tookMs / 1000).toFixed(1)} s`;
  return tookMs < graceMs
    ? ok('stops', `it ends when it is told to, after ${took}`)
    : fail('stops', `it does not end when it is told to: it was killed after ${took}`);
}

function leaves(left: readonly string[] | null): ProbeCheck {
  if (left === null) return warn('leaves', 'what it leaves behind cannot be seen on this platform');
  if (left.length === 0) return ok('leaves', 'no process is left');
  return fail('leaves', `processes are left: ${left.slice(0, 5).join(', ')}`);
}

function ok(name: ProbeCheck['name'], text: string): ProbeCheck {
  return { name, status: 'ok', text };
}

function warn(name: ProbeCheck['name'], text: string): ProbeCheck {
  return { name, status: 'warn', text };
}

function fail(name: ProbeCheck['name'], text: string): ProbeCheck {
  return { name, status: 'fail', text };
}
