import type { calcPrice } from '@pydantic/genai-prices';
import { totalTokens, type Tokens } from '../../core/agent/outcome.ts';
import type { PriceLookup } from '../../core/price/price.ts';
import type { ShippedPrices } from '../../ports/prices.ts';

/** Longer names are no models. */
const maxNameChars = 128;
/** So few tokens that no price tier for long requests applies. */
const sampleTokens = 1000;

/** The list prices of `@pydantic/genai-prices`, of the day that package was made. */
export function createShippedPrices(): ShippedPrices {
  let loading: Promise<PriceLookup> | null = null;
  return {
    load() {
      loading ??= import('@pydantic/genai-prices').then((library) => lookupWith(library.calcPrice));
      return loading;
    },
  };
}

type CalcPrice = typeof calcPrice;

function lookupWith(calculate: CalcPrice): PriceLookup {
  return (model, tokens) => {
    const total = totalTokens(tokens);
    if (model.length > maxNameChars || !isSane(tokens)) return null;
    if (total === 0) return 0;
    // Totals of many requests: priced as if they were small ones, since a tier depends on the size of each.
    const scale = Math.max(1, total / sampleTokens);
    const usage = {
      input_tokens: (tokens.input + tokens.cacheRead + tokens.cacheWrite) / scale,
      cache_read_tokens: tokens.cacheRead / scale,
      cache_write_tokens: tokens.cacheWrite / scale,
      output_tokens: tokens.output / scale,
    };
    const { name, provider } = namesOf(model);
    try {
      const found = calculate(usage, name, provider === null ? {} : { providerId: provider });
      return found === null ? null : found.total_price * scale;
    } catch {
      // The list has the model and cannot price this use of it: unknown.
      return null;
    }
  };
}

function isSane(tokens: Tokens): boolean {
  return Object.values(tokens).every((count) => Number.isFinite(count) && count >= 0);
}

/** `provider/model`, and Claude Code's `model[1m]`. */
function namesOf(model: string): { readonly name: string; readonly provider: string | null } {
  const bare = model.endsWith(']') ? model.slice(0, model.lastIndexOf('[')) : model;
  const slash = bare.indexOf('/');
  if (slash === -1) return { name: bare, provider: null };
  return { name: bare.slice(slash + 1), provider: bare.slice(0, slash) };
}
