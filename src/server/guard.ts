import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { fullBucket, takeToken, type Bucket, type Rate } from '../core/rate/bucket.ts';
import type { Clock } from '../ports/clock.ts';
import { protocolHeader, protocolVersion } from '../protocol/http/route.ts';
import { Refusal } from './refusal.ts';

/** Sent with every answer. Nothing here is ever a page, and nobody else may read it. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

const known: Rate = { perSecond: 200, burst: 400 };
/** Whoever does not know the token. */
const unknown: Rate = { perSecond: 10, burst: 20 };

export type GuardOptions = {
  readonly token: string;
  readonly version: string;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The port of the loopback address; null for the unix socket, whose clients say `localhost`. */
  port(): number | null;
};

/** Looks at everything about a request but its path and body. Throws what to answer instead. */
export class Guard {
  readonly #options: GuardOptions;
  readonly #token: Buffer;
  #trusted: Bucket = fullBucket;
  #strangers: Bucket = fullBucket;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#token = Buffer.from(options.token);
  }

  check({ headers }: IncomingMessage): void {
    this.#checkHost(headers.host);
    this.#checkOrigin(headers.origin, headers['sec-fetch-site']);
    const isTrusted = this.#knowsToken(headers.authorization);
    this.#checkRate(isTrusted);
    if (!isTrusted) {
      throw new Refusal(401, 'http.unauthorised', 'the token is missing or wrong', {
        hint: 'send `Authorization: Bearer TOKEN`; the token is in .loopwright/daemon.json',
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
    this.#checkProtocol(headers[protocolHeader]);
  }

  /** Another name that leads here is how a web page reaches a server it must not reach. */
  #checkHost(host: string | undefined): void {
    if (host !== undefined && this.#hosts().includes(host)) return;
    throw new Refusal(421, 'http.host', 'this server answers only to its own address');
  }

  #hosts(): readonly string[] {
    const port = this.#options.port();
    if (port === null) return ['localhost'];
    return ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  }

  #checkOrigin(origin: string | undefined, site: string | string[] | undefined): void {
    const isOwn = origin === undefined || this.#hosts().some((host) => origin === `http://${host}`);
    const isHere = site === undefined || site === 'same-origin' || site === 'none';
    if (isOwn && isHere) return;
    throw new Refusal(403, 'http.origin', 'requests of other web pages are refused');
  }

  #checkRate(isTrusted: boolean): void {
    const now = this.#options.clock.monotonic();
    const bucket = isTrusted ? this.#trusted : this.#strangers;
    const taken = takeToken(bucket, isTrusted ? known : unknown, now);
    if (!taken.ok) {
      const seconds = String(Math.ceil(taken.retryAfterMs / 1000));
      throw new Refusal(429, 'http.too_many', 'too many requests', {
        headers: { 'retry-after': seconds },
      });
    }
    if (isTrusted) this.#trusted = taken.bucket;
    else this.#strangers = taken.bucket;
  }

  #knowsToken(authorization: string | undefined): boolean {
    const given = /^Bearer ([\w-]{1,200})$/.exec(authorization ?? '')?.[1];
    if (given === undefined) return false;
    const bytes = Buffer.from(given);
    return bytes.length === this.#token.length && timingSafeEqual(bytes, this.#token);
  }

  #checkProtocol(given: string | string[] | undefined): void {
    if (given === undefined || given === String(protocolVersion)) return;
    const text = `this daemon is Loopwright ${this.#options.version} and speaks protocol ${protocolVersion}, not ${String(given)}`;
    throw new Refusal(409, 'daemon.protocol', text, {
      hint: 'start it anew: `loopwright daemon stop`, then `loopwright daemon start`',
    });
  }
}
