import path from 'node:path';
import { cleanReport } from '../core/loop/clean-event.ts';
import type { Loop } from '../core/loop/loop.ts';
import {
  createLevel,
  createReport,
  levelNames,
  type Check,
  type Level,
  type LevelName,
  type VerificationReport,
} from '../core/verdict/report.ts';
import { clearAbove } from './clear-above.ts';
import { withCleanRoom } from './clean-room.ts';
import { compareWithBase, replacedJudges } from './compare-with-base.ts';
import type { Engine } from './engine.ts';
import { environmentRecord } from './environment-record.ts';
import type { JudgedFiles } from './judged-files.ts';
import { runFixtures } from './level/black-box.ts';
import { runCommands } from './level/commands.ts';
import { judgeContracts } from './level/contracts.ts';
import { keepEvidence } from './keep-evidence.ts';
import { judgeLeftovers } from './level/sanity.ts';

type Levels = Partial<Record<LevelName, Level>>;

type RunLevel = (
  engine: Engine,
  loop: Loop,
  judged: JudgedFiles,
  signal: AbortSignal,
) => Promise<readonly Check[] | null>;

const runLevel: Readonly<Record<LevelName, RunLevel>> = {
  L0: judgeContracts,
  L1: runCommands,
  L2: runFixtures,
  L3: judgeLeftovers,
};

/** Executes every check of the loop and stores the report beside the evidence. Null when it was cut short. */
export async function runVerification(
  engine: Engine,
  loop: Loop,
  judged: JudgedFiles,
  signal: AbortSignal,
): Promise<VerificationReport | null> {
  if (!loop.settings.verify['clean-room']) return verify(engine, loop, judged, signal);
  return withCleanRoom(
    engine,
    loop,
    judged,
    (clean) => verify(engine, loop, clean, signal),
    signal,
  );
}

async function verify(
  engine: Engine,
  loop: Loop,
  judged: JudgedFiles,
  signal: AbortSignal,
): Promise<VerificationReport | null> {
  await clearAbove(engine, judged.cwd);
  const started = engine.clock.monotonic();
  const before = await replacedJudges(engine, loop, judged, signal);
  const levels = await runLevels(engine, loop, judged, signal);
  if (levels === null) return null;
  const duration = Math.round(engine.clock.monotonic() - started);
  const found: VerificationReport = {
    ...createReport(levels, judged.tree, duration),
    ...(judged.commit === null ? {} : { commit: judged.commit }),
    environment: environmentRecord(engine, loop, judged),
  };
  // As the base's report is stored, with which it is compared.
  const executed = cleanReport(found, engine.clean);
  const compared = await compareWithBase(engine, loop, judged, executed, before, signal);
  const report = cleanReport(compared, engine.clean);
  await engine.artifacts.write(
    path.join(judged.dir, 'verification.json'),
    `${JSON.stringify(report, null, 2)}\n`,
  );
  return report;
}

/** Level by level until one fails. The base runs through all of them: later reports are compared with its tests. */
async function runLevels(
  engine: Engine,
  loop: Loop,
  judged: JudgedFiles,
  signal: AbortSignal,
): Promise<Levels | null> {
  const levels: Levels = {};
  for (const name of levelNames) {
    const started = engine.clock.monotonic();
    const checks = await runLevel[name](engine, loop, judged, signal);
    if (checks === null) return null;
    if (checks.length === 0) continue;
    const took = Math.round(engine.clock.monotonic() - started);
    const level = createLevel(await keepEvidence(engine, judged.dir, name, checks, took));
    levels[name] = level;
    if (level.passed === false && judged.work !== null) break;
  }
  return levels;
}
