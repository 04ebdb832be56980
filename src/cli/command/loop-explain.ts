import type { Decision } from '../../core/loop/judge.ts';
import type { Iteration, Loop } from '../../core/loop/loop.ts';
import { allChecks } from '../../core/verdict/report.ts';
import type { Command } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, wantsJson } from '../input.ts';
import { createPaint, type Paint } from '../render/paint.ts';
import { nextCommands } from '../render/next-commands.ts';
import { statusStyle, statusText } from '../render/status-word.ts';
import { oneLine } from '../render/story-line.ts';
import { optionalLoopArgument, resolveLoop } from '../resolve-loop.ts';

export const loopExplain: Command = {
  path: ['loop', 'explain'],
  summary: 'Explain why a loop went on or stopped after each iteration.',
  details: 'For every iteration: which rule decided, and everything it was decided from.',
  args: [optionalLoopArgument],
  examples: [{ line: 'loopwright loop explain last', does: 'Explains the newest loop.' }],

  async run(input, context) {
    await using opened = await context.open();
    const loop = await resolveLoop(opened.engine, argument(input, 'LOOP'));
    if (wantsJson(input)) {
      context.out.write(`${JSON.stringify(explanation(loop))}\n`);
      return exitCodes.ok;
    }
    context.out.write(renderExplanation(loop, context));
    return exitCodes.ok;
  },
};

function explanation(loop: Loop) {
  const { id, status, reason, text, baseline } = loop;
  return {
    loop: id,
    status,
    reason,
    text,
    baseline: baseline?.state ?? null,
    warnings: loop.warnings,
    iterations: loop.iterations.map(({ number, outcome, why, decision }) => {
      return { number, outcome, why, decision };
    }),
  };
}

function renderExplanation(loop: Loop, { out }: CliContext): string {
  const paint = createPaint(out.hasColour);
  const status = paint(statusStyle(loop.status), statusText(loop.status, loop.reason));
  const text = loop.text === null ? '' : `: ${oneLine(loop.text)}`;
  const parts = [
    `${paint('bold', loop.id)} is ${status}${text}`,
    `baseline ${loop.baseline?.state ?? 'not verified yet'}`,
    ...loop.warnings.map((warning) => `${paint('yellow', 'warning')} ${oneLine(warning)}`),
    ...loop.iterations.map((iteration) => explainIteration(iteration, paint)),
  ];
  const [next] = nextCommands(loop, false).filter(({ line }) => !line.includes(' explain '));
  return `${parts.join('\n\n')}\n${next === undefined ? '' : `\nnext: ${next.line}\n`}`;
}

function explainIteration(iteration: Iteration, paint: Paint): string {
  const { number, outcome, status, decision, why } = iteration;
  const title = paint('bold', `iteration ${number}: ${outcome ?? status}`);
  const facts = factRows(iteration);
  if (decision === null) {
    const reason = why === null ? 'no decision yet' : oneLine(why);
    return [title, ...facts, `  no decision  ${reason}`].join('\n');
  }
  const verdict =
    decision.end === null ? 'went on' : statusText(decision.end.status, decision.end.reason);
  const rows = [
    ...facts,
    row('decision', `${verdict}: ${decision.reason}`),
    row('decided by', ruleText(decision.source)),
    ...inputRows(decision),
  ];
  return [title, ...rows].join('\n');
}

function factRows({ agent, report }: Iteration): readonly string[] {
  const rows: string[] = [];
  if (agent !== null) {
    const claim = agent.claim === null ? 'no claim' : `claims ${agent.claim}`;
    rows.push(
      row('agent', `${agent.kind}, ${claim}${agent.evidence === '' ? '' : ` (${agent.evidence})`}`),
    );
  }
  if (report === null) return rows;
  const checks = allChecks(report).map(({ check }) => {
    const verdict = check.passed === null ? 'skipped' : check.passed ? 'passed' : 'failed';
    return `${check.name} ${verdict}${check.reason === null ? '' : ` (${check.reason})`}`;
  });
  return [...rows, row('checks', checks.join('; '))];
}

function inputRows({ inputs, notice }: Decision): readonly string[] {
  const { progress, strategy, stopConditions, counted, maxIterations } = inputs;
  const cap = maxIterations === 0 ? 'unlimited' : String(maxIterations);
  const stops = stopConditions.map(
    ({ text, met, kind }) => `${text}: ${met ? 'met' : 'not met'} (${kind})`,
  );
  return [
    row('completion', inputs.completion),
    row(
      'strategy',
      `${strategy.name} says ${strategy.continue ? 'go on' : 'stop'}: ${strategy.reason}`,
    ),
    row('ladder', inputs.ladder),
    ...(progress === null ? [] : [row('progress', progressText(progress))]),
    ...(stops.length === 0 ? [] : [row('conditions', stops.join('; '))]),
    row('iterations', `${counted} counted of ${cap}`),
    ...(notice === null ? [] : [row('notice', notice)]),
  ];
}

function progressText(progress: NonNullable<Decision['inputs']['progress']>): string {
  const level = progress.level === null ? 'unknown' : progress.level.toFixed(2);
  const best = progress.bestLevel === null ? 'none' : progress.bestLevel.toFixed(2);
  return `${progress.progress ? 'yes' : 'no'}; activity ${progress.activity.toFixed(2)}, level ${level}, best before ${best}`;
}

function ruleText(source: Decision['source']): string {
  switch (source) {
    case 'integrity':
      return 'the sandbox, which beats everything';
    case 'budget':
      return 'the budget, which beats a pass';
    case 'completion':
      return 'the rules of done';
    case 'agent':
      return 'what happened to the agent';
    case 'stop-condition':
      return 'a stop condition';
    case 'errors':
      return 'the limit of errors in a row';
    case 'cap':
      return 'max-iterations';
    case 'ladder':
      return 'the ladder of progress';
    case 'strategy':
      return 'the strategy';
  }
}

function row(label: string, text: string): string {
  return `  ${label.padEnd(12)} ${oneLine(text)}`;
}
