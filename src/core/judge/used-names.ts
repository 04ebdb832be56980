import { textMentions } from './text-mention.ts';

/** What the judge of the base takes from elsewhere, by name: packages, modules, headers. */
export type UsedNames = {
  /** Packages of npm and deno, without what is inside of them; also `#name` of import maps. */
  readonly packages: ReadonlySet<string>;
  /** Modules of Python, their first part. */
  readonly python: ReadonlySet<string>;
  /** What Ruby requires, without an ending: `minitest/autorun`. */
  readonly ruby: ReadonlySet<string>;
  /** Modules of Perl: `Test::More`. */
  readonly perl: ReadonlySet<string>;
  /** Headers in angle brackets or quotes. */
  readonly headers: ReadonlySet<string>;
  /** Import paths of Go. */
  readonly go: ReadonlySet<string>;
  /** Crates, and namespaces of PHP, their first part. */
  readonly crates: ReadonlySet<string>;
};

export const noNames: UsedNames = {
  packages: new Set(),
  python: new Set(),
  ruby: new Set(),
  perl: new Set(),
  headers: new Set(),
  go: new Set(),
  crates: new Set(),
};

const maxChars = 256 * 1024;
const maxNames = 5000;
const bareImport =
  /\b(?:from|import|require|mock|importActual)\s{0,4}\(?\s{0,4}["']([^"'\s.][^"'\s]{0,200})["']/g;
const rubyRequire = /^\s{0,40}(?:require|load)\s{0,4}\(?\s{0,4}["']([\w/.-]{1,120})["']/gm;
const perlUse = /^\s{0,40}(?:use|require)\s{1,4}([A-Za-z_][\w:]{0,120})/gm;
const include = /^[ \t]{0,20}#[ \t]{0,8}include[ \t]{0,8}[<"]([\w./+-]{1,160})[>"]/gm;
const goImport = /^[ \t]{0,8}(?:import[ \t]{1,4})?(?:[\w.]{1,60}[ \t]{1,4})?"([\w./~-]{1,200})"/gm;
const crateUse =
  /(?:^|[^\w:])(?:use\s{1,4}(?:::)?|extern crate\s{1,4}|::)?([a-z_]\w{0,80})(?:::|;)/gm;
const phpUse = /^\s{0,40}use\s{1,4}(?:function\s{1,4})?\\?([A-Za-z_]\w{0,80})\\/gm;

/** Collects the names that texts use; the path says in which language they are written. */
export function usedNames(texts: Iterable<readonly [path: string, text: string]>): UsedNames {
  const found = {
    packages: new Set<string>(),
    python: new Set<string>(),
    ruby: new Set<string>(),
    perl: new Set<string>(),
    headers: new Set<string>(),
    go: new Set<string>(),
    crates: new Set<string>(),
  };
  for (const [path, whole] of texts) {
    const text = whole.slice(0, maxChars);
    if (/\.[cm]?[jt]sx?$/.test(path)) add(found.packages, all(bareImport, text).map(packageOf));
    else if (path.endsWith('.py')) {
      const { modules } = textMentions(text);
      add(
        found.python,
        modules.filter((name) => !name.startsWith('.')).map((name) => name.split('.')[0] ?? ''),
      );
    } else if (/\.(?:rb|rake)$|(?:^|\/)Rakefile$/.test(path)) {
      add(
        found.ruby,
        all(rubyRequire, text).map((name) => name.replace(/\.rb$/, '')),
      );
    } else if (/\.(?:t|pl|pm)$/.test(path)) add(found.perl, all(perlUse, text));
    else if (/\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|m|mm)$/.test(path))
      add(found.headers, all(include, text));
    else if (path.endsWith('.go')) add(found.go, all(goImport, text));
    else if (path.endsWith('.rs')) add(found.crates, all(crateUse, text));
    else if (path.endsWith('.php')) add(found.crates, all(phpUse, text));
  }
  return found;
}

/** Whether the judge takes a package of this name from elsewhere, whatever its language. */
export function usesPackage(used: UsedNames, name: string): boolean {
  const plain = name.replaceAll('-', '_');
  return (
    used.packages.has(name) ||
    used.crates.has(plain) ||
    used.python.has(plain) ||
    used.python.has(plain.toLowerCase()) ||
    used.ruby.has(name) ||
    [...used.go].some((each) => each === name || each.startsWith(`${name}/`))
  );
}

function add(set: Set<string>, names: readonly string[]): void {
  for (const name of names) if (name !== '' && set.size < maxNames) set.add(name);
}

function all(pattern: RegExp, text: string): readonly string[] {
  return [...text.matchAll(pattern)].slice(0, maxNames).map((found) => found[1] ?? '');
}

/** `@scope/name/part` is of `@scope/name`; `#name/part` stays as it is. */
function packageOf(specifier: string): string {
  if (specifier.startsWith('#')) return specifier;
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}
