import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Round } from '../round.ts';

const holdMs = 20_000;

/** Another program keeps the store locked for 20 s: everybody waits, and nobody loses a loop. */
export async function lockStore(round: Round): Promise<void> {
  const { plan, ground, findings } = round;
  const engine = round.start();
  const wanted = plan.chance.pick([
    'agent.started',
    'verification.started',
    'iteration.ended',
  ] as const);
  const reached = new Promise<void>((resolve) => {
    engine.onTold(({ type }) => {
      if (type === wanted) resolve();
    });
  });
  await Promise.race([reached, engine.ended]);
  const script = `
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.argv[1], { timeout: 30000 });
database.exec('begin immediate');
setTimeout(() => { database.exec('rollback'); database.close(); }, ${holdMs});`;
  const argv = ['-e', script, `${ground.repo}/.loopwright/state.db`];
  const holder = spawn(process.execPath, argv, { env: ground.env, stdio: 'ignore' });
  round.trace('the store is locked');
  findings.counts.signals++;
  await once(holder, 'exit');
  round.trace('the store is free');
  const { code, err } = await round.end(engine);
  if (code !== 0) {
    const line = err.split('\n').findLast((each) => each.trim() !== '');
    findings.add('errors', `the run ended with ${code} after a locked store: ${line ?? ''}`);
  }
  await round.judgeStandstill();
}
