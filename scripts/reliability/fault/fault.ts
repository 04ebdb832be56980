/** A test by its file below `test/` and its title as it stands there. */
export type TestRef = { readonly file: string; readonly title: string };

/** One way in which the world can fail a loop, what follows, and what shows it. */
export type Fault = {
  readonly id: string;
  readonly fault: string;
  readonly follows: string;
  readonly tests: readonly TestRef[];
  /** What no test here shows, and why. */
  readonly untested?: string;
};

export function at(file: string, ...titles: readonly string[]): readonly TestRef[] {
  return titles.map((title) => ({ file, title }));
}
