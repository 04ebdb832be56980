import { scalarFlags, type FlagValues, type ScalarFlag } from '../core/config/flags.ts';
import type { CommandInput, Option } from './command.ts';
import { usageError } from './input.ts';

/** Settings people give most often, in words for them; all others are shown by `--help-all`. */
const common: Readonly<Record<string, string>> = {
  agent: 'Who does the work: a name, `command:CMD` or `scripted:FILE`.',
  validate: 'Shell command that must pass.',
  model: 'Model of every iteration.',
  'max-iterations': 'Iterations at most; 0 = unlimited.',
  'iteration-timeout': 'Time for one iteration, such as 30m.',
  'max-duration': 'Time for the whole loop, such as 4h; 0 = off.',
  'max-cost-usd': 'Cost of the whole loop; 0 = off.',
  'max-run-cost-usd': 'Cost of everything this run starts; 0 = off.',
  'max-day-cost-usd': 'Cost of all runs within 24 hours; 0 = off.',
  strategy: 'What decides after each iteration whether to go on.',
  merge: 'What happens with the branch when the loop is complete.',
};

const valueNames: Readonly<Record<ScalarFlag['type'], string>> = {
  text: 'TEXT',
  number: 'N',
  boolean: 'on|off',
  duration: 'DURATION',
  bytes: 'SIZE',
  choice: 'NAME',
};

const ownValueNames: Readonly<Record<string, string>> = {
  agent: 'AGENT',
  validate: 'CMD',
  model: 'MODEL',
  base: 'BRANCH',
  'max-cost-usd': 'USD',
  'max-run-cost-usd': 'USD',
  'max-day-cost-usd': 'USD',
};

/** Words a boolean flag takes; the last one is what `--no-NAME` means. */
const onOff = ['on', 'off', 'true', 'false'] as const;

/** Every scalar setting as an option, and `--pass-env`. */
export function settingOptions(): readonly Option[] {
  return [...scalarFlags().map(settingOption), passEnv, attended];
}

const passEnv: Option = {
  name: 'pass-env',
  value: 'GLOB',
  repeatable: true,
  summary: 'Hand variables of this name or pattern on to the agent.',
};

const attended: Option = {
  name: 'attended',
  summary: 'Ask before every iteration and about what it changed; short for --mode attended.',
};

function settingOption({ flag, type, choices, description, path }: ScalarFlag): Option {
  const own = common[flag];
  return {
    name: flag,
    value: ownValueNames[flag] ?? valueNames[type],
    summary: own ?? `${description} (${path})`,
    ...(type === 'choice' ? { choices } : {}),
    ...(type === 'boolean' ? { choices: onOff, bare: 'on' } : {}),
    ...(own === undefined ? { advanced: true } : {}),
  };
}

/** The settings that were given, as the configuration's strongest layer wants them. */
export function flagValues({ options }: CommandInput): FlagValues {
  const names = [...scalarFlags().map(({ flag }) => flag), passEnv.name];
  const given = names.flatMap((name): [string, FlagValues[string]][] => {
    const value = options[name];
    return value === undefined ? [] : [[name, value]];
  });
  if (options[attended.name] !== true) return Object.fromEntries(given);
  const mode = options['mode'] ?? 'attended';
  if (mode !== 'attended')
    throw usageError(`--attended and --mode ${String(mode)} exclude each other`);
  return Object.fromEntries([...given, ['mode', 'attended']]);
}
