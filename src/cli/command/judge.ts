import type { Settings } from '../../core/config/schema.ts';
import { LoopwrightError } from '../../core/error.ts';
import type { JudgeChange } from '../../core/verdict/confirmation.ts';
import {
  judgeOf,
  judgingCommands,
  startingCommit,
  type JudgeScope,
} from '../../engine/find-judge.ts';
import { planJudge } from '../../engine/judge-plan.ts';
import type { Opened } from '../../daemon/compose.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, isGiven, wantsJson } from '../input.ts';
import { countJudge, judgeText, renderJudge, renderJudgeChanges } from '../render/judge-list.ts';
import { createPaint } from '../render/paint.ts';
import { optionalLoopArgument, resolveLoop } from '../resolve-loop.ts';

const lookMs = 120_000;

export const judge: Command = {
  path: ['judge'],
  summary: 'List the files that decide the result of the checks, and why.',
  details:
    'A loop is complete when its work passes with these files as they are on the base: tests, their data, configuration of ' +
    'runners and builds, scripts that the checks start. Manifests are put back by key: scripts and tools, not dependencies. ' +
    'Without LOOP it is the judge of your checkout’s commit; with one it is the judge of that loop, what it added included, and what it changed of it.' +
    '\n\nIf a file is missing, name it in `verify.judge`; if one is the product, name it in `verify.product`. Both are lists of globs.',
  args: [{ ...optionalLoopArgument, summary: 'A loop; without it: the commit of your checkout.' }],
  options: [{ name: 'all', summary: 'List every file, not only the first of each kind.' }],
  examples: [
    { line: 'loopwright judge', does: 'Lists what judges, by kind.' },
    { line: 'loopwright judge last --all', does: 'Lists all of it for the newest loop.' },
    {
      line: "loopwright judge --json | jq -r '.files[].path'",
      does: 'Prints the paths alone.',
    },
  ],

  async run(input, context) {
    await using opened = await context.open({ onlyReads: true });
    const scope = await scopeOf(opened, argument(input, 'LOOP'));
    const { files } = await judgeOf(opened.engine, scope, AbortSignal.timeout(lookMs));
    const commands = judgingCommands(scope.settings);
    const changes = await changesIn(opened, scope);
    if (wantsJson(input)) {
      const result = {
        base: scope.base,
        head: scope.head,
        commands,
        counts: countJudge(files),
        files,
        ...(changes === null ? {} : { changes }),
        exitCode: exitCodes.ok,
      };
      context.out.write(`${JSON.stringify(result)}\n`);
      return exitCodes.ok;
    }
    const paint = createPaint(context.out.hasColour);
    if (files.length > 0) context.out.write(renderJudge(files, paint, isGiven(input, 'all')));
    if (changes !== null) context.out.write(renderJudgeChanges(changes));
    context.err.write(`\n${judgeText(files)}\n`);
    if (commands.length === 0) {
      context.err.write(
        'no check is configured: scripts that a check would run are not among them\n',
      );
    }
    context.err.write(
      'missing one: verify.judge, one too many: verify.product (lists of globs in loopwright.yml)\n',
    );
    return exitCodes.ok;
  },
};

/** What a loop changed of its judge, and nothing allows beforehand; null where there is no loop, or no work of it yet. */
async function changesIn(
  { engine }: Opened,
  { base, head, settings }: JudgeScope & { readonly settings: Settings },
): Promise<readonly JudgeChange[] | null> {
  if (head === null || head === base) return null;
  const signal = AbortSignal.timeout(lookMs);
  return (await planJudge(engine, settings, { base, commit: head }, signal)).changes;
}

async function scopeOf(
  opened: Opened,
  wanted: string | null,
): Promise<JudgeScope & { readonly settings: Settings }> {
  if (wanted === null) {
    const { settings } = opened.config;
    const base = await startingCommit(opened.engine, settings, AbortSignal.timeout(lookMs));
    if (base === null) throw needsBase(`${opened.project.root} has no commit`);
    return { base, head: null, settings };
  }
  const loop = await resolveLoop(opened.engine, wanted);
  const { base } = loop.workspace;
  if (base === null) throw needsBase(`${loop.id} works without git`);
  return { base, head: loop.head, settings: loop.settings };
}

function needsBase(text: string): LoopwrightError {
  return new LoopwrightError('judge.no_base', `${text}: there is no base whose files could judge`, {
    hint: 'commit your files first: `git add -A && git commit`',
  });
}
