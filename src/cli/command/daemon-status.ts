import { connectDaemon } from '../../daemon/connect.ts';
import { isDaemonLocked } from '../../daemon/lock.ts';
import { readRegistration } from '../../daemon/registration.ts';
import type { DaemonStatus } from '../../protocol/http/payload.ts';
import type { Command } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { wantsJson } from '../input.ts';
import { formatDuration, plural } from '../render/format.ts';
import { waitingForPlace } from '../render/waiting-text.ts';
import { statusText } from '../render/status-word.ts';
import { oneLine } from '../render/story-line.ts';

export const daemonStatus: Command = {
  path: ['daemon', 'status'],
  summary: 'Show what the daemon drives and where it answers.',
  details: 'Exit code: 0 when it runs, 3 when it does not.',
  examples: [{ line: 'loopwright daemon status', does: 'Shows process, address and loops.' }],

  async run(input, context) {
    await using opened = await context.open({ startsNothing: true });
    const { stateDir } = opened.engine;
    const connected = await connectDaemon(stateDir);
    if (connected === null) {
      const text = await whyNone(stateDir);
      if (wantsJson(input))
        context.out.write(`${JSON.stringify({ state: 'none', text, exitCode: 3 })}\n`);
      else context.out.write(`${text}\n`);
      return exitCodes.refused;
    }
    const status = await connected.client.call('daemon');
    const { url, socket } = connected.registration;
    if (wantsJson(input)) {
      context.out.write(`${JSON.stringify({ ...status, url, socket, exitCode: 0 })}\n`);
    } else context.out.write(renderStatus(status, url, context));
    return exitCodes.ok;
  },
};

async function whyNone(stateDir: string): Promise<string> {
  if (isDaemonLocked(stateDir)) return 'a daemon is starting or ending: it does not answer yet';
  const left = await readRegistration(stateDir);
  const crashed = left === null ? '' : ` (process ${left.pid} ended without a goodbye)`;
  return `no daemon works for this repository${crashed}; start one with \`loopwright daemon start\``;
}

function renderStatus(status: DaemonStatus, url: string, { clock }: CliContext): string {
  const age = formatDuration(Math.max(0, clock.now() - Date.parse(status.startedAt)));
  const { maxAgents } = status.limits;
  const working = status.driven.filter((loop) => loop.status !== 'waiting').length;
  const lines = [
    `daemon ${status.id}  ${status.state} for ${age} · process ${status.pid} · Loopwright ${status.version}`,
    `  ${url} · ${plural(status.readers, 'reader')} of events`,
    `  ${working} of ${plural(maxAgents, 'place')} taken${status.takesReady ? '' : ' · idle: takes no task by itself'}`,
    ...(status.problem === null ? [] : [`  cannot look for work: ${status.problem}`]),
    ...status.driven.map((loop) => {
      const wait = loop.waitingUntil === null ? '' : ` until ${loop.waitingUntil}`;
      return `  ${loop.loop}  ${statusText(loop.status, loop.reason)}${wait} · iteration ${loop.iterations} · ${oneLine(loop.title, 80)}`;
    }),
    ...status.waiting.map((each) => `  ${each.task}  ${waitingForPlace(each)}`),
    ...status.refused.map(({ id, text, retryInMs }) => {
      return `  ${id}  not started: ${oneLine(text, 160)} · next try in ${formatDuration(retryInMs)}`;
    }),
  ];
  return `${lines.join('\n')}\n`;
}
