import type { Settings } from '../config/schema.ts';

export function hookModules({ hooks }: Pick<Settings, 'hooks'>): readonly string[] {
  const all = Object.values(hooks).flat();
  return all.flatMap((hook) => ('module' in hook ? [hook.module] : []));
}

/** Modules of the user's that are loaded while a loop runs: no agent may change them. */
export function loadedModules(settings: Pick<Settings, 'hooks' | 'strategy'>): readonly string[] {
  const { module } = settings.strategy;
  const all = [...hookModules(settings), ...(module === undefined ? [] : [module])];
  return all.map((file) => file.replace(/^(?:\.\/)+/, ''));
}
