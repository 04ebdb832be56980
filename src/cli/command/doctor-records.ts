import type { Store } from '../../ports/store.ts';
import { plural } from '../render/format.ts';
import { fail, ok, type Check } from './doctor-check.ts';

const mostNamed = 10;

type Found = {
  /** Loops whose log is not what was written, each with the first event that does not fit. */
  readonly broken: readonly string[];
  /** Loops whose stored state is not what their log says, each with what it says. */
  readonly differing: readonly { readonly id: string; readonly text: string }[];
};

/** Folds the log of every loop, one at a time, and compares it with the stored state. */
export async function checkRecords(
  store: Store,
  loops: readonly string[],
  isFix: boolean,
): Promise<readonly Check[]> {
  const { broken, differing } = await readLogs(store, loops);
  const checks: Check[] = [];
  if (broken.length > 0) {
    checks.push(
      fail(
        'history',
        `logs were changed after they were written: ${named(broken)}`,
        'do not trust these loops: none of them is merged or goes on. `loopwright events LOOP` shows what is stored, `loopwright run TASK --new` starts again',
      ),
    );
  }
  if (differing.length > 0) checks.push(await stateCheck(store, differing, isFix));
  if (checks.length > 0) return checks;
  const text =
    loops.length === 0
      ? 'no loops yet'
      : `the ${loops.length === 1 ? 'log' : 'logs'} of ${plural(loops.length, 'loop')} are unbroken, and stored states are what they say`;
  return [ok('history', text)];
}

async function readLogs(store: Store, loops: readonly string[]): Promise<Found> {
  const broken: string[] = [];
  const differing: { id: string; text: string }[] = [];
  for (const id of loops) {
    const folded = await store.read((tx) => tx.loops.folded(id));
    // It was deleted meanwhile.
    if (folded === null) continue;
    const { brokenAt, differs } = folded;
    if (brokenAt !== null) broken.push(`${id} at event ${brokenAt}`);
    else if (differs.length > 0) differing.push({ id, text: `${id} (${differs.join(', ')})` });
  }
  return { broken, differing };
}

async function stateCheck(
  store: Store,
  differing: Found['differing'],
  isFix: boolean,
): Promise<Check> {
  const names = named(differing.map(({ text }) => text));
  if (!isFix) {
    return fail(
      'state',
      `the stored state is not what the log says: ${names}`,
      'verdicts are taken from the log; `loopwright doctor --fix` rebuilds the state from it',
    );
  }
  for (const { id } of differing) await store.write((tx) => tx.loops.rebuild(id));
  return ok('state', `it was not what the log says, and is rebuilt from it: ${names}`);
}

function named(texts: readonly string[]): string {
  const more = texts.length - mostNamed;
  return [...texts.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])].join('; ');
}
