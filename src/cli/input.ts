import { LoopwrightError } from '../core/error.ts';
import type { CommandInput } from './command.ts';

/** The value of an argument; null when it was left out. */
export function argument({ args }: CommandInput, name: string): string | null {
  const value = args[name];
  return typeof value === 'string' ? value : null;
}

export function requiredArgument(input: CommandInput, name: string): string {
  const value = argument(input, name);
  if (value !== null) return value;
  throw usageError(`the argument ${name} is missing`);
}

export function variadicArgument({ args }: CommandInput, name: string): readonly string[] {
  const value = args[name];
  return Array.isArray(value) ? value : [];
}

/** Whether a boolean option was given. */
export function isGiven({ options }: CommandInput, name: string): boolean {
  return options[name] === true;
}

/** The value of an option; null when it was not given. */
export function option({ options }: CommandInput, name: string): string | null {
  const value = options[name];
  return typeof value === 'string' ? value : null;
}

export function repeatedOption({ options }: CommandInput, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? value : [];
}

/** A whole number that is not negative; null when the option was not given. */
export function numberOption(input: CommandInput, name: string): number | null {
  const value = option(input, name);
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw usageError(`--${name} takes a whole number, not “${value}”`);
}

export function wantsJson(input: CommandInput): boolean {
  return isGiven(input, 'json');
}

/** Bad input of a person: exit code 3. */
export function usageError(message: string, hint?: string): LoopwrightError {
  return new LoopwrightError('usage.invalid', message, hint === undefined ? {} : { hint });
}
