import type { Plan, ScenarioName } from './plan.ts';
import type { Round } from './round.ts';
import { environmentFor, orderGit, strike } from './saboteur.ts';

/** What happens in a round before its last, undisturbed run. */
type Story = (round: Round, plan: Plan) => Promise<void>;

/** Blow after blow, each in a run of its own, with a person who works meanwhile and sometimes in between. */
const storm: Story = async (round, plan) => {
  for (const blow of plan.blows) {
    orderGit(round.ground, blow);
    round.wakePerson();
    const engine = round.start(environmentFor(blow));
    const isStruck = await strike(round.ground, engine, blow, round.findings);
    round.trace(`${isStruck ? 'hit' : 'missed'}: ${blow.victim} by ${JSON.stringify(blow.aim)}`);
    if (isStruck) round.countInterrupted();
    await round.end(engine);
    await round.restPerson();
    await round.judgeStandstill();
    if (round.isFinished) return;
    if (plan.person !== null && plan.chance.is(0.5)) await round.person.act();
  }
};

export const stories: Readonly<Record<ScenarioName, Story>> = {
  engine: storm,
  family: storm,
  git: storm,
  twice: storm,
  signals: storm,
  rebase: storm,
  merge: storm,
  'in-place': storm,
  engines: storm,
  clock: storm,
  copy: storm,
  move: storm,
  lock: storm,
};
