import type { Repeated, ReceiptVerdict } from '../../engine/verify-receipt.ts';
import type { Receipt, ReceiptCheck, ReceiptVerification } from '../../protocol/receipt.ts';
import { formatCost, formatDuration, plural } from './format.ts';
import type { Paint } from './paint.ts';
import { statusText } from './status-word.ts';
import { oneLine } from './story-line.ts';

/** A receipt for people: every executed check, from the base to the end. */
export function renderReceipt(receipt: Receipt, paint: Paint): string {
  const { loop, title, status, reason, base, head, baseline, iterations } = receipt;
  const { proof, redToGreen } = receipt;
  const lines = [
    `${paint('bold', loop)} ${oneLine(title, 80)}: ${statusText(status, reason)}`,
    row('base', short(base)),
    row('head', short(head)),
    row('log', chainText(receipt.chain, paint)),
    ...stateRows(receipt.stateDiffers, paint),
    ...(proof === null ? [] : proofRows(proof)),
    ...(redToGreen.length === 0
      ? []
      : [row('red → green', redToGreen.map((name) => oneLine(name, 80)).join(', '))]),
    '',
    paint('bold', `baseline: ${baseline?.state ?? 'not verified'}`),
    ...verificationRows(baseline?.verification ?? null, paint),
  ];
  for (const iteration of iterations) {
    const { number, outcome, promptHash, commit, model, diff, costUsd, gates, approvals } =
      iteration;
    lines.push(
      '',
      paint('bold', `iteration ${number}: ${outcome ?? 'open'}`),
      row('prompt', `sha256 ${promptHash?.slice(0, 16) ?? 'none'}`),
      ...(model === null ? [] : [row('model', oneLine(model, 80))]),
      row('changes', `${plural(diff.files, 'file')}, commit ${short(commit)}`),
      ...(costUsd === null ? [] : [row('cost', formatCost(costUsd))]),
      ...verificationRows(iteration.verification, paint),
      ...gates.map((gate) =>
        row('gate', `${mark(gate.passed, paint)} ${gate.name}: ${oneLine(gate.reason, 160)}`),
      ),
      ...approvals.map(({ by, note }) => row('approved', oneLine(`by ${by} ${note}`.trim(), 160))),
    );
  }
  return `${lines.join('\n')}\n`;
}

function stateRows(differs: readonly string[], paint: Paint): readonly string[] {
  if (differs.length === 0) return [];
  const text = `changed: it says ${differs.join(', ')}; the log counts, \`loopwright doctor --fix\` rebuilds the state`;
  return [row('state', paint('red', oneLine(text, 300)))];
}

function proofRows({ kind, why, changes, runs }: NonNullable<Receipt['proof']>): readonly string[] {
  return [
    row('proof', `${kind}: ${oneLine(why, 200)}`),
    ...changes.map((change) => row('judge', oneLine(change, 160))),
    ...runs.map((run) =>
      row('clean run', `${run.kind}: ${run.passed === true ? 'passes' : (run.reason ?? 'fails')}`),
    ),
  ];
}

function verificationRows(found: ReceiptVerification | null, paint: Paint): readonly string[] {
  if (found === null) return [];
  const where = found.environment;
  return [
    row(
      'verified',
      `at ${short(found.commit ?? found.tree)}${where === null ? '' : `, environment ${where.fingerprint} (${where.platform}${where.cleanRoom ? ', clean room' : ''})`}`,
    ),
    ...found.checks.flatMap((check) => checkRows(check, paint)),
  ];
}

function checkRows(check: ReceiptCheck, paint: Paint): readonly string[] {
  const { level, name, passed, command, exitCode, outputHash, durationMs } = check;
  const parts = [
    `${mark(passed, paint)} ${level}/${oneLine(name, 60)}`,
    exitCode === null ? null : `exit ${exitCode}`,
    outputHash === null ? null : `sha256 ${outputHash.slice(0, 16)}`,
    formatDuration(durationMs),
  ];
  const { reason } = check;
  return [
    row('check', parts.filter((part) => part !== null).join(' · ')),
    ...(command === null ? [] : [row('', `$ ${oneLine(command, 160)}`)]),
    ...(passed === true || reason === null ? [] : [row('', oneLine(reason, 160))]),
  ];
}

/** What a repeated receipt says. */
export function renderVerdict(loop: string, verdict: ReceiptVerdict, paint: Paint): string {
  const { base, checks, brokenAt, stateDiffers, sameEnvironment } = verdict;
  const chain = brokenAt === null ? 'as it was written' : `changed at event ${brokenAt}`;
  return `${[
    `${paint('bold', loop)} ${headline(verdict, paint)}`,
    row('log', paint(brokenAt === null ? 'green' : 'red', chain)),
    ...stateRows(stateDiffers, paint),
    ...(verdict.proof === null ? [] : [row('proof', verdict.proof)]),
    row('environment', sameEnvironment ? 'the same' : 'another one'),
    '',
    paint('bold', `at ${short(verdict.commit)}`),
    ...checks.map((each) => repeatedRow(each, paint)),
    ...(base === null
      ? []
      : [
          '',
          paint('bold', `on the base ${short(base.commit)}, which was red`),
          ...base.checks.map((each) => repeatedRow(each, paint)),
        ]),
  ].join('\n')}\n`;
}

function headline({ holds, status, reason, repeats }: ReceiptVerdict, paint: Paint): string {
  if (status !== 'complete') {
    const again = repeats ? 'its checks say the same again' : 'its checks say something else now';
    return `${paint('red', `is not complete, but ${statusText(status, reason)}`)}; ${again}`;
  }
  return holds ? paint('green', 'still holds') : paint('red', 'does not hold any more');
}

function repeatedRow({ check, recorded, now, holds, sameOutput }: Repeated, paint: Paint): string {
  const before = resultText(recorded);
  const text = holds
    ? `${before} again${sameOutput ? ', same output' : ''}`
    : `was ${before}, now ${now === null ? 'not run' : resultText(now)}${now?.reason === null || now === null ? '' : ` (${oneLine(now.reason, 120)})`}`;
  return row('check', `${mark(holds, paint)} ${oneLine(check, 80)}: ${text}`);
}

function resultText({ passed, exitCode }: Repeated['recorded']): string {
  const word = passed === null ? 'undecided' : passed ? 'passed' : 'failed';
  return exitCode === null ? word : `${word} (exit ${exitCode})`;
}

function chainText({ events, brokenAt }: Receipt['chain'], paint: Paint): string {
  return brokenAt === null
    ? `${plural(events, 'event')}, ${paint('green', 'hash chain intact')}`
    : paint('red', `changed after it was written: event ${brokenAt} does not fit its hash chain`);
}

function mark(passed: boolean | null, paint: Paint): string {
  if (passed === null) return paint('yellow', '–');
  return passed ? paint('green', '✓') : paint('red', '✗');
}

function short(id: string | null): string {
  return id === null ? 'none' : id.slice(0, 12);
}

function row(label: string, text: string): string {
  return `  ${label.padEnd(12)} ${text}`;
}
