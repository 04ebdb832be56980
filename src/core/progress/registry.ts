import { z } from 'zod';
import { lazy } from '../lazy.ts';
import { LoopwrightError } from '../error.ts';
import { tailChars } from '../text/code-points.ts';
import { ProgressEntry } from './entry.ts';
import { hybrid } from './hybrid.ts';
import { llmSummary } from './llm-summary.ts';
import {
  type ProgressRenderer,
  type ProgressStrategy,
  type ProgressStrategyName,
  progressStrategyNames,
} from './strategy.ts';
import { structured } from './structured.ts';
import { systemCaptured } from './system-captured.ts';

export type ProgressConfig = {
  /** `system-captured` unless told otherwise. */
  readonly name?: string;
  /** Iterations kept: 5. */
  readonly maxEntries?: number;
  /** Characters of output per iteration: 500. */
  readonly maxChars?: number;
};

const defaultName: ProgressStrategyName = 'system-captured';

const renderers: Readonly<Record<ProgressStrategyName, ProgressRenderer>> = {
  'system-captured': systemCaptured,
  structured,
  'llm-summary': llmSummary,
  hybrid,
};

const Serialised = lazy(() =>
  z.object({ version: z.literal(1), entries: z.array(ProgressEntry()) }),
);

/** Phases are longer stretches of work and get a longer record. */
export function progressLimits(loopType: string): { maxEntries: number; maxChars: number } {
  return loopType === 'phase'
    ? { maxEntries: 10, maxChars: 1000 }
    : { maxEntries: 5, maxChars: 500 };
}

/** An unknown name gives the default strategy with a `warning`. `stored` are the entries of an earlier process. */
export function createProgressStrategy(
  config: ProgressConfig = {},
  stored: readonly ProgressEntry[] = [],
): ProgressStrategy {
  const { name, warning } = resolveName(config.name);
  const { maxEntries = 5, maxChars = 500 } = config;
  const renderer = renderers[name];
  const keep = (entries: readonly ProgressEntry[]) => newest(entries, maxEntries, maxChars);
  const render = (entries: readonly ProgressEntry[]) =>
    entries.length === 0 ? '' : renderer.renderAll(entries, maxChars);

  let kept = keep(stored);
  return {
    name,
    warning,
    record(entry) {
      kept = keep([...kept, entry]);
      return renderer.renderEntry(bounded(entry, maxChars), maxChars);
    },
    get: () => render(kept),
    variants: () => [...kept.map((_, dropped) => render(kept.slice(dropped))), ''],
    clear() {
      kept = [];
    },
    get length() {
      return kept.length;
    },
    get isEmpty() {
      return kept.length === 0;
    },
    entries: () => kept,
    serialise: () => JSON.stringify({ version: 1, entries: kept }),
    restore(serialised) {
      kept = keep(parse(serialised));
    },
  };
}

function resolveName(name: string | undefined): {
  name: ProgressStrategyName;
  warning: string | null;
} {
  if (name === undefined) return { name: defaultName, warning: null };
  const known = progressStrategyNames.find((each) => each === name);
  if (known !== undefined) return { name: known, warning: null };
  const valid = progressStrategyNames.join(', ');
  const warning = `Unknown progress strategy "${name}", using ${defaultName}. Valid: ${valid}.`;
  return { name: defaultName, warning };
}

function newest(
  entries: readonly ProgressEntry[],
  maxEntries: number,
  maxChars: number,
): readonly ProgressEntry[] {
  const from = Math.max(0, entries.length - Math.max(0, maxEntries));
  return entries.slice(from).map((entry) => bounded(entry, maxChars));
}

/** Whole outputs are kept as files; an entry holds somewhat more than is shown. Bounding twice changes nothing. */
function bounded(entry: ProgressEntry, maxChars: number): ProgressEntry {
  const max = Math.max(4 * maxChars, 4000);
  const tail = (text: string) => tailChars(text.trim(), max).trim();
  return { ...entry, stdout: tail(entry.stdout), stderr: tail(entry.stderr) };
}

function parse(serialised: string): readonly ProgressEntry[] {
  try {
    return Serialised().parse(JSON.parse(serialised)).entries;
  } catch (cause) {
    throw new LoopwrightError(
      'progress.corrupt',
      'The stored progress of the loop is unreadable.',
      {
        cause,
        hint: 'clear it with `loopwright loop clear-progress LOOP` to continue without it',
      },
    );
  }
}
