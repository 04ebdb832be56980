import type { Settings } from '../config/schema.ts';
import { LoopwrightError } from '../error.ts';
import { passCheck } from '../loop/passes.ts';
import { shellWord } from '../text/shell-word.ts';
import { inputValues, type LoopType } from './resolve.ts';

type Commands = Settings['validation']['commands'];

/**
 * The checks of review passes are validation commands like others: frozen, judged on the base, and confirmed. Throws
 * `loop_type.check_name` when the user has a check of that name, and `loop_type.unknown_input`.
 */
export function passChecks(
  type: LoopType,
  { validation, verify }: Pick<Settings, 'validation' | 'verify'>,
): Commands {
  const passes = type.values.passes ?? [];
  if (passes.length === 0) return {};
  const inputs = inputValues(type, {});
  const { timeout } = validation;
  return Object.fromEntries(
    passes.map(({ name, check }) => {
      if (Object.hasOwn(validation.commands, passCheck(name)))
        throw nameTaken(type, name, 'validation.commands');
      if (Object.hasOwn(verify.hidden, passCheck(name)))
        throw nameTaken(type, name, 'verify.hidden');
      const command = withInputs(check, inputs, (input) => unknownInput(type, name, input));
      return [passCheck(name), { command, timeout, 'success-exit-code': 0 }];
    }),
  );
}

/** Values go in quoted: an input is one word of the command, whatever it holds. */
function withInputs(
  command: string,
  inputs: Readonly<Record<string, string>>,
  unknown: (name: string) => LoopwrightError,
): string {
  return command.replaceAll(/\{\{ *([A-Za-z][\w-]*) *\}\}/g, (_whole, name: string) => {
    if (!Object.hasOwn(inputs, name)) throw unknown(name);
    return shellWord(inputs[name] ?? '');
  });
}

function nameTaken(type: LoopType, pass: string, section: string): LoopwrightError {
  const check = passCheck(pass);
  return new LoopwrightError(
    'loop_type.check_name',
    `\`${section}.${check}\` has the name of the check of the review pass \`${pass}\` of loop type \`${type.name}\``,
    { hint: `Rename \`${section}.${check}\` or the pass.` },
  );
}

function unknownInput(type: LoopType, pass: string, input: string): LoopwrightError {
  const known = (type.values.inputs ?? []).map(({ name }) => name);
  return new LoopwrightError(
    'loop_type.unknown_input',
    `the check of the review pass \`${pass}\` of loop type \`${type.name}\` names an unknown input \`${input}\``,
    {
      hint: `Add it to \`inputs\` of the loop type${known.length === 0 ? '' : `, or use one of: ${known.join(', ')}`}.`,
    },
  );
}
