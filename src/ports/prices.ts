import type { PriceLookup } from '../core/price/price.ts';

/** The price list that comes with the program. Loading it takes some time, so nobody does before it is needed. */
export interface ShippedPrices {
  /** Any number of times; never uses the network. */
  load(): Promise<PriceLookup>;
}
