import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import type { EngineRun } from './engine.ts';
import { descendants, killFamily, send } from './family.ts';
import type { Findings } from './findings.ts';
import type { Ground } from './ground.ts';
import type { Aim, Blow } from './plan.ts';
import { sleep } from './shell.ts';

/** What the environment of the run needs for its blow to come at a failpoint. */
export function environmentFor({ victim, aim }: Blow): Readonly<Record<string, string>> {
  if (aim.kind !== 'point') return {};
  const action = victim === 'engine' ? 'kill' : 'hang';
  return { LOOPWRIGHT_FAIL_AT: `${aim.point}:${aim.nth}:${action}` };
}

/** Tells the git before the real one what to do, at once or as soon as an event was told. */
export function orderGit(ground: Ground, engine: EngineRun, { victim, aim }: Blow): void {
  const { outside } = ground;
  takeBackOrder(ground);
  if (aim.kind !== 'git') return;
  const { command, nth, cut, afterMs, since } = aim;
  const whom = victim === 'git' ? 'git' : 'others';
  const order = () =>
    writeFileSync(`${outside}/git-plan`, `${command} ${nth} ${cut} ${afterMs / 1000} ${whom}\n`);
  if (since === null) order();
  else void nthEvent(engine, since, 1).then(order);
}

/** What was not carried out is not left for a later run. */
export function takeBackOrder({ outside }: Ground): void {
  for (const name of readdirSync(outside)) {
    if (/^git-(plan|hit)/.test(name)) rmSync(`${outside}/${name}`, { recursive: true });
  }
}

/** Waits for the moment and strikes. False when the run ended before it came. */
export async function strike(
  ground: Ground,
  engine: EngineRun,
  blow: Blow,
  { counts }: Findings,
): Promise<boolean> {
  const { victim, aim } = blow;
  const isReached = await Promise.race([
    moment(ground, engine, aim).then(() => true),
    engine.ended.then(() => false),
  ]);
  if (victim === 'engine' && aim.kind === 'point') {
    const { signal } = await engine.ended;
    if (signal === 'SIGKILL') counts.kills++;
    return signal === 'SIGKILL';
  }
  if (!isReached) return false;
  switch (victim) {
    case 'engine':
      counts.kills++;
      return send(engine.pid, 'SIGKILL');
    case 'family':
      counts.kills++;
      killFamily(engine.pid, `${ground.token}-first`);
      return true;
    case 'git':
      if (aim.kind !== 'git' && !killOneGit(engine.pid)) return false;
      counts.kills++;
      return true;
    case 'term':
    case 'int':
      counts.signals++;
      return send(engine.pid, victim === 'term' ? 'SIGTERM' : 'SIGINT');
    case 'stop':
      counts.signals++;
      send(engine.pid, 'SIGSTOP');
      await sleep(700);
      return send(engine.pid, 'SIGCONT');
  }
}

function killOneGit(pid: number): boolean {
  const git = descendants(pid).find(({ name }) => name === 'git');
  return git !== undefined && send(git.pid, 'SIGKILL');
}

/** Resolves at the moment; stays pending when it does not come. */
async function moment(ground: Ground, engine: EngineRun, aim: Aim): Promise<void> {
  switch (aim.kind) {
    case 'time':
      return after(aim.afterMs, undefined, { ref: false });
    case 'event':
      await nthEvent(engine, aim.type, aim.nth);
      return sleep(aim.afterMs);
    case 'point':
      return engine.said('hanging at');
    case 'git':
      while (!existsSync(`${ground.outside}/git-hit`) && !engine.isOver) await sleep(2);
      return engine.isOver ? new Promise(() => {}) : undefined;
  }
}

function nthEvent(engine: EngineRun, type: string, nth: number): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    engine.onTold((event) => {
      if (event.type === type && ++count === nth) resolve();
    });
  });
}
