import { z } from 'zod';
import { lazy } from '../lazy.ts';

type Keys = Readonly<Record<string, () => z.ZodType>>;

/** A map of settings. Called, it is the schema of all its keys; `of` is the schema of those that somebody wrote. */
export type Section<K extends Keys = Keys> = {
  (): z.ZodObject<{ [N in keyof K]: ReturnType<K[N]> }, z.core.$strict>;
  of(names: readonly string[]): z.ZodType;
};

/** Keys are built one by one: most have their default, which is known without their schema. */
export function section<K extends Keys>(keys: K): Section<K> {
  function of(names: readonly string[]) {
    const asked = Object.entries(keys).filter(([name]) => names.includes(name));
    return z.strictObject(Object.fromEntries(asked.map(([name, make]) => [name, make()])));
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object of all keys, each made by its own function
  const whole = lazy(() => of(Object.keys(keys))) as unknown as () => ReturnType<Section<K>>;
  return Object.assign(() => whole(), { of });
}
