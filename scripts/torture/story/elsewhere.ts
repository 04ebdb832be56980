import { existsSync, renameSync } from 'node:fs';
import { digest } from '../judge/user.ts';
import type { Round } from '../round.ts';
import { run } from '../shell.ts';
import { storm, sufferOne } from './storm.ts';

/**
 * The project is copied after a kill, and the copy worked on to its end: nothing of the original may change by that. Or it
 * is copied while an engine works in it, and both are worked on at once: the original notices nothing.
 */
export async function copyProject(round: Round): Promise<void> {
  const { plan, ground } = round;
  const copy = `${ground.folder}/copy`;
  const [first] = plan.blows;
  if (first === undefined || plan.chance.is(0.4)) return copyUnderLoad(round, copy);
  await sufferOne(round, first);
  await copyFolder(round, copy);
  const before = digest(ground.repo);
  const other = round.copyAt(copy);
  await other.finish();
  if (digest(ground.repo) !== before) {
    round.findings.add('userChanged', 'a run in the copy changed the original');
  }
  await storm(round, plan.blows.slice(1));
}

/** A store that is copied while it is written may be damaged, so what becomes of the copy is not judged. */
async function copyUnderLoad(round: Round, copy: string): Promise<void> {
  const engine = round.start();
  await Promise.race([
    engine.ended,
    new Promise<void>((resolve) =>
      engine.onTold((event) => {
        if (event.type === 'agent.started') resolve();
      }),
    ),
  ]);
  await copyFolder(round, copy);
  const other = round.copyAt(copy).start();
  await Promise.all([round.end(engine), other.ended]);
  await round.judgeStandstill();
}

async function copyFolder(round: Round, copy: string): Promise<void> {
  const { ground } = round;
  await run('cp', ['-a', ground.repo, copy], { cwd: ground.folder, env: ground.env });
  round.trace('copied');
}

/** The project is moved after a kill, and goes on where it is then. */
export async function moveProject(round: Round): Promise<void> {
  const { plan } = round;
  const [first, ...more] = plan.blows;
  if (first === undefined) return;
  await sufferOne(round, first);
  const old = round.ground.repo;
  const place = `${round.ground.folder}/moved`;
  renameSync(old, place);
  round.moveTo(place);
  round.trace('moved');
  await storm(round, more.slice(0, 2));
  if (existsSync(old)) round.findings.add('leftovers', 'something was written at the old place');
}
