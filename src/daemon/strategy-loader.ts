import { stat } from 'node:fs/promises';
import path from 'node:path';
import { loadStrategyModule } from '../adapters/strategy/strategy-module.ts';
import type { Settings } from '../core/config/schema.ts';
import { checkEnvironment } from '../core/env/allow-list.ts';
import { createLoopStrategy } from '../core/strategy/registry.ts';
import type { LoopStrategy } from '../core/strategy/strategy.ts';
import type { Supervisor } from '../ports/process.ts';

type Parts = {
  readonly supervisor: Supervisor;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly root: string;
};

/** Built-in strategies are pure; a custom one is a module of the user's checkout, which is loaded again when its file changes. */
export function createStrategyLoader(parts: Parts): (settings: Settings) => Promise<LoopStrategy> {
  const loaded = new Map<string, Promise<LoopStrategy>>();
  return async (settings) => {
    const { module, ...config } = settings.strategy;
    if (config.name !== 'custom' || module === undefined) return createLoopStrategy(config);
    const { pass, set } = settings.env;
    const env = checkEnvironment(parts.env, { pass, set, reserved: {} });
    const found = await stat(path.resolve(parts.root, module)).catch(() => null);
    const key = JSON.stringify([module, found?.mtimeMs, pass, set]);
    const strategy = loaded.get(key) ?? loadStrategyModule(module, { ...parts, env });
    loaded.set(key, strategy);
    // A module that could not be loaded may be corrected without a change of its own file.
    strategy.catch(() => loaded.delete(key));
    return strategy;
  };
}
