/**
 * A value that is made when it is first asked for, once. Every schema is such a value: a program that builds all of them
 * before it knows which it needs starts later by that much.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
