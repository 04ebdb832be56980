import type { Gate } from '../../core/config/section/gates.ts';
import type { PricedUsage } from '../../core/price/price.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';

/** What one look at a gate gave. */
export type GateLook =
  | {
      readonly kind: 'judged';
      readonly passed: boolean;
      readonly reason: string;
      readonly output?: string;
      readonly command?: string;
      readonly exitCode?: number | null;
      /** Relative to the folder of the iteration. */
      readonly evidence?: string;
      /** What an agent that was asked used. */
      readonly usage?: PricedUsage;
    }
  /** Nothing can be said yet: look again then. */
  | { readonly kind: 'wait'; readonly until: number; readonly text: string }
  /** Somebody asked to stop. */
  | { readonly kind: 'cut' };

export type GateOf<T extends Gate['type']> = Extract<Gate, { type: T }>;

export type LookAt<T extends Gate['type']> = (
  engine: Engine,
  owner: LoopOwner,
  gate: GateOf<T>,
) => Promise<GateLook>;

export function passed(reason: string): GateLook {
  return { kind: 'judged', passed: true, reason };
}

export function failed(reason: string, output = ''): GateLook {
  return { kind: 'judged', passed: false, reason, output };
}
