/** A test of the engine's own. `token` is part of its name and of no other name; `says` is what it does, in words. */
export type Trap = { readonly token: string; readonly says: string };

export type Snippet = {
  /** What a test does that must fail, or what a must-pass test has found when it fails. */
  readonly says: string;
  readonly body: readonly string[];
};

/** A test file of the base that shows how tests are written there. */
export type Neighbour = { readonly path: string; readonly text: string };

export type Scene = {
  /** Random letters: the word of the file's name, and the start of every test's. */
  readonly word: string;
  readonly neighbour: Neighbour;
  /** What the tests of the base load, as a file beside the neighbour has to write it. */
  readonly loads: readonly string[];
  /** Files of the product that the loop changed. */
  readonly changed: readonly string[];
  /** Takes the name of the next test. */
  readonly fails: (says: string) => string;
  readonly passes: (says: string) => string;
};

/** How a runner's tests are written. Data and text only: a new runner is one of these and a line in the table. */
export type Template = {
  /** Names of the runner as `parseTests` says them. */
  readonly runners: readonly string[];
  readonly extensions: readonly string[];
  /** Whether a file is one of this runner's tests. */
  readonly fits: (neighbour: Neighbour) => boolean;
  readonly loads: (neighbour: Neighbour, world: World) => readonly Load[];
  readonly write: (scene: Scene) => string;
  /** A file more for each folder with changes, where tests load only what stands beside them. */
  readonly perFolder?: true;
  /** Its tests go to the end of changed files of the product, where the tests of the base stand too. */
  readonly inside?: true;
  /** It builds the package as a whole: what was changed is part of every test. */
  readonly isWhole?: true;
  /** It stops at the first file that fails, and takes them by name: ours comes first. */
  readonly stopsEarly?: true;
};

export type World = {
  /** Every file that is there when it runs. */
  readonly files: ReadonlySet<string>;
};

/** Something a test of the base loads. `file` is where it stands, if that is known. */
export type Load = { readonly spec: string; readonly file: string | null };

/** `compares 41 with 42` is a sentence of a finding; the values are no ones that tests are likely to use. */
export const low = 4127;
export const high = 7214;

/** Lines of a test: an empty one, its head, its body further in, its end. */
export function testLines(
  head: readonly string[],
  body: readonly string[],
  indent: string,
  end: readonly string[],
): readonly string[] {
  return ['', ...head, ...body.map((line) => (line === '' ? '' : indent + line)), ...end];
}
