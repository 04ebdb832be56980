import type * as Clack from '@clack/prompts';
import { findSandboxFault } from '../../adapters/process/sandbox.ts';
import { wrap } from '../render/wrap.ts';
import type { Choice, SandboxLevel } from './choice.ts';

type Prompts = typeof Clack;

/** Offers the isolation that this machine has. Undefined means given up. */
export async function askForSandbox(
  prompts: Prompts,
  { isRepository, columns }: { readonly isRepository: boolean; readonly columns: number },
): Promise<SandboxLevel | undefined> {
  const fault = findSandboxFault();
  if (fault !== null) {
    const text = `\`sandbox: bubblewrap\` is not available here: ${fault}`;
    prompts.log.info(wrap(text, Math.max(20, columns - 4), ''));
  }
  const levels: { value: SandboxLevel; label: string; hint: string }[] = [
    { value: 'off', label: 'off', hint: 'agents may do what you may do' },
  ];
  if (isRepository) {
    const hint = 'a loop is blocked when something around its worktree changes';
    levels.push({ value: 'worktree', label: 'worktree', hint });
  }
  if (fault === null) {
    const hint = 'agents and checks write their worktree alone, and see little of your home';
    levels.push({ value: 'bubblewrap', label: 'bubblewrap', hint });
  }
  if (levels.length === 1) return 'off';
  const picked = await prompts.select({
    message: 'How far are agents kept apart from this machine?',
    options: levels,
  });
  return prompts.isCancel(picked) ? undefined : picked;
}

/** Undefined means given up. */
export async function askForBudget(prompts: Prompts): Promise<Choice['budget'] | undefined> {
  const run = await askForUsd(prompts, 'What may one run cost, in US dollars, all loops together?');
  if (run === undefined) return undefined;
  const loop = await askForUsd(prompts, 'What may one loop cost, in US dollars?');
  return loop === undefined ? undefined : { run, loop };
}

async function askForUsd(prompts: Prompts, message: string): Promise<number | null | undefined> {
  const typed = await prompts.text({
    message,
    placeholder: '5 (leave empty for no limit)',
    defaultValue: '',
    validate: (value) =>
      readUsd(value ?? '') === undefined ? 'An amount such as 5 or 2.50, or nothing.' : undefined,
  });
  return prompts.isCancel(typed) ? undefined : (readUsd(typed) ?? null);
}

/** Null: no limit. Undefined: not an amount. */
export function readUsd(text: string): number | null | undefined {
  const amount = text.trim().replace(/^\$\s?/, '');
  if (amount === '') return null;
  return /^\d{1,6}(?:\.\d{1,4})?$/.test(amount) && Number(amount) > 0 ? Number(amount) : undefined;
}
