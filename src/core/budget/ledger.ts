/** What was used: cost in USD as far as it is known, and tokens. */
export type Amount = { readonly costUsd: number; readonly tokens: number };

export type LedgerLimits = {
  /** Null: no limit. */
  readonly costUsd: number | null;
  readonly tokens: number | null;
  readonly durationMs: number | null;
  readonly dayCostUsd: number | null;
};

/**
 * What one run has used of its budget and what the iterations under way may still use of it. Every iteration reserves what
 * such iterations cost before it starts; what it reports takes the place of that as soon as it is more.
 */
export type Ledger = {
  readonly limits: LedgerLimits;
  /** Of iterations that have ended, and of everything beside them. */
  readonly settled: Amount;
  /** Cost of all runs within 24 hours, as the store had it, and what was settled here since. */
  readonly dayUsd: number;
  readonly running: ReadonlyMap<string, Running>;
  /** What the last iterations of an agent and model have used, by their key. */
  readonly known: ReadonlyMap<string, readonly Amount[]>;
  readonly elapsedMs: number;
  /** An iteration could not be afforded while nothing else ran: nothing starts any more. */
  readonly refused: string | null;
};

type Running = {
  readonly key: string;
  readonly reserved: Amount;
  readonly used: Amount;
  /** It tells what it uses while it works: it can be cut at once. */
  readonly reports: boolean;
};

export type LedgerChange =
  | { readonly type: 'limits'; readonly limits: LedgerLimits }
  | { readonly type: 'day'; readonly costUsd: number }
  | { readonly type: 'time'; readonly elapsedMs: number }
  /** Totals of an iteration so far. */
  | { readonly type: 'used'; readonly id: string; readonly amount: Amount }
  /** It has ended with these totals. `counts`: they say what such an iteration costs. */
  | {
      readonly type: 'ended';
      readonly id: string;
      readonly amount: Amount;
      readonly counts: boolean;
    }
  /** Used beside iterations: a judge, a summary. */
  | { readonly type: 'added'; readonly amount: Amount };

export const nothing: Amount = { costUsd: 0, tokens: 0 };
/** Iterations that say what the next one costs. */
const remembered = 5;

export function createLedger(limits: LedgerLimits): Ledger {
  return {
    limits,
    settled: nothing,
    dayUsd: 0,
    running: new Map(),
    known: new Map(),
    elapsedMs: 0,
    refused: null,
  };
}

export function changeLedger(ledger: Ledger, change: LedgerChange): Ledger {
  switch (change.type) {
    case 'limits':
      return { ...ledger, limits: change.limits, refused: null };
    case 'day':
      // Hours later there may be room again.
      return {
        ...ledger,
        dayUsd: change.costUsd,
        refused: change.costUsd < ledger.dayUsd - tiny ? null : ledger.refused,
      };
    case 'time':
      return { ...ledger, elapsedMs: change.elapsedMs };
    case 'used': {
      const entry = ledger.running.get(change.id);
      if (entry === undefined) return ledger;
      const used = { ...entry, used: most(entry.used, change.amount), reports: true };
      return { ...ledger, running: new Map(ledger.running).set(change.id, used) };
    }
    case 'ended':
      return end(ledger, change);
    case 'added':
      return settle(ledger, change.amount);
  }
}

function end(ledger: Ledger, { id, amount, counts }: Extract<LedgerChange, { type: 'ended' }>) {
  const entry = ledger.running.get(id);
  if (entry === undefined) return ledger;
  const running = new Map(ledger.running);
  running.delete(id);
  const total = most(entry.used, amount);
  const past = ledger.known.get(entry.key) ?? [];
  const known = counts
    ? new Map(ledger.known).set(entry.key, [...past, total].slice(-remembered))
    : ledger.known;
  return { ...settle(ledger, total), running, known };
}

function settle(ledger: Ledger, amount: Amount): Ledger {
  const settled = sum([ledger.settled, amount]);
  return { ...ledger, settled, dayUsd: ledger.dayUsd + amount.costUsd };
}

/** Whether any of this holds anybody back. */
export function hasLimits({ costUsd, tokens, durationMs, dayCostUsd }: LedgerLimits): boolean {
  return [costUsd, tokens, durationMs, dayCostUsd].some((limit) => limit !== null);
}

/** An iteration that wants to start. */
export type Candidate = {
  /** Agent and model: iterations of the same one cost about the same. */
  readonly key: string;
  /** The agent is known to tell what it uses while it works. */
  readonly reports: boolean;
};

export type Admission =
  | { readonly kind: 'admitted'; readonly ledger: Ledger }
  /** What runs now has to end first: its cost is not known yet, or it may leave enough. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'refused'; readonly ledger: Ledger; readonly text: string };

/** Whether another iteration of an agent and model may start now; what it is expected to use is reserved for it. */
export function admit(ledger: Ledger, id: string, { key, reports }: Candidate): Admission {
  const spent = spentText(ledger);
  if (spent !== null) return { kind: 'refused', ledger, text: spent };
  const { limits, running, known } = ledger;
  const measured = known.get(key);
  const hasAmounts =
    limits.costUsd !== null || limits.tokens !== null || limits.dayCostUsd !== null;
  if (measured === undefined && hasAmounts) {
    // What such an iteration costs is found out by one of them alone.
    if ([...running.values()].some((each) => each.key === key)) return { kind: 'wait' };
    return { kind: 'admitted', ledger: reserve(ledger, id, { key, reports }, nothing) };
  }
  const expected = expect(measured ?? []);
  const after = sum([ledger.settled, ...[...running.values()].map(held), expected]);
  const day = ledger.dayUsd + sum([...running.values()].map(held)).costUsd + expected.costUsd;
  const short = exceeded(limits, after, day, (used, limit) => used > limit + tiny);
  if (short === null) {
    return { kind: 'admitted', ledger: reserve(ledger, id, { key, reports }, expected) };
  }
  if (running.size > 0) return { kind: 'wait' };
  const text = `${describe(short, usedOf(ledger, short.name))} is used and the next iteration would exceed it`;
  return { kind: 'refused', ledger: { ...ledger, refused: text }, text };
}

