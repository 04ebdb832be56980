import type { Engine } from '../engine/engine.ts';
import type { Session } from '../ports/store.ts';
import type { DaemonStatus, Health } from '../protocol/http/payload.ts';

/** What the routes act upon. */
export type Backend = {
  readonly engine: Engine;
  /** Owns what a request changes at a loop nobody else owns. */
  readonly session: Session;
  health(): Health;
  status(): Promise<DaemonStatus>;
  /** Takes every task that is ready from now on. */
  takeReady(): void;
  /** Begins the end; asking again cuts. */
  shutdown(now: boolean): void;
};
