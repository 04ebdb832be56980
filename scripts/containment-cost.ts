/**
 * What it costs to start and end a program in each containment: `node scripts/containment-cost.ts [ROUNDS]`. Rounds of
 * the kinds alternate, so that a busy machine slows them all alike.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { candidateEnclosures, findFault } from '../src/adapters/process/containment.ts';
import { findSandboxFault } from '../src/adapters/process/sandbox.ts';
import { createSupervisor } from '../src/adapters/process/supervisor.ts';
import type { ProcessSpec } from '../src/ports/process.ts';

const rounds = Number(process.argv[2] ?? 100);
const spec: ProcessSpec = {
  argv: ['/bin/true'],
  cwd: '/',
  env: { PATH: '/usr/bin:/bin' },
  stdin: null,
  stdoutFile: null,
  stderrFile: null,
  tailBytes: 4096,
  timeoutMs: null,
  graceMs: 200,
};
const never = new AbortController().signal;

const { enclosures, obstacles } = candidateEnclosures();
const works = enclosures.filter(({ prefix }, index) => {
  const isFirst = enclosures.findIndex(({ mode }) => mode === enclosures[index]?.mode) === index;
  return isFirst && (prefix.length === 0 || findFault({ mode: 'unshare', prefix }) === null);
});
const kinds = new Map<string, () => Promise<unknown>>([
  ['spawn, pipes', () => once(spawn('/bin/true', [], { stdio: 'pipe' }), 'close')],
]);
for (const { mode } of works) {
  const supervisor = createSupervisor({ containment: mode });
  kinds.set(mode, () => supervisor.run(spec, {}, never));
}
if (findSandboxFault() === null) {
  const supervisor = createSupervisor();
  const sandbox = { network: false, writable: [], readable: [], hidden: [] };
  kinds.set('sandbox: bubblewrap', () =>
    supervisor.run({ ...spec, cwd: tmpdir(), sandbox }, {}, never),
  );
}

const times = new Map([...kinds.keys()].map((name): [string, number[]] => [name, []]));
for (let round = -5; round < rounds; round += 1) {
  for (const [name, act] of kinds) {
    const before = performance.now();
    await act();
    if (round >= 0) times.get(name)?.push(performance.now() - before);
  }
}

for (const text of obstacles) console.log(text);
console.log(`start and end of /bin/true, ms, ${rounds} rounds:  p50    p10    min`);
for (const [name, unsorted] of times) {
  const sorted = unsorted.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(1).padStart(6);
  console.log(`${name.padEnd(47)}${at(0.5)} ${at(0.1)} ${at(0)}`);
}
process.exit(0);
