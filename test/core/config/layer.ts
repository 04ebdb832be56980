import { isLoopwrightError } from '../../../src/core/error.ts';
import type { Layer } from '../../../src/core/config/merge.ts';
import type { LayerName } from '../../../src/core/config/place.ts';
import type { Tree } from '../../../src/core/config/tree.ts';

export function layer(name: LayerName, tree: Tree): Layer {
  return { name, tree, places: new Map(), source: {} };
}

/** The message of the configuration error that `run` throws. */
export function problemsOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (isLoopwrightError(error) && error.code === 'config.invalid') return error.message;
    throw error;
  }
  throw new Error('expected a configuration error');
}
