/**
 * What it costs to take in a program's output: `node scripts/stream-cost.ts`. CPU time and memory of this process, which
 * hold on a busy machine, for a stream of many lines and for one line without end, kept in a file.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSupervisor } from '../src/adapters/process/supervisor.ts';
import type { ProcessSpec } from '../src/ports/process.ts';

const mb = 1024 * 1024;
const folder = mkdtempSync(path.join(tmpdir(), 'loopwright-stream-cost-'));
const json = `{"type":"assistant","message":{"content":[{"type":"text","text":"${'a word or two, task-wise; '.repeat(120)}"}]}}`;
const kinds: readonly (readonly [string, string])[] = [
  ['lines of 3 KB', `yes '${json}'`],
  ['lines of 17 bytes', 'yes 0123456789abcdef'],
  ['one line', `tr '\\0' a < /dev/zero`],
];
const sizes = [1, 50, 1024];
const never = new AbortController().signal;
const supervisor = createSupervisor();

function specOf(script: string): ProcessSpec {
  return {
    argv: ['/bin/sh', '-c', script],
    cwd: folder,
    env: { PATH: '/usr/bin:/bin', API_TOKEN: 'some-value-to-be-kept' },
    stdin: null,
    stdoutFile: path.join(folder, 'stdout'),
    stderrFile: null,
    tailBytes: 65_536,
    timeoutMs: null,
    graceMs: 200,
  };
}

console.log('output                     MB   wall ms   CPU ms   CPU MB/s   RSS growth MB');
for (const [name, script] of kinds) {
  for (const size of sizes) {
    const spec = specOf(`${script} | head -c ${size * mb}`);
    const before = process.memoryUsage.rss();
    let peak = before;
    const looking = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 5);
    const cpu = process.cpuUsage();
    const startedAt = performance.now();
    await supervisor.run(spec, { line: () => undefined }, never);
    const wallMs = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(cpu);
    clearInterval(looking);
    const cpuMs = (user + system) / 1000;
    const cells = [size, wallMs, cpuMs, size / (cpuMs / 1000), (peak - before) / mb];
    console.log(name.padEnd(20), ...cells.map((cell) => cell.toFixed(0).padStart(9)));
  }
}
rmSync(folder, { recursive: true });
await supervisor[Symbol.asyncDispose]();
