import { allow } from '../core/notify/allowance.ts';
import { notificationOf, type Notification } from '../core/notify/notification.ts';
import type { Settings } from '../core/config/schema.ts';
import type { Clock } from '../ports/clock.ts';
import type { LiveEvent } from '../ports/live.ts';
import type { AllowanceKeeper, NotifyChannel, NotifyChannels } from '../ports/notify.ts';

export type NotifierOptions = {
  readonly clock: Clock;
  readonly channels: NotifyChannels;
  /** What was sent lately, by whichever process. */
  readonly allowance: AllowanceKeeper;
  /** Minutes since local midnight. */
  readonly minuteOfDay: () => number;
  readonly redact: (text: string) => string;
  /** Told when a channel does not work, once until it works again. */
  readonly warn: (text: string) => void;
};

const sendMs = 10_000;
const maxPending = 50;
const goodbyeMs = 5000;

/**
 * Tells people what needs them. Everything happens beside the loops: a channel that is slow or down delays nobody, and what
 * piles up behind it is given up with a warning.
 */
export class Notifier implements AsyncDisposable {
  readonly #options: NotifierOptions;
  readonly #closing = new AbortController();
  readonly #broken = new Set<string>();
  #pending = 0;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** To be called with every live event. Returns at once. */
  observe(event: LiveEvent): void {
    if (event.kind !== 'recorded') return;
    const { notify } = event.loop.settings;
    const channels = this.#options.channels(notify);
    if (channels.length === 0) return;
    const notification = notificationOf(event.recorded, event.loop);
    if (notification !== null) this.#offer(notification, notify, channels);
  }

  #offer(
    notification: Notification,
    notify: Settings['notify'],
    channels: readonly NotifyChannel[],
  ): void {
    if (this.#pending >= maxPending) {
      this.#options.warn(
        'notifications pile up and are given up; see `notify` in the configuration',
      );
      return;
    }
    this.#pending += 1;
    this.#sending = this.#sending.then(async () => {
      await this.#tell(notification, notify, channels);
      this.#pending -= 1;
    });
  }

  async #tell(
    notification: Notification,
    notify: Settings['notify'],
    channels: readonly NotifyChannel[],
  ): Promise<void> {
    const { redact } = this.#options;
    const allowed = await this.#ask(notification, notify);
    if (!allowed.send) return;
    const more = allowed.heldBack === 0 ? '' : ` (and ${allowed.heldBack} more since)`;
    const text = redact(`${notification.text}${more}`);
    const told = { ...notification, title: redact(notification.title), text };
    await Promise.all(channels.map((channel) => this.#send(channel, told)));
  }

  /** Whether it may be sent now, and how many were held back before it. Nobody to ask: it is sent. */
  async #ask(
    { isCritical }: Notification,
    notify: Settings['notify'],
  ): Promise<{ readonly send: boolean; readonly heldBack: number }> {
    const { clock, minuteOfDay, allowance, warn } = this.#options;
    const limits = {
      minIntervalMs: notify['min-interval'],
      perHour: notify['max-per-hour'],
      quietHours: notify['quiet-hours'],
    };
    const signal = AbortSignal.any([AbortSignal.timeout(sendMs), this.#closing.signal]);
    try {
      return await allowance.change((known) => {
        const at = { now: clock.now(), minute: minuteOfDay(), isCritical };
        return { heldBack: known.heldBack, ...allow(known, limits, at) };
      }, signal);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!this.#closing.signal.aborted) warn(`warning: notifications are not limited: ${why}`);
      return { send: true, heldBack: 0 };
    }
  }

  async #send(channel: NotifyChannel, notification: Notification): Promise<void> {
    const timeout = AbortSignal.timeout(sendMs);
    const signal = AbortSignal.any([timeout, this.#closing.signal]);
    try {
      await channel.send(notification, signal);
      this.#broken.delete(channel.name);
    } catch (error) {
      if (this.#broken.has(channel.name) || this.#closing.signal.aborted) return;
      this.#broken.add(channel.name);
      const why = error instanceof Error ? error.message : String(error);
      this.#options.warn(`warning: ${channel.name} cannot be reached: ${why}`);
    }
  }

  /** What is under way has a moment to be sent. */
  async [Symbol.asyncDispose](): Promise<void> {
    const done = new AbortController();
    const late = this.#options.clock.sleep(goodbyeMs, done.signal).then(
      () => this.#closing.abort(),
      () => {
        // Everything was sent.
      },
    );
    await this.#sending;
    done.abort();
    await late;
  }
}
