/** Starts trials in an empty network where the machine allows it. */
import { spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { CliAgent } from '../../../src/adapters/agents/cli-registry.ts';
import { tempDir } from '../temp-dir.ts';
import type { LoopTrialResult } from './loop-trial.ts';
import type { Trial, TrialResult } from './trial.ts';

export type TrialsResult = {
  readonly trials: readonly TrialResult[];
  readonly loops: readonly LoopTrialResult[];
  /** Names that were looked up; null when that could not be watched. */
  readonly names: readonly string[] | null;
};

type Line =
  | { readonly kind: 'trial'; readonly result: TrialResult }
  | { readonly kind: 'loop'; readonly result: LoopTrialResult }
  | { readonly kind: 'names'; readonly names: readonly string[] };

const program = path.resolve(import.meta.dirname, '../../adapters/agents/programs/trials.ts');
const enter = 'ip link set lo up && mount --bind "$1" /etc/resolv.conf && shift && exec "$@"';

export async function runTrials(
  trials: readonly Trial[],
  loops: readonly CliAgent[],
): Promise<TrialsResult> {
  await using dir = await tempDir();
  const resolver = path.join(dir.path, 'resolv.conf');
  await writeFile(resolver, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
  const walls = emptyNetwork(resolver);
  const [command, ...args] = [...(walls ?? []), process.execPath, program];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(JSON.stringify({ trials, loops, hasNameServer: walls !== null }));
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const lines = output
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Line => JSON.parse(line));
  const names = lines.find((line) => line.kind === 'names');
  if (names === undefined) throw new Error(`the trials did not end: ${complaints.slice(-2000)}`);
  return {
    trials: lines.flatMap((line) => (line.kind === 'trial' ? [line.result] : [])),
    loops: lines.flatMap((line) => (line.kind === 'loop' ? [line.result] : [])),
    names: walls === null ? null : names.names,
  };
}

/** What to start a program with so that it has a loopback and nothing else; null where that is not possible. */
function emptyNetwork(resolver: string): readonly string[] | null {
  const forms = [
    ['unshare', '--net', '--mount'],
    ['unshare', '--map-root-user', '--net', '--mount'],
  ];
  for (const form of forms) {
    const walls = [...form, 'sh', '-c', enter, 'sh', resolver];
    const [command, ...args] = [...walls, 'true'];
    const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    if (status === 0) return walls;
    process.stderr.write(`no empty network with ${form.join(' ')}: ${(stderr ?? '').trim()}\n`);
  }
  return null;
}