/** Sums of cents are not exact. */
const tiny = 1e-9;

function reserve(ledger: Ledger, id: string, candidate: Candidate, reserved: Amount): Ledger {
  const entry: Running = { ...candidate, reserved, used: nothing };
  return { ...ledger, running: new Map(ledger.running).set(id, entry) };
}

/** The dearest of the last ones: an agent that does not report until its end cannot be cut. */
function expect(amounts: readonly Amount[]): Amount {
  return amounts.reduce(most, nothing);
}

function held({ reserved, used }: Running): Amount {
  return most(reserved, used);
}

/** Why nothing may start any more, in words; null while something may. */
export function spentText(ledger: Ledger): string | null {
  if (ledger.refused !== null) return ledger.refused;
  const over = atLimit(ledger, 1);
  return over === null ? null : `${describe(over, over.used)} is used up`;
}

/** Whether a text of this budget is why a loop has stopped: the next run has a new one, and the day goes on. */
export function isSharedBudget(text: string | null): boolean {
  return text !== null && /^[a-z]+ budget of the (?:run|day): /.test(text);
}

/** Whether it is the budget of the day: a new run does not have a new one. */
export function isDayBudget(text: string | null): boolean {
  return text !== null && /^[a-z]+ budget of the day: /.test(text);
}

/** Who has to be cut: everybody that reports what it uses, as soon as the budget is used up. */
export function toCut(ledger: Ledger): readonly string[] {
  if (atLimit(ledger, 1) === null) return [];
  return [...ledger.running].flatMap(([id, { reports }]) => (reports ? id : []));
}

/** The budget of which this share is used, in words; null when all have more. */
export function nearLimit(ledger: Ledger, share: number): string | null {
  const near = atLimit(ledger, share);
  return near === null ? null : describe(near, near.used);
}

/** What was used so far, by ended iterations and those under way. */
export function usedSoFar(ledger: Ledger): Amount & { readonly dayUsd: number } {
  const now = sum([...ledger.running.values()].map(({ used }) => used));
  return { ...sum([ledger.settled, now]), dayUsd: ledger.dayUsd + now.costUsd };
}

type Over = { readonly name: LimitName; readonly used: number; readonly limit: number };
type LimitName = 'cost' | 'tokens' | 'duration' | 'day';

function atLimit(ledger: Ledger, share: number): Over | null {
  const { costUsd, tokens, dayUsd } = usedSoFar(ledger);
  const isAt = (used: number, limit: number): boolean => used + tiny >= limit * share;
  const over = exceeded(ledger.limits, { costUsd, tokens }, dayUsd, isAt);
  if (over !== null) return over;
  const { durationMs } = ledger.limits;
  if (durationMs === null || !isAt(ledger.elapsedMs, durationMs)) return null;
  return { name: 'duration', used: ledger.elapsedMs, limit: durationMs };
}

function exceeded(
  limits: LedgerLimits,
  { costUsd, tokens }: Amount,
  day: number,
  isOver: (used: number, limit: number) => boolean,
): Over | null {
  const all: readonly (readonly [LimitName, number, number | null])[] = [
    ['cost', costUsd, limits.costUsd],
    ['tokens', tokens, limits.tokens],
    ['day', day, limits.dayCostUsd],
  ];
  for (const [name, used, limit] of all) {
    if (limit !== null && isOver(used, limit)) return { name, used, limit };
  }
  return null;
}

function usedOf(ledger: Ledger, name: LimitName): number {
  const { costUsd, tokens, dayUsd } = usedSoFar(ledger);
  switch (name) {
    case 'cost':
      return costUsd;
    case 'tokens':
      return tokens;
    case 'day':
      return dayUsd;
    case 'duration':
      return ledger.elapsedMs;
  }
}

function describe({ name, limit }: Pick<Over, 'name' | 'limit'>, used: number): string {
  const usd = (amount: number): string => `$${amount.toFixed(limit < 1 ? 3 : 2)}`;
  switch (name) {
    case 'cost':
      return `cost budget of the run: ${usd(used)} of ${usd(limit)}`;
    case 'tokens':
      return `token budget of the run: ${used} of ${limit}`;
    case 'day':
      return `cost budget of the day: ${usd(used)} of ${usd(limit)} within 24 hours`;
    case 'duration':
      return `time budget of the run: ${Math.round(used / 1000)} s of ${Math.round(limit / 1000)} s`;
  }
}

function most(a: Amount, b: Amount): Amount {
  return { costUsd: Math.max(a.costUsd, b.costUsd), tokens: Math.max(a.tokens, b.tokens) };
}

function sum(amounts: readonly Amount[]): Amount {
  return amounts.reduce(
    (total, each) => ({
      costUsd: total.costUsd + each.costUsd,
      tokens: total.tokens + each.tokens,
    }),
    nothing,
  );
}
