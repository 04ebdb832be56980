/**
 * Measures what the confirmation of one completion costs in a real project:
 *
 *     node scripts/confirmation-cost.ts NAME FOLDER CHECK CHANGE STEP
 *
 * FOLDER is a throwaway checkout in which CHECK passes; STEP is a shell command that makes the CHANGE. The row goes into
 * scripts/verification/costs.json.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openedProject } from '../test/support/opened-project.ts';
import { costsFile, readCosts } from './verification/costs.ts';

const [project = '', folder = '', check = '', change = '', step = ''] = process.argv.slice(2);
const scratch = await mkdtemp(path.join(tmpdir(), 'cost-'));
try {
  const script = path.join(scratch, 'script.yml');
  const final = '<task-done>{{task-id}}</task-done>';
  await writeFile(script, JSON.stringify({ iterations: [{ steps: [{ run: step }], final }] }));
  const home = path.join(scratch, 'home');
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  await using opened = await openedProject(
    { path: path.resolve(folder), env },
    { agent: `scripted:${script}`, validate: check, 'max-iterations': 1 },
  );
  const loop = await opened.runText('measure');
  const confirmation = loop.iterations.at(-1)?.confirmation;
  if (loop.status !== 'complete' || confirmation === undefined) {
    throw new Error(`the loop is ${loop.status}: ${loop.reason ?? confirmation?.why ?? ''}`);
  }
  const { runs, checkMs, durationMs: confirmationMs } = confirmation;
  const row = {
    project,
    check,
    change,
    runs: runs.map(({ kind }) => kind),
    checkMs,
    confirmationMs,
  };
  const others = (await readCosts()).filter(
    (each) => each.project !== project || each.change !== change,
  );
  await writeFile(costsFile, `${JSON.stringify([...others, row], null, 2)}\n`);
  console.log(JSON.stringify(row));
} finally {
  await rm(scratch, { recursive: true, force: true });
}
