import type { Blow } from '../plan.ts';
import type { Round } from '../round.ts';
import { environmentFor, orderGit, strike, takeBackOrder } from '../saboteur.ts';

/** Blow after blow, each in a run of its own, with a person who works meanwhile and sometimes in between. */
export async function storm(
  round: Round,
  blows: readonly Blow[] = round.plan.blows,
): Promise<void> {
  const { plan } = round;
  for (const blow of blows) {
    await sufferOne(round, blow);
    if (round.isFinished) return;
    if (plan.person === null) continue;
    const most = ['twice', 'rebase'].includes(plan.scenario) ? 3 : 1;
    for (let times = plan.chance.int(0, most); times > 0; times--) await round.person.act();
  }
}

/** One run with one blow, and a look at what is left. */
export async function sufferOne(round: Round, blow: Blow): Promise<void> {
  round.wakePerson();
  const engine = round.start(environmentFor(blow));
  orderGit(round.ground, engine, blow);
  const isStruck = await strike(round.ground, engine, blow, round.findings);
  round.trace(`${isStruck ? 'hit' : 'missed'}: ${blow.victim} by ${JSON.stringify(blow.aim)}`);
  if (isStruck) round.countInterrupted();
  await round.end(engine);
  takeBackOrder(round.ground);
  await round.restPerson();
  await round.judgeStandstill();
}

/** Two engines work at the same time; one of them is hit, and the other one has to cope. */
export async function stormOverTwo(round: Round): Promise<void> {
  for (const blow of round.plan.blows) {
    round.wakePerson();
    const engine = round.start(environmentFor(blow));
    orderGit(round.ground, engine, blow);
    const other = round.start({ TORTURE_TOKEN: `${round.ground.token}-second` });
    const isStruck = await strike(round.ground, engine, blow, round.findings);
    round.trace(`${isStruck ? 'hit' : 'missed'}: ${blow.victim} by ${JSON.stringify(blow.aim)}`);
    if (isStruck) round.countInterrupted();
    await Promise.all([round.end(engine), round.end(other)]);
    takeBackOrder(round.ground);
    await round.restPerson();
    await round.judgeStandstill();
    if (round.isFinished) return;
  }
}
