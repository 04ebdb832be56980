import { capWarnings } from '../core/config/limits.ts';
import type { Settings } from '../core/config/schema.ts';
import { LoopwrightError } from '../core/error.ts';
import type { PromptRecord } from '../core/loop/event.ts';
import { inputValues, type LoopType } from '../core/loop-type/resolve.ts';
import type { Task } from '../core/task/task.ts';

export const defaultLoopType = 'ralph';

/** Settings for one task: its own validation command wins over the project's. */
export function settingsForTask(settings: Settings, task: Pick<Task, 'validation'>): Settings {
  if (task.validation === null) return settings;
  return { ...settings, validation: { ...settings.validation, command: task.validation } };
}

/** What a loop type says about the prompt. */
export function promptRecord(type: LoopType): PromptRecord {
  return {
    template: type.values['prompt-template'] ?? null,
    systemPrompt: type.values['system-prompt'] ?? null,
    inputs: inputValues(type, {}),
    source: `loop type ${type.name}`,
  };
}

/** Refuses what cannot run, before anything is spent. Returns warnings. */
export function checkRunnable(settings: Settings, verify: boolean): readonly string[] {
  const { validation } = settings;
  if (verify && validation.command === null && Object.keys(validation.commands).length === 0) {
    throw new LoopwrightError(
      'run.no_validation',
      'there is no validation command: nothing could prove the work done',
      {
        hint: 'give one with --validate "npm test", or set `validation.command` in loopwright.yml (`loopwright init` proposes one)',
      },
    );
  }
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

/** Configuration that is understood but not carried out yet is refused, never ignored. */
function notBuiltYet(settings: Settings): string | null {
  const { verify, sandbox, git, mode, gates, notify, hooks } = settings;
  if (gates.length > 0) return 'gates';
  if (sandbox.level !== 'off') return `sandbox: ${sandbox.level}`;
  if (verify['clean-room']) return 'verify.clean-room';
  if (verify.fixtures.length > 0) return 'verify.fixtures';
  if (verify.contracts.required.length > 0 || verify.contracts.rules.length > 0)
    return 'verify.contracts';
  if (verify.contracts.naming.length > 0) return 'verify.contracts.naming';
  if (git.merge === 'pr') return 'git.merge: pr';
  if (mode.name !== 'unattended') return `mode: ${mode.name}`;
  if (notify.desktop || notify.webhooks.length > 0 || notify.command !== null) return 'notify';
  const run = ['pre-iteration', 'post-iteration'];
  const other = Object.entries(hooks).find(
    ([name, list]) => list.length > 0 && !run.includes(name),
  );
  if (other !== undefined) return `the hook ${other[0]}`;
  const modules = Object.values(hooks).some((list) => list.some((hook) => 'module' in hook));
  return modules ? 'a hook module' : null;
}
