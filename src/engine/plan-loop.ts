import { capWarnings } from '../core/config/limits.ts';
import { defaultSettings, type Settings } from '../core/config/schema.ts';
import { isTree } from '../core/config/tree.ts';
import { LoopwrightError } from '../core/error.ts';
import type { PromptRecord } from '../core/loop/event.ts';
import { inputValues, type LoopType } from '../core/loop-type/resolve.ts';
import { allowances } from '../core/task/allowance.ts';
import type { Task } from '../core/task/task.ts';
import { gateName } from '../core/verdict/gate.ts';

export const defaultLoopType = 'ralph';

/** Settings for one task: its own validation command wins over the project's, and what it allows is allowed. */
export function settingsForTask(
  settings: Settings,
  task: Pick<Task, 'validation'> & Partial<Pick<Task, 'description'>>,
): Settings {
  const { validation, verify } = settings;
  return {
    ...settings,
    validation: { ...validation, command: task.validation ?? validation.command },
    verify: { ...verify, allow: [...verify.allow, ...allowances(task.description ?? '')] },
  };
}

/** A prompt template without its front matter, and what that said. */
type ParsedTemplate = Pick<PromptRecord, 'required' | 'defaults' | 'partials'> & {
  readonly template: string | null;
};

/** What a loop type says about the prompt. */
export function promptRecord(type: LoopType, parsed: ParsedTemplate): PromptRecord {
  const passes = (type.values.passes ?? []).map(({ name, focus }) => ({ name, focus }));
  return {
    ...parsed,
    systemPrompt: type.values['system-prompt'] ?? null,
    inputs: inputValues(type, {}),
    source: `loop type ${type.name}`,
    ...(passes.length === 0 ? {} : { passes }),
  };
}

/** Refuses what cannot run, before anything is spent. Returns warnings. */
export function checkRunnable(settings: Settings, verify: boolean): readonly string[] {
  if (verify && !hasChecks(settings)) {
    throw new LoopwrightError(
      'run.no_validation',
      'there is no validation command: nothing could prove the work done',
      {
        hint: 'give one with --validate "npm test", or set `validation.command` in loopwright.yml (`loopwright init` proposes one)',
      },
    );
  }
  refuseTwins(settings);
  const missing = notBuiltYet(settings);
  if (missing !== null) {
    throw new LoopwrightError(
      'run.not_built',
      `${missing} is configured, but this version cannot do it yet`,
      {
        hint: 'take it out of the configuration: a loop never runs with less than it was asked for',
      },
    );
  }
  return capWarnings(settings).map(({ message }) => message);
}

/** Results are kept by the names of gates. */
function refuseTwins({ gates }: Settings): void {
  const names = gates.map(gateName);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin === undefined) return;
  throw new LoopwrightError('run.gate_names', `two gates are called ${twin}`, {
    hint: 'give each a `name` of its own in `gates`',
  });
}

/** Whether anything is executed that could pass. */
function hasChecks({ validation, verify }: Settings): boolean {
  return (
    validation.command !== null ||
    Object.keys(validation.commands).length > 0 ||
    verify.fixtures.length > 0
  );
}

/** Keys and sections that are understood but not carried out yet. */
const unbuilt: readonly string[] = ['sandbox.image', 'sandbox.cpus', 'sandbox.memory'];

/** Configuration that cannot be carried out is refused, never ignored: what differs from the default is a wish. */
function notBuiltYet(settings: Settings): string | null {
  const plain = defaultSettings();
  const wish = unbuilt.find((key) => !isSame(valueAt(settings, key), valueAt(plain, key)));
  if (wish !== undefined) return `\`${wish}\``;
  const { level, containment: _any, ...walls } = settings.sandbox;
  if (level === 'container') return '`sandbox: container`';
  const { level: _level, containment: _auto, ...none } = plain.sandbox;
  if (level !== 'bubblewrap' && !isSame(walls, none)) {
    return 'an option of `sandbox` without `bubblewrap`';
  }
  if (settings.git.merge === 'pr') return '`git.merge: pr`';
  return null;
}

function valueAt(settings: Settings, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((value, part) => (isTree(value) ? value[part] : undefined), settings);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
