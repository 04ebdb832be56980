import { LoopwrightError } from '../../core/error.ts';
import type { Loop } from '../../core/loop/loop.ts';
import { exitCodeOfLoop } from '../../core/loop/finishing.ts';
import type { Opened } from '../../daemon/compose.ts';
import { loopResult } from '../../protocol/loop-result.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import {
  diskWaitOption,
  driveInForeground,
  talkOptions,
  unpricedOption,
  type Drive,
} from '../foreground.ts';
import { argument, isGiven, requiredArgument, wantsJson } from '../input.ts';
import { loopFiles } from '../../engine/loop-files.ts';
import { resolveRecorded, loopArgument } from '../resolve-loop.ts';
import { isForSeveral, resumeInBackground } from '../resume-in-background.ts';
import { resumeSeveralHere } from '../resume-several.ts';
import { settingsForResume } from '../resume-settings.ts';
import { slotOptions } from '../slot-options.ts';
import { flagValues, settingOptions } from '../setting-options.ts';

export const loopResume: Command = {
  path: ['loop', 'resume'],
  summary: 'Go on with a paused, blocked, failed or stopped loop.',
  details:
    'The loop keeps what judges and executes it as it was at its start; limits, budgets and the like follow your files. ' +
    'Flags given here win over both. --reload reads everything again.' +
    '\n\n--all continues what may have passed: every paused loop (interrupted, outage, disk, by a person), blocked (auth, setup, conflict), ' +
    'and stopped (budget) where the budget has room now. An approval, a gate, the judge, a stop and a failure need a decision: name that loop. ' +
    'With a daemon the loops continue there, by loopwright.yml; other flags are then refused. ' +
    'Exit code 5: a budget is used up and nothing, or not everything, continued.',
  args: [{ ...loopArgument, summary: `${loopArgument.summary} Or a selector.`, required: false }],
  options: [
    {
      name: 'all',
      summary:
        'Every loop that rests for a reason that may have passed; in the daemon if there is one.',
    },
    { name: 'jobs', value: 'N', summary: 'Without a daemon: up to N loops at once.' },
    diskWaitOption,
    unpricedOption,
    { name: 'detach', summary: 'Go on in the daemon instead of here.' },
    { name: 'reload', summary: 'Read all of the configuration again, also what judges the work.' },
    ...settingOptions(),
    ...talkOptions,
  ],
  examples: [
    { line: 'loopwright loop resume last', does: 'Goes on with the newest loop.' },
    {
      line: 'loopwright loop resume loop-1a2b --max-iterations 150',
      does: 'Goes on with a loop that had used all of its iterations.',
    },
    {
      line: 'loopwright resume --all',
      does: 'Goes on with what was paused, or waited for a provider, a sign-in, room on the disk or a larger budget.',
    },
  ],
  async run(input, context) {
    if (!isForSeveral(input)) return resumeHere(input, context);
    return (await resumeInBackground(input, context)) ?? resumeSeveralHere(input, context);
  },
};

function resumeHere(input: CommandInput, context: CliContext): Promise<number> {
  return driveInForeground(
    context,
    input,
    flagValues(input),
    (opened) => prepare(input, context, opened),
    async ({ outcome, opened }) => {
      const driven = outcome?.loops[0];
      const loop =
        driven ?? (await resolveRecorded(opened.engine, argument(input, 'LOOP'), context));
      const exitCode =
        (driven === undefined ? null : exitCodeOfLoop(driven)) ?? exitCodes.interrupted;
      if (wantsJson(input)) {
        const { changed } = await loopFiles(opened.project, loop);
        context.out.write(`${JSON.stringify({ ...loopResult(loop, changed), exitCode })}\n`);
      }
      return exitCode;
    },
  );
}

export const resume: Command = {
  ...loopResume,
  path: ['resume'],
  summary: 'Short for `loop resume`.',
};

async function prepare(input: CommandInput, context: CliContext, opened: Opened): Promise<Drive> {
  const loop = await resolveRecorded(opened.engine, requiredArgument(input, 'LOOP'), context);
  refuseComplete(loop);
  const changed = await settingsForResume(
    opened,
    loop,
    flagValues(input),
    isGiven(input, 'reload'),
  );
  const { inPlace, commit, verify, keepGoing } = loop.options;
  return {
    request: { kind: 'loop', loopId: loop.id, changed },
    options: {
      loop: { inPlace, commit, verify, keepGoing },
      allowDirty: true,
      wait: isGiven(input, 'wait'),
      ...slotOptions(input, opened),
      planFor: (task) => opened.planFor(task, verify),
    },
  };
}

function refuseComplete(loop: Loop): void {
  if (loop.status !== 'complete') return;
  const merged = loop.mergedInto !== null;
  throw new LoopwrightError(
    'loop.complete',
    `${loop.id} is complete: there is nothing to go on with`,
    {
      hint: merged
        ? 'start another with `loopwright run`'
        : `merge it with \`loopwright merge ${loop.id}\``,
    },
  );
}
