import { lastIteration, type Loop } from '../../core/loop/loop.ts';
import { changedPaths, noChanges, type FileChanges } from '../../core/loop/changes.ts';
import {
  judgeForbidden,
  judgeNaming,
  judgeRequired,
  judgeRule,
  writtenPaths,
  type ContentRule,
} from '../../core/verdict/contracts.ts';
import type { Check } from '../../core/verdict/report.ts';
import type { Engine } from '../engine.ts';
import { readJudge, readJudged, type JudgedFiles, type LoopWork } from '../judged-files.ts';
import { matchesPattern } from '../time-box.ts';

/** L0: what must and must not be among the files, and what they must look like. */
export async function judgeContracts(
  engine: Engine,
  loop: Loop,
  judged: JudgedFiles,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const { contracts, allow } = loop.settings.verify;
  const checks: Check[] = [];
  if (contracts.required.length > 0) {
    const files = await engine.project.listAt(judged.tree, signal);
    checks.push(judgeRequired(contracts.required, files));
  }
  if (judged.work === null) return checks;
  const changes = await judged.work.changes(judged.work.from, judged.work.to);
  // A forbidden file is in no commit, and so not in what the loop changed so far.
  const latest = await latestChanges(loop, judged.work);
  const written = [...new Set([...writtenPaths(changes), ...writtenPaths(latest)])].toSorted();
  if (contracts.forbidden.length > 0 && written.length > 0) {
    checks.push(judgeForbidden(contracts.forbidden, allow, written));
  }
  if (contracts.naming.length > 0) {
    checks.push(judgeNaming(contracts.naming, addedPaths(changes), matchesPattern));
  }
  const touched = new Set(changedPaths(changes));
  for (const [index, rule] of contracts.rules.entries()) {
    // What the loop did not touch is as its base had it.
    if (touched.has(rule.file))
      checks.push(await judgeOne(engine, loop, judged, rule, index, signal));
  }
  return checks;
}

/** By name, also where names are not recorded: what judges has to know them. */
async function latestChanges(loop: Loop, work: LoopWork): Promise<FileChanges> {
  const { changes = null, startTree, tree } = lastIteration(loop) ?? {};
  if (changes?.untracked === undefined) return changes ?? noChanges;
  return startTree === undefined || tree == null ? noChanges : work.changes(startTree, tree);
}

function addedPaths({ created, renamed }: FileChanges): readonly string[] {
  return [...created, ...renamed.map(({ to }) => to)].toSorted();
}

async function judgeOne(
  engine: Engine,
  loop: Loop,
  judged: JudgedFiles,
  rule: ContentRule,
  index: number,
  signal: AbortSignal,
): Promise<Check> {
  const text = await readJudged(engine, judged, rule.file, signal);
  const schema =
    rule.rule === 'json_schema' ? await readJudge(engine, loop, rule.schema, signal) : null;
  const { parseData, problemsWith } = await import('./judged-data.ts');
  const parsed = text === null ? null : parseData(text);
  return judgeRule(rule, index, {
    text,
    data: parsed?.data,
    problem: parsed?.problem ?? null,
    matches: matchesPattern,
    schemaProblems: () => problemsWith(schema, parsed?.data),
  });
}
