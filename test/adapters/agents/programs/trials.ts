/** Runs trials of agent CLIs in a process of its own, so that it can be put into a network without a way out. */
import { createSocket } from 'node:dgram';
import { text } from 'node:stream/consumers';
import type { CliAgent } from '../../../../src/adapters/agents/cli-registry.ts';
import { startModelServer } from '../../../../src/adapters/model-server/model-server.ts';
import { createSupervisor } from '../../../../src/adapters/process/supervisor.ts';
import { runLoopTrial } from '../../../support/agent-cli/loop-trial.ts';
import { runTrial, type Trial } from '../../../support/agent-cli/trial.ts';

type Request = {
  readonly trials: readonly Trial[];
  readonly loops: readonly CliAgent[];
  /** Whether names are asked for here. */
  readonly hasNameServer: boolean;
};

const request: Request = JSON.parse(await text(process.stdin));
const names = await listenForNames(request.hasNameServer);
await using server = await startModelServer();
await using supervisor = createSupervisor();
const waiting = [...request.trials];

function print(result: object): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

async function work(): Promise<void> {
  for (let trial = waiting.shift(); trial !== undefined; trial = waiting.shift()) {
    const {
      stdout: _stdout,
      stderr: _stderr,
      ...result
    } = await runTrial(trial, server, supervisor);
    print({ kind: 'trial', result });
  }
}

// Two at once: they wait for each other's processes more than for the processor.
await Promise.all([work(), work()]);
for (const agent of request.loops) {
  print({ kind: 'loop', result: await runLoopTrial(agent, server) });
}
print({ kind: 'names', names: [...names.asked] });
names.close();

/** Keeps the names that programs here ask for. Nobody gets an answer. */
async function listenForNames(isWanted: boolean) {
  const asked = new Set<string>();
  if (!isWanted) return { asked, close: () => undefined };
  const socket = createSocket('udp4');
  socket.on('message', (query) => asked.add(nameOf(query)));
  await new Promise<void>((resolve) => {
    socket.bind(53, '127.0.0.1', resolve);
  });
  return { asked, close: () => socket.close() };
}

/** The first name of a DNS query: parts with their lengths before them, after twelve bytes of header. */
function nameOf(query: Buffer): string {
  const parts: string[] = [];
  for (let at = 12; at < query.length;) {
    const length = query[at] ?? 0;
    if (length === 0) break;
    parts.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return parts.join('.');
}
