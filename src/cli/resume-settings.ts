import type { FlagValues } from '../core/config/flags.ts';
import { scalarFlags } from '../core/config/flags.ts';
import { restoreSettings } from '../core/config/frozen.ts';
import type { Settings } from '../core/config/schema.ts';
import { valueAt, withValue } from '../core/config/tree.ts';
import { LoopwrightError } from '../core/error.ts';
import { isCapReached, type Loop } from '../core/loop/loop.ts';
import { worksInPlace } from '../core/loop/place.ts';
import type { Opened } from '../daemon/compose.ts';
import { liveSettings, spentBudget } from '../engine/live-settings.ts';
import { checkRunnable } from '../engine/plan-loop.ts';
import type { LoopPlan } from '../engine/run-loops.ts';
import { resumeLine } from './render/next-commands.ts';

/**
 * The settings a loop goes on with: its own, with live keys as the files say now and the given flags on top;
 * with `reload` everything is read again. Throws what would end the loop at once.
 */
export async function settingsForResume(
  { engine }: Opened,
  loop: Loop,
  flags: FlagValues,
  reload: boolean,
): Promise<Pick<LoopPlan, 'settings' | 'flags'>> {
  const allFlags = { ...loop.flags, ...flags };
  const { read, fresh, kept } = await liveSettings(engine, loop, allFlags);
  const settings = reload ? fresh : withFlags(kept, read, Object.keys(flags));
  checkRunnable(settings, loop.options.verify);
  await engine.resolveAgent(settings);
  const { verify } = loop.options;
  await engine.preflight(settings, { verify, inPlace: worksInPlace(loop), isOwnCheck: false });
  refuseSpent({ ...loop, settings });
  return { settings, flags: allFlags };
}

/** Sections whose keys belong together: another name brings other defaults. */
const whole: ReadonlySet<string> = new Set(['strategy', 'model-strategy']);

function withFlags(settings: Settings, fresh: Settings, names: readonly string[]): Settings {
  if (names.length === 0) return settings;
  const paths = new Map(scalarFlags().map(({ flag, path }) => [flag, path.split('.')]));
  const changed = names.reduce<Readonly<Record<string, unknown>>>((tree, name) => {
    const path = name === 'pass-env' ? ['env', 'pass'] : (paths.get(name) ?? []);
    const [section = ''] = path;
    const place = whole.has(section) ? [section] : path;
    return withValue(tree, place, valueAt(fresh, place));
  }, settings);
  return restoreSettings(changed);
}

/** A loop at its limit would end again before it began. */
function refuseSpent(loop: Loop): void {
  const hint = `raise it: \`${resumeLine(loop)}\``;
  if (isCapReached(loop)) {
    const cap = loop.settings.limits['max-iterations'];
    throw new LoopwrightError('loop.spent', `${loop.id} has used all of its ${cap} iterations`, {
      hint: `give it more: \`loopwright loop resume ${loop.id} --max-iterations ${cap + 10}\``,
    });
  }
  const budget = spentBudget(loop);
  if (budget !== null) throw new LoopwrightError('loop.spent', `${loop.id}: ${budget}`, { hint });
}
