import type { Settings } from '../../core/config/schema.ts';
import type { Notification } from '../../core/notify/notification.ts';
import type { Supervisor } from '../../ports/process.ts';
import type { NotifyChannel, NotifyChannels } from '../../ports/notify.ts';

type Webhook = Settings['notify']['webhooks'][number];

export type ChannelOptions = {
  readonly supervisor: Pick<Supervisor, 'run'>;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly platform: string;
};

/** Desktop, webhooks and a command of the user's, as the settings say. Answers are remembered per settings. */
export function createChannels(options: ChannelOptions): NotifyChannels {
  const known = new WeakMap<Settings['notify'], readonly NotifyChannel[]>();
  return (settings) => {
    const found = known.get(settings);
    if (found !== undefined) return found;
    const { desktop, webhooks, command } = settings;
    const channels = [
      ...(desktop ? [desktopChannel(options)] : []),
      ...webhooks.map(webhookChannel),
      ...(command === null ? [] : [commandChannel(command, options)]),
    ];
    known.set(settings, channels);
    return channels;
  };
}

function webhookChannel(webhook: Webhook): NotifyChannel {
  const { host } = new URL(webhook.url);
  return {
    // The address itself is a secret at Slack and Discord.
    name: `the webhook at ${host}`,
    async send(notification, signal) {
      const response = await fetch(webhook.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(webhook.format, notification)),
        signal,
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`it answered with status ${response.status}`);
    },
  };
}

function bodyOf(format: Webhook['format'], notification: Notification): unknown {
  const { kind, title, text, loopId, taskId, isCritical } = notification;
  const line = `[${kind}] ${title}: ${text} (${loopId})`;
  switch (format) {
    case 'slack':
      // Angle brackets and ampersands are markup there.
      return {
        text: line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
      };
    case 'discord':
      // Nobody is called by what an agent wrote.
      return { content: line.slice(0, 1900), allowed_mentions: { parse: [] } };
    case 'json':
      return { kind, title, text, loop: loopId, task: taskId, critical: isCritical };
  }
}

function desktopChannel(options: ChannelOptions): NotifyChannel {
  return {
    name: 'the desktop',
    send: (notification, signal) => {
      const { title, text } = {
        title: `Loopwright: ${notification.kind}`,
        text: `${notification.title}: ${notification.text}`,
      };
      const argv: readonly [string, ...string[]] =
        options.platform === 'darwin'
          ? [
              'osascript',
              '-e',
              'on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run',
              title,
              text,
            ]
          : ['notify-send', '--app-name=Loopwright', '--', title, text];
      return run(argv, null, options, signal);
    },
  };
}

function commandChannel(command: string, options: ChannelOptions): NotifyChannel {
  return {
    name: 'the command of `notify.command`',
    send: (notification, signal) =>
      run(
        ['sh', '-c', command],
        `${JSON.stringify(bodyOf('json', notification))}\n`,
        options,
        signal,
      ),
  };
}

async function run(
  argv: readonly [string, ...string[]],
  stdin: string | null,
  { supervisor, env, cwd }: ChannelOptions,
  signal: AbortSignal,
): Promise<void> {
  const spec = {
    argv,
    cwd,
    env,
    stdin,
    stdoutFile: null,
    stderrFile: null,
    tailBytes: 1000,
    timeoutMs: 10_000,
    graceMs: 1000,
  };
  const { end, stderrTail } = await supervisor.run(spec, {}, signal);
  if (end.kind === 'exited' && end.code === 0) return;
  const why = end.kind === 'not-started' ? end.error : stderrTail.trim().slice(-200);
  throw new Error(`${argv[0]} ${end.kind}${why === '' ? '' : `: ${why}`}`);
}
