import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Repository } from '../../adapters/git/repository.ts';
import { isLoopwrightError } from '../../core/error.ts';
import { neededManifest } from '../../core/preflight/needed-manifest.ts';
import { tryChecks, type Trial, type TrialRules } from '../../engine/try-checks.ts';
import type { CliContext } from '../context.ts';
import { installCommandOf } from './brought-files.ts';
import type { Choice } from './choice.ts';
import type { Findings } from './findings.ts';
import { listIgnored, listUntracked } from './ignored-files.ts';
import { readProjectFolder } from './project-folder.ts';
import { adviseOn, lackOf, withRemedy, type Checkout, type Remedy } from './remedy.ts';
import { renderConfig } from './render-config.ts';
import { openTrialPlace } from './trial-place.ts';

/** What the trial has shown in the end. */
export type TrialReport =
  | { readonly kind: 'skipped'; readonly why: string }
  /** No worktree could be made, or the like. */
  | { readonly kind: 'failed'; readonly why: string; readonly hint: string | null }
  | Tried;

type Tried = {
  readonly kind: 'tried';
  readonly trial: Exclude<Trial, { kind: 'cut' }>;
  readonly added: readonly Remedy[];
  /** What to do where it could not run. */
  readonly advice: string | null;
};

export type TrialInput = {
  readonly context: CliContext;
  readonly root: string;
  readonly repository: Repository;
  readonly findings: Findings;
  readonly choice: Choice;
  readonly rules: TrialRules;
  /** Whether to add what would help; null ends it all. */
  accept(remedy: Remedy, reason: string): Promise<boolean | null>;
  readonly signal: AbortSignal;
};

export type TriedChoice = { readonly choice: Choice; readonly report: TrialReport };

const maxRemedies = 3;

/**
 * Tries the check in a worktree, adds what it lacks where that is accepted, and tries again. Null when it was cut short;
 * the worktree is gone then as well.
 */
export async function tryChoice(input: TrialInput): Promise<TriedChoice | null> {
  const { choice, signal } = input;
  try {
    const checkout = await lookAtCheckout(input);
    const fault = uncommittedManifest(choice.validation ?? '', checkout);
    if (fault !== null) return { choice, report: fault };
    const trial = await tryOnce(input, checkout, choice);
    return trial.kind === 'cut'
      ? null
      : await refine(input, checkout, { choice, trial, added: [] });
  } catch (error) {
    if (signal.aborted) return null;
    if (!isLoopwrightError(error)) throw error;
    return { choice, report: { kind: 'failed', why: error.message, hint: error.hint } };
  }
}

type Standing = Pick<Tried, 'trial' | 'added'> & { readonly choice: Choice };

/** Adds one thing after the other, as long as each of them helps. */
async function refine(
  input: TrialInput,
  checkout: Checkout,
  { choice, trial, added }: Standing,
): Promise<TriedChoice | null> {
  const settle = (advice: string | null): TriedChoice => {
    return { choice, report: { kind: 'tried', trial, added, advice } };
  };
  if (trial.kind !== 'broken') return settle(adviceOn(trial));
  const { remedy, text } = adviseOn(trial.fault.missing, choice, checkout);
  if (remedy === null || added.length >= maxRemedies) return settle(text);
  const isAccepted = await input.accept(remedy, trial.fault.text);
  if (isAccepted === null) return null;
  if (!isAccepted) return settle(text);
  const better = withRemedy(choice, remedy);
  const next = await tryOnce(input, checkout, better);
  if (next.kind === 'cut') return null;
  if (!helped(trial.fault.text, next)) return settle(`${text} (tried without success)`);
  return refine(input, checkout, { choice: better, trial: next, added: [...added, remedy] });
}

/** What the check runs by is not in git: its program would find that file in the user's checkout, and run there. */
function uncommittedManifest(command: string, checkout: Checkout): TrialReport | null {
  const file = neededManifest(command);
  if (file === null || ![...checkout.untracked, ...checkout.ignored].includes(file)) return null;
  const why = `\`${command}\` needs ${file}, which is in your checkout and not in git`;
  return { kind: 'failed', why, hint: `commit it: \`git add ${file} && git commit\`` };
}

/** It runs now, or something else is missing. */
function helped(before: string, after: Trial): boolean {
  if (after.kind === 'broken') return after.fault.text !== before;
  return after.kind === 'ran' || (after.kind === 'timed-out' && after.what === 'check');
}

function adviceOn(trial: Tried['trial']): string | null {
  switch (trial.kind) {
    case 'setup-failed':
      return 'correct `workspace.setup`: a loop is blocked until it works';
    case 'timed-out':
      return trial.what === 'setup'
        ? 'whether the check runs is not known; `workspace.setup` may take as long as `validation.timeout`'
        : null;
    case 'ran':
    case 'broken':
      return null;
  }
}

async function lookAtCheckout({ root, repository, signal }: TrialInput): Promise<Checkout> {
  const [ignored, untracked, install] = await Promise.all([
    listIgnored(repository, signal),
    listUntracked(repository, signal),
    readProjectFolder(root).then(installCommandOf),
  ]);
  return { ignored, untracked, install, has: (file) => existsSync(path.join(root, file)) };
}

async function tryOnce(
  { context, root, findings, rules, signal }: TrialInput,
  checkout: Checkout,
  choice: Choice,
): Promise<Trial> {
  const draft = renderConfig(choice, findings);
  await using opened = await context.open({ cwd: root, draft, isApart: true, publish: () => {} });
  const { settings } = opened.config;
  await using place = openTrialPlace(root, settings.workspace.dir);
  const workspace = { ...settings.workspace, dir: place.folder };
  const trial = await tryChecks(opened.engine, { ...settings, workspace }, rules, signal);
  if (trial.kind !== 'ran' || trial.check.passed !== false) return trial;
  const lack = lackOf(trial.check.output, checkout);
  if (lack === null) return trial;
  return { kind: 'broken', check: trial.check, fault: { text: lack.line, missing: lack.missing } };
}
