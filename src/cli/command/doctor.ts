import { stat } from 'node:fs/promises';
import path from 'node:path';
import { defaultSettings, type Settings } from '../../core/config/schema.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, wantsJson } from '../input.ts';
import { plural } from '../render/format.ts';
import { createPaint, type Style } from '../render/paint.ts';
import { wrap } from '../render/wrap.ts';
import { checked, type Check } from './doctor-check.ts';
import { checkLocks, checkOrphans, checkPool } from './doctor-leftovers.ts';
import { checkMoves } from './doctor-moves.ts';
import { checkChosenContainment, checkDisk, checkMachine } from './doctor-machine.ts';
import {
  checkAgent,
  checkConfig,
  checkJudge,
  checkRepository,
  checkValidation,
  findPlace,
  type Place,
} from './doctor-project.ts';
import { checkRegistrations } from './doctor-registrations.ts';
import { checkStore, type StoreChecks } from './doctor-store.ts';

export const doctor: Command = {
  path: ['doctor'],
  summary: 'Check machine, repository, configuration, store and leftovers.',
  details:
    'Each line says what to do about it. Exit code 0 when nothing fails, 1 otherwise; warnings do not count. ' +
    '--fix does what every run does when it starts: it repairs what killed engines and power cuts left of the worktrees of ' +
    'loops, and lets your files follow a branch whose move was cut. It also rebuilds the stored state of loops from their logs ' +
    'where it says something else. Your own changes, and loops that run, are not touched.',
  options: [
    { name: 'fix', summary: 'Repair worktrees of loops, moves that were cut, and stored states.' },
  ],
  examples: [
    { line: 'loopwright doctor', does: 'Looks at everything.' },
    {
      line: 'loopwright doctor --json | jq \'.checks[] | select(.status != "ok")\'',
      does: 'Shows only what is not well.',
    },
    { line: 'loopwright doctor --fix', does: 'Also settles what a killed engine left half done.' },
  ],
  run: runDoctor,
};

const lookMs = 120_000;

async function runDoctor(input: CommandInput, context: CliContext): Promise<number> {
  const checks = await examine(context, isGiven(input, 'fix'));
  const failed = checks.filter(({ status }) => status === 'fail').length;
  const warned = checks.filter(({ status }) => status === 'warn').length;
  const exitCode = failed === 0 ? exitCodes.ok : exitCodes.failed;
  if (wantsJson(input)) {
    context.out.write(
      `${JSON.stringify({ ok: failed === 0, failed, warned, checks, exitCode })}\n`,
    );
    return exitCode;
  }
  context.out.write(render(checks, failed, warned, context));
  return exitCode;
}

async function examine(context: CliContext, fix: boolean): Promise<readonly Check[]> {
  const signal = AbortSignal.timeout(lookMs);
  const checks: Check[] = [...(await checkMachine(context, signal))];
  let place: Place | null = null;
  checks.push(
    ...(await checked('repository', async () => {
      place = await findPlace(context, signal);
      return checkRepository(place, context, signal);
    })),
  );
  return place === null
    ? checks
    : [...checks, ...(await examinePlace(place, context, fix, signal))];
}

async function examinePlace(
  place: Place,
  context: CliContext,
  fix: boolean,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const checks: Check[] = [];
  let settings: Settings = defaultSettings();
  checks.push(
    ...(await checked('config', async () => {
      const found = await checkConfig(place, context);
      settings = found.settings;
      const agent = await checkAgent(settings, place, context);
      const contained = checkChosenContainment(settings);
      return [found.check, checkValidation(settings), agent, ...contained];
    })),
  );
  checks.push(...(await checked('judge', () => checkJudge(settings, context, signal))));
  const stateDir = path.join(place.root, '.loopwright');
  const hasState = (await stat(stateDir).catch(() => null)) !== null;
  checks.push(
    ...(await checked('disk', () => checkDisk(hasState ? stateDir : place.root, settings))),
  );
  let known: Known = { loops: null, places: null };
  checks.push(
    ...(await checked('store', async () => {
      const file = settings.store ?? path.join(stateDir, 'state.db');
      const isAddress = /^postgres(ql)?:/.test(file);
      const store = await checkStore(
        isAddress ? file : path.resolve(place.root, file),
        stateDir,
        fix,
      );
      known = store;
      return store.checks;
    })),
  );
  const worktrees = path.resolve(
    place.root,
    settings.workspace.dir ?? path.join(stateDir, 'worktrees'),
  );
  const { repository } = place;
  if (repository !== null) {
    const how = { stateDir, clock: context.clock, isFix: fix };
    checks.push(...(await checked('moves', () => checkMoves(repository, how, signal))));
  }
  return [
    ...checks,
    ...(await examineLeftovers(place, known, { worktrees, fix }, context, signal)),
  ];
}

type Known = Pick<StoreChecks, 'loops' | 'places'>;

async function examineLeftovers(
  { repository }: Place,
  { loops, places }: Known,
  { worktrees, fix }: { readonly worktrees: string; readonly fix: boolean },
  context: CliContext,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  if (repository === null) return [];
  const known = places === null ? null : { ...places, folder: worktrees };
  const registrations = { repository, known, folder: worktrees, fix: fix && known !== null };
  // First: git itself may fail before they are put right.
  const registered = await checked('registrations', () =>
    checkRegistrations(registrations, signal),
  );
  const orphans =
    loops === null ? [] : await checked('branches', () => checkOrphans(repository, loops, signal));
  return [
    ...registered,
    ...orphans,
    ...(await checked('pool', () => checkPool(worktrees))),
    ...(await checked('locks', () => checkLocks(repository, context.clock.now(), signal))),
  ];
}

const marks: Readonly<Record<Check['status'], readonly [mark: string, style: Style]>> = {
  ok: ['✓ ok  ', 'green'],
  warn: ['! warn', 'yellow'],
  fail: ['✗ fail', 'red'],
};

function render(
  checks: readonly Check[],
  failed: number,
  warned: number,
  { out }: CliContext,
): string {
  const paint = createPaint(out.hasColour);
  const width = Math.min(out.columns, 100);
  const nameWidth = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.map(({ name, status, text, next }) => {
    const [mark, style] = marks[status];
    const start = `${mark}  ${name.padEnd(nameWidth)}  `;
    const indent = ' '.repeat(start.length);
    const body = wrap(plainText(text), width, start, indent).slice(start.length);
    const hint =
      next === null ? '' : `\n${wrap(plainText(next), width, `${indent}→ `, `${indent}  `)}`;
    return `${paint(style, mark)}  ${name.padEnd(nameWidth)}  ${body}${hint}`;
  });
  const well = warned === 0 ? 'All is well' : 'Nothing failed';
  const verdict =
    failed > 0 ? paint('red', `${plural(failed, 'check')} failed`) : paint('green', well);
  const warnings = warned === 0 ? '' : `, ${plural(warned, 'warning')}`;
  return `${lines.join('\n')}\n\n${verdict}${warnings}.\n`;
}
