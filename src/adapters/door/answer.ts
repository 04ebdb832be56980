import type { Socket } from 'node:net';
import type { DoorKeeper, RequestReport } from '../../ports/door.ts';
import { DoorCall, DoorReport, readLine } from './door-line.ts';
import { socketLines } from './socket-lines.ts';

const silenceMs = 30_000;

/** Answers one caller, who may say anything. */
export async function answer(caller: Socket, keeper: DoorKeeper): Promise<void> {
  const next = socketLines(caller);
  caller.setTimeout(silenceMs, () => caller.destroy());
  const line = await next();
  const call = line === null ? null : readLine(DoorCall(), line);
  // From here on it is the engine that may take its time.
  caller.setTimeout(0);
  if (call === null) return;
  if (call.type === 'command') {
    const answered = await keeper.command(call.argv, call.stdin);
    if (caller.writable) caller.write(`${JSON.stringify(answered)}\n`);
    return;
  }
  await leaveToAsk(caller, keeper, next);
}

/** The slot is given back when the caller says so, and when it is gone without a word. */
async function leaveToAsk(
  caller: Socket,
  keeper: DoorKeeper,
  next: () => Promise<string | null>,
): Promise<void> {
  const gone = new AbortController();
  caller.once('close', () => gone.abort());
  let report: RequestReport | null = null;
  const giveBack = await keeper.request(gone.signal).catch(() => null);
  if (giveBack === null) return;
  try {
    if (caller.writable) caller.write('{"granted":true}\n');
    const line = await next();
    report = line === null ? null : readLine(DoorReport(), line);
  } finally {
    giveBack(report);
  }
}
