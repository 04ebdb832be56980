import { parse, stringify } from 'smol-toml';
import { restoreCmake, restoreMakefile } from './manifest-build.ts';
import { restoreIni } from './manifest-ini.ts';
import { restoreXml } from './manifest-xml.ts';
import { cargoToml, composerJson, denoJson, packageJson, pyproject } from './manifest-share.ts';
import { restoreGemfile, restoreGoMod, restoreRequirements } from './manifest-lines.ts';
import { isRunnerName } from './runner-names.ts';
import { isTable, mergeTables, type Judges, type Shares, type Table } from './table-merge.ts';
import { noNames, usesPackage } from './used-names.ts';

export type RestoredManifest = {
  /** The loop's manifest with everything that judges as on the base; null: the file is to be away. */
  readonly text: string | null;
  /** Keys that were put back, as a person would name them: `scripts.test`. Empty: the judge's part is unchanged. */
  readonly restored: readonly string[];
  /** Whether the loop changed dependencies (also dev ones, overrides, resolutions, workspaces). */
  readonly dependencies: boolean;
};

/** Puts one format together: the loop's text with the judge's part of the base. Null when one of the texts cannot be read. */
export type Restore = (base: string, loop: string, judges: Judges) => RestoredManifest | null;

const formats: readonly (readonly [name: RegExp, restore: Restore])[] = [
  [/^package\.json$/, json(packageJson)],
  [/^deno\.jsonc?$/, json(denoJson)],
  [/^composer\.json$/, json(composerJson)],
  [/^pyproject\.toml$/, toml(pyproject)],
  [/^Cargo\.toml$/, toml(cargoToml)],
  [/^setup\.cfg$/, restoreIni],
  [/^pom\.xml$|\.(?:cs|fs|vb)proj$/, restoreXml],
  [/^(?:GNUm|M|m)akefile$/, restoreMakefile],
  [/^CMakeLists\.txt$/, restoreCmake],
  [/^go\.mod$/, restoreGoMod],
  [/^(?:Gemfile|gems\.rb)$/, restoreGemfile],
  [/requirements[^/]*\.(?:txt|in)$|^constraints[^/]*\.txt$/, restoreRequirements],
];

/** Whether a manifest is put back by its parts. */
export function hasParts(path: string): boolean {
  return restoreOf(path) !== undefined;
}

/**
 * The loop's manifest with the judge's part of the base. What is not known to be product is the judge's. A manifest that
 * one side cannot be read of is the base's as a whole, and so is one that the loop removed. The loop's text is returned
 * as it is when nothing has to be put back. `used` are names that the base's tests take from elsewhere: a package of such
 * a name comes from where it came from on the base.
 */
export function restoreManifest(
  path: string,
  base: string | null,
  loop: string | null,
  used = noNames,
): RestoredManifest {
  if (base === loop) return { text: loop, restored: [], dependencies: false };
  const restored = restoreOf(path)?.(base ?? '', loop ?? '', judges) ?? null;
  const whole = { text: base, restored: [path], dependencies: true };
  if (restored === null) return whole;
  if (loop === null) return { ...whole, restored: orPath(restored.restored, path) };
  return restored;

  function judges(name: string): boolean {
    return isRunnerName(name) || usesPackage(used, name);
  }
}

function orPath(keys: readonly string[], path: string): readonly string[] {
  return keys.length === 0 ? [path] : keys;
}

function restoreOf(path: string): Restore | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return formats.find(([names]) => names.test(name))?.[1];
}

function json(shares: Shares): Restore {
  return tables(shares, JSON.parse, (table) => `${JSON.stringify(table, null, 2)}\n`);
}

function toml(shares: Shares): Restore {
  return tables(
    shares,
    // Whole numbers stay whole and others keep their point.
    (text) => parse(text, { integersAsBigInt: true }),
    (table) => stringify(table, { numbersAsFloat: true }),
  );
}

function tables(
  shares: Shares,
  read: (text: string) => unknown,
  write: (table: Table) => string,
): Restore {
  return (base, loop, judges) => {
    try {
      const [before, after] = [readTable(base, read), readTable(loop, read)];
      if (before === null || after === null) return null;
      const { table, restored, dependencies } = mergeTables(before, after, shares, judges);
      return { text: restored.length === 0 ? loop : write(table), restored, dependencies };
    } catch {
      // Not that format, or nested deeper than anything honest.
      return null;
    }
  };
}

function readTable(text: string, read: (text: string) => unknown): Table | null {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const value = plain === '' ? {} : read(plain);
  return isTable(value) ? value : null;
}
