import { compiled } from './compiled.ts';
import { respelled } from './javascript-loads.ts';
import { javascript } from './javascript.ts';
import { beside, extensionOf, folderOf, syllable, wordOf } from './name.ts';
import { python } from './python.ts';
import { scripted } from './scripted.ts';
import type { Load, Neighbour, Template, Trap } from './template.ts';

const templates: readonly Template[] = [...javascript, ...python, ...compiled, ...scripted];

export type TripwireInput = {
  /** What the run of the checks showed; several names are joined by `+`. */
  readonly framework: string;
  /** The test files of the base with their texts. */
  readonly tests: readonly Neighbour[];
  /** Every file that is there where it will run. */
  readonly files: ReadonlySet<string>;
  /** Files of the product that the loop added or changed. */
  readonly product: readonly string[];
  /** Those of them whose language has tests inside of sources, as they are where it will run. */
  readonly sources: readonly Neighbour[];
  /** Hexadecimal digits, from chance. */
  readonly nonce: string;
};

/** One dropped-in file and what its tests must say. */
export type TripwireFile = {
  readonly path: string;
  readonly text: string;
  readonly mustFail: readonly Trap[];
  readonly mustPass: readonly Trap[];
};

export type Tripwire = {
  readonly files: readonly TripwireFile[];
  /** Changed files that its tests have loaded, or that stand beside them. */
  readonly loaded: readonly string[];
  /** Files of the repository that its tests load by themselves; `whole`: the runner builds all of it. */
  readonly loads: readonly string[] | 'whole';
};

/** Extensions of languages that have tests inside of sources. */
export const sourceExtensions: readonly string[] = ['rs'];

const maxLoads = 20;
const maxFolders = 4;

/** Null for a runner that is not known, or of which the base has no test to go by. */
export function planTripwire(input: TripwireInput): Tripwire | null {
  const { framework, tests, sources, files, product, nonce } = input;
  if (product.length === 0) return null;
  const names = framework.split('+');
  const all = new Set([...files, ...product]);
  const isThere = ({ file }: Load) => file === null || files.has(file);
  for (const template of templates) {
    if (!template.runners.some((name) => names.includes(name))) continue;
    const fitting = (template.inside === true ? sources : tests).filter(
      (test) => template.extensions.includes(extensionOf(test.path)) && template.fits(test),
    );
    // The place is the same where some of the changed files do not exist.
    const known = fitting.map((test) => ({ test, loads: template.loads(test, { files: all }) }));
    const ranked = rank(known, product).slice(0, template.perFolder === true ? maxFolders : 1);
    if (ranked.length === 0) continue;
    const present = known.map(({ test, loads }) => ({ test, loads: loads.filter(isThere) }));
    const loads = loadsFor(ranked[0]?.test ?? null, present, product);
    const made = ranked.map((test, index) => {
      const word = wordOf(nonce) + (index === 0 ? '' : syllable(index));
      return fileBeside(template, test.test, { word, loads: loads.specs, product });
    });
    const loaded = loadedOf(known, product, template, ranked);
    return { files: made, loaded, loads: template.isWhole === true ? 'whole' : loads.files };
  }
  return null;
}

/** Files of the repository that other files of it load, by their own words. */
export function loadedBy(
  sources: readonly Neighbour[],
  files: ReadonlySet<string>,
): readonly string[] {
  const loaded = sources.flatMap((source) => {
    const extension = extensionOf(source.path);
    const template = templates.find((each) => each.extensions.includes(extension));
    return template?.loads(source, { files }) ?? [];
  });
  return [...new Set(loaded.flatMap(({ file }) => file ?? []))];
}

type Known = { readonly test: Neighbour; readonly loads: readonly Load[] };

/** First those that load a changed file, then those that stand beside one, then those that load the most. */
function rank(known: readonly Known[], product: readonly string[]): readonly Known[] {
  const changed = new Set(product);
  const folders = new Set(product.map(folderOf));
  const score = ({ test, loads }: Known) => {
    const direct = loads.filter(({ file }) => file !== null && changed.has(file)).length;
    const near = folders.has(folderOf(test.path)) ? 1 : 0;
    return direct * 10_000 + near * 1000 + Math.min(loads.length, 999);
  };
  const sorted = known
    .map((each) => ({ each, worth: score(each) }))
    .toSorted((a, b) => b.worth - a.worth || (a.each.test.path < b.each.test.path ? -1 : 1));
  const seen = new Set<string>();
  return sorted.flatMap(({ each }) => {
    const folder = folderOf(each.test.path);
    if (seen.has(folder)) return [];
    seen.add(folder);
    return [each];
  });
}

/** What the neighbour loads, and what other tests load of the changed files. */
function loadsFor(
  neighbour: Neighbour | null,
  known: readonly Known[],
  product: readonly string[],
): { readonly specs: readonly string[]; readonly files: readonly string[] } {
  if (neighbour === null) return { specs: [], files: [] };
  const changed = new Set(product);
  const own = known.filter(({ test }) => test === neighbour).flatMap(({ loads }) => loads);
  const files = new Set(own.map(({ file }) => file));
  const specs = new Set(own.map(({ spec }) => spec));
  for (const { test, loads } of known) {
    for (const { spec, file } of loads) {
      if (file === null || !changed.has(file) || files.has(file)) continue;
      files.add(file);
      specs.add(respelled(spec, test.path, neighbour.path));
    }
  }
  const named = [...files].flatMap((file) => file ?? []);
  return { specs: [...specs].slice(0, maxLoads), files: named.slice(0, maxLoads) };
}

type Wish = {
  readonly word: string;
  readonly loads: readonly string[];
  readonly product: readonly string[];
};

function fileBeside(
  template: Template,
  neighbour: Neighbour,
  { word, loads, product }: Wish,
): TripwireFile {
  const mustFail: Trap[] = [];
  const mustPass: Trap[] = [];
  const into = (list: Trap[]) => (says: string) => {
    const token = word + syllable(mustFail.length + mustPass.length) + 'x';
    list.push({ token, says });
    return token;
  };
  const names = { fails: into(mustFail), passes: into(mustPass) };
  const text = template.write({ word, neighbour, loads, changed: product, ...names });
  const name = template.stopsEarly === true ? `a${word}` : word;
  const path = template.inside === true ? neighbour.path : beside(neighbour.path, name);
  return { path, text, mustFail, mustPass };
}

function loadedOf(
  known: readonly Known[],
  product: readonly string[],
  { extensions }: Template,
  ranked: readonly Known[],
): readonly string[] {
  const loaded = new Set(known.flatMap(({ loads }) => loads.map(({ file }) => file)));
  const direct = product.filter((path) => loaded.has(path));
  if (direct.length > 0) return direct;
  const folders = new Set(ranked.map(({ test }) => folderOf(test.path)));
  const near = product.filter((path) => folders.has(folderOf(path)));
  if (near.length > 0) return near;
  return product.filter((path) => extensions.includes(extensionOf(path)));
}
