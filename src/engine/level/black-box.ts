import type { Loop } from '../../core/loop/loop.ts';
import { judgeFixture, type Fixture } from '../../core/verdict/black-box.ts';
import type { Check } from '../../core/verdict/report.ts';
import type { Engine } from '../engine.ts';
import { readJudge, type JudgedFiles } from '../judged-files.ts';
import { runCommand } from '../run-command.ts';
import { matchesPattern } from '../time-box.ts';
import { outputHash } from './commands.ts';
import { withRetries } from './retries.ts';

/** L2: commands seen from outside. Null when it was cut short. */
export async function runFixtures(
  engine: Engine,
  loop: Loop,
  judged: JudgedFiles,
  signal: AbortSignal,
): Promise<readonly Check[] | null> {
  const checks: Check[] = [];
  for (const fixture of loop.settings.verify.fixtures) {
    const check = await withRetries(loop, () => runFixture(engine, loop, fixture, judged, signal));
    if (check === null) return null;
    checks.push(check);
  }
  return checks;
}

async function runFixture(
  engine: Engine,
  loop: Loop,
  fixture: Fixture,
  { cwd, dir, room }: JudgedFiles,
  signal: AbortSignal,
): Promise<Check | null> {
  const name = `L2-${fixture.name}`;
  const { command, stdin, timeout: timeoutMs, expect } = fixture;
  const spec = {
    name,
    command,
    timeoutMs,
    dir,
    cwd,
    walled: true,
    ...room,
    ...(stdin === undefined ? {} : { stdin }),
  };
  const read = async (file: string | undefined) =>
    file === undefined ? null : readJudge(engine, loop, file, signal);
  const expectedText = await read(expect.equals_file);
  const schema = await read(expect.json_schema);
  await engine.reach('before:run-check');
  const result = await runCommand(engine, loop, spec, signal);
  await engine.reach('after:run-check');
  if (result.end.kind === 'cancelled') return null;
  const { problemsWith } = await import('./judged-data.ts');
  const check = judgeFixture(fixture, {
    end: result.end,
    stdout: result.stdout,
    stderr: result.stderr,
    isCut: result.isCut,
    durationMs: result.durationMs,
    evidence: `${name}.stdout.log`,
    expectedText,
    matches: matchesPattern,
    schemaProblems: (data) => problemsWith(schema, data),
  });
  return { ...check, outputHash: await outputHash(engine, dir, name) };
}
