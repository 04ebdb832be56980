import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import type { Round } from '../round.ts';
import type { Environment } from '../shell.ts';

const mostJumps = 6;

/** Where leases are taken, renewed or looked at. */
function isTurn(type: string): boolean {
  return /loop\.created|agent\.|iteration\.|loop\.rested|merge/.test(type);
}

/** The library that shows programs another time; null when it is not installed. */
export function fakeTime(): string | null {
  for (const name of readdirSync('/usr/lib')) {
    const file = `/usr/lib/${name}/faketime/libfaketimeMT.so.1`;
    if (existsSync(file)) return file;
  }
  return null;
}

/** The wall clock jumps by hours, forwards and backwards, as of a laptop that wakes; time goes on as ever otherwise. */
export async function jumpClock(round: Round): Promise<void> {
  const { plan, ground, findings } = round;
  const library = fakeTime();
  if (library === null) return;
  const file = `${ground.outside}/clock`;
  writeFileSync(file, '+0\n');
  const env: Environment = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
  const engine = round.start(env);
  engine.onTold(({ type }) => {
    if (!isTurn(type) || findings.counts.jumps >= mostJumps || !plan.chance.is(0.3)) return;
    const hours = plan.chance.int(-30, 60);
    writeFileSync(file, `${hours < 0 ? '' : '+'}${hours}h\n`);
    round.trace(`the clock is set to ${hours} h from now, at ${type}`);
    findings.counts.jumps++;
  });
  const { code, err } = await round.end(engine);
  if (code !== 0) {
    const line = err.split('\n').findLast((each) => each.trim() !== '');
    findings.add('errors', `the run ended with ${code} after clock jumps: ${line ?? ''}`);
  }
  await round.judgeStandstill();
}
