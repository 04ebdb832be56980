import { LoopwrightError } from '../../core/error.ts';
import type { Containment, ContainmentMode } from '../../ports/process.ts';
import {
  candidateEnclosures,
  cgroupCandidates,
  describeContainment,
  probeEnclosures,
  type Candidates,
  type Enclosure,
} from './containment.ts';

/** The containment of one engine: chosen once, and kept. */
export type EnclosureChoice = {
  /** What to start the next program in. Until one has started there, it is only likely to work. */
  current(): Enclosure;
  /** A program has started in it. */
  proved(enclosure: Enclosure): void;
  /** Nothing starts in `current()`: what to try instead; null when it has worked before. */
  replacement(): Enclosure | null;
  /** Finds out by trying when nothing has started yet. */
  containment(): Containment;
};

/**
 * The best that works on this machine, or the one of `forced`. Nothing is tried out before it is needed: the first program
 * is the trial. `weak` hears once of a choice that lets processes escape.
 */
export function createEnclosureChoice(
  forced: ContainmentMode | null,
  weak: (containment: Containment) => void,
): EnclosureChoice {
  const all = candidatesFor(forced);
  const enclosures = all.enclosures.filter(({ mode }) => forced === null || mode === forced);
  const candidates = { ...all, enclosures };
  const [best] = enclosures;
  let { obstacles } = all;
  if (best === undefined) throw unavailable(forced, obstacles);
  let chosen = best;
  let isCertain = false;

  function settle(): void {
    if (isCertain) return;
    isCertain = true;
    const containment = describeContainment(chosen, obstacles);
    if (forced === null && containment.strength === 'weak') weak(containment);
  }

  function probe(): void {
    if (isCertain || forced !== null) return;
    const found = probeEnclosures(candidates);
    chosen = found.enclosure;
    obstacles = found.obstacles;
    settle();
  }

  return {
    current: () => chosen,
    proved(started) {
      if (started === chosen) settle();
    },
    replacement() {
      if (isCertain) return null;
      const before = chosen;
      probe();
      return chosen === before ? null : chosen;
    },
    containment() {
      probe();
      return describeContainment(chosen, obstacles);
    },
  };
}

function candidatesFor(forced: ContainmentMode | null): Candidates {
  const all = candidateEnclosures();
  const needsCgroup = forced === 'cgroup' || (forced === null && all.enclosures.length === 1);
  if (!needsCgroup) return all;
  const more = cgroupCandidates();
  return {
    enclosures: [...more.enclosures, ...all.enclosures],
    obstacles: [...all.obstacles, ...more.obstacles],
  };
}

function unavailable(mode: string | null, obstacles: readonly string[]): LoopwrightError {
  return new LoopwrightError(
    'process.containment',
    `Containment by ${mode} is not available here: ${obstacles.join('; ')}.`,
    {
      hint: 'Say `auto` (`--containment auto`, or `sandbox.containment: auto`): the best that works here is taken.',
    },
  );
}
