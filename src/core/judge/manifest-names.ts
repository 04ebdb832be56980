import { parse } from 'smol-toml';
import { resolvePath } from './shell.ts';
import { isTable, type Table } from './table-merge.ts';
import type { UsedNames } from './used-names.ts';

/** Names in manifests: of the packages of the repository, and of those they ask for. */
export type ManifestNames = {
  readonly own: ReadonlySet<string>;
  readonly asked: ReadonlySet<string>;
  /** Dependencies that are folders of the repository: name and folder. */
  readonly local: readonly (readonly [name: string, folder: string])[];
};

const asking =
  /^(?:.*-)?dependencies|dependencies|devDependencies|peerDependencies|optionalDependencies|require|require-dev$/;

/** Reads the manifests of a revision; one that cannot be read names nothing. */
export function manifestNames(
  texts: Iterable<readonly [path: string, text: string]>,
): ManifestNames {
  const own = new Set<string>();
  const asked = new Set<string>();
  const local: [string, string][] = [];
  for (const [path, text] of texts) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (name === 'go.mod') {
      const found = /^module\s{1,8}(\S{1,200})/m.exec(text)?.[1];
      if (found !== undefined) own.add(found);
      for (const line of text.split('\n')) {
        const [left = '', right = ''] = line.split('=>');
        const target = right.trim();
        const module = left
          .trim()
          .split(/\s+/)
          .find((word) => word !== 'replace');
        if (target.startsWith('.')) addLocal(module ?? '', target, path);
      }
    } else if (/requirements[^/]*\.(?:txt|in)$/.test(name)) addRequirements(text.split('\n'));
    else if (name === 'Gemfile' || name.endsWith('.gemspec')) {
      for (const found of text.matchAll(
        /(?:gem|dependency)\s{0,4}\(?\s{0,4}["']([\w-]{1,80})["']/g,
      ))
        asked.add(found[1] ?? '');
    } else look(tableOf(name, text), path);
  }
  return { own, asked, local };

  function addLocal(name: string, target: unknown, from: string): void {
    if (typeof target !== 'string') return;
    const home = from.slice(0, Math.max(0, from.lastIndexOf('/')));
    const folder = resolvePath(target.replace(/^(?:file|link|portal):/, ''), home);
    if (folder !== null && folder !== '') local.push([name, folder]);
  }

  function look(table: Table, path: string): void {
    const poetry = at(at(table, 'tool'), 'poetry');
    for (const part of [table, at(table, 'package'), at(table, 'project'), poetry]) {
      const { name } = part;
      if (typeof name === 'string') own.add(name);
      for (const [key, value] of Object.entries(part)) {
        if (!asking.test(key)) continue;
        if (isTable(value)) {
          for (const [each, spec] of Object.entries(value)) {
            asked.add(each);
            const target = isTable(spec) ? spec['path'] : spec;
            const isFolder = isTable(spec) || /^(?:file|link|portal):/.test(String(spec));
            if (isFolder) addLocal(each, target, path);
          }
        }
        addRequirements([value, ...(isTable(value) ? Object.values(value) : [])].flat());
      }
    }
    addRequirements(Object.values(at(table, 'dependency-groups')).flat());
  }

  function addRequirements(lines: readonly unknown[]): void {
    for (const line of lines) {
      const found = typeof line === 'string' ? /^\s{0,8}([A-Za-z][\w.-]{0,80})/.exec(line) : null;
      if (found !== null) asked.add((found[1] ?? '').toLowerCase());
    }
  }
}

/**
 * What the judge uses and the repository does not have: names of its own packages and modules mean the product, wherever it
 * is moved to.
 */
export function withoutOwn(
  used: UsedNames,
  own: ReadonlySet<string>,
  files: readonly string[],
): UsedNames {
  const modules = new Set(
    files.flatMap((path) => {
      if (!path.endsWith('.py')) return [];
      const segments = path.split('/');
      return [...segments.slice(0, -1), segments.at(-1)?.slice(0, -3) ?? ''];
    }),
  );
  const crates = new Set([...own].map((name) => name.replaceAll('-', '_')));
  const isOwn = (name: string): boolean =>
    own.has(name) || [...own].some((each) => each.includes('/') && name.startsWith(`${each}/`));
  return {
    ...used,
    packages: used.packages.difference(own),
    python: used.python.difference(modules),
    crates: used.crates.difference(crates),
    go: new Set([...used.go].filter((name) => !isOwn(name))),
  };
}

function at(table: Table, key: string): Table {
  const value = Object.hasOwn(table, key) ? table[key] : undefined;
  return isTable(value) ? value : {};
}

function tableOf(name: string, text: string): Table {
  try {
    const value: unknown = name.endsWith('.toml') ? parse(text) : JSON.parse(text);
    return isTable(value) ? value : {};
  } catch {
    // A manifest that cannot be read names nothing; the checks that need it fail by themselves.
    return {};
  }
}
