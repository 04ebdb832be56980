/** What the text of a script or a configuration names. */
export type TextMentions = {
  /** Relative specifiers that it imports or requires. */
  readonly imports: readonly string[];
  /** Names of modules that Python may find beside it. */
  readonly modules: readonly string[];
  /** Values of keys that make a runner load something: `setupFiles`, `bootstrap`. */
  readonly loads: readonly string[];
  /** Other words in quotes that may be paths. */
  readonly strings: readonly string[];
  /** Texts in quotes that start with the name of a program. */
  readonly commands: readonly string[];
  /** Files that it writes. */
  readonly writes: readonly string[];
};

const maxChars = 256 * 1024;
const maxStrings = 2000;
const quotedWord = /["'`]([^"'`\s\\]{2,200})["'`]/g;
const importing = /\b(?:from|import|require)\s{0,4}\(?\s{0,4}["'](\.{1,2}\/[^"'\s]{1,200})["']/g;
const loading =
  /\b(?:setup\w{0,30}|global(?:Setup|Teardown)|require|reporters?|(?:test)?environment|testRunner|runner|transform|resolver|preload|support(?:File)?|pytest_plugins|snapshotSerializers|extends|bootstrap|rootHooks)["']?\s{0,4}[:=]\s{0,4}(\[[^\]]{0,600}\]|[^,\n]{0,200})/gi;
const started =
  /["'`]((?:npm|npx|node|sh|bash|make|python3?|yarn|pnpm|bun|deno|cargo|go|ruby|php) [^"'`\n]{1,300})["'`]/g;
const writing = [
  /\b(?:write|append|output)File(?:Sync)?\s{0,4}\(\s{0,4}["'`]([^"'`\s]{2,200})["'`]/g,
  /\b(?:open|fopen)\s{0,4}\(\s{0,4}["']([^"'\s]{2,200})["']\s{0,4},\s{0,4}["'][wa]/g,
  /\(\s{0,4}["']([^"'\s]{2,200})["']\s{0,4}\)\.write_(?:text|bytes)\b/g,
  /\b(?:File\.write|IO\.write|file_put_contents|WriteFile|createWriteStream)\s{0,4}\(?\s{0,4}["'`]([^"'`\s]{2,200})["'`]/g,
] as const;
const pythonImport =
  /^\s{0,40}(?:from\s{1,4}(\.{0,3}[\w.]{0,120})\s{1,4}import\b|import\s{1,4}([\w.]{1,120}))/;

/** By a few passes over the text; nothing is understood. */
export function textMentions(text: string): TextMentions {
  const bounded = text.slice(0, maxChars);
  const first = (pattern: RegExp, source = bounded) => [
    ...new Set([...source.matchAll(pattern)].slice(0, maxStrings).map((found) => found[1] ?? '')),
  ];
  const modules = new Set<string>();
  for (const line of bounded.split('\n')) {
    const found = pythonImport.exec(line);
    const name = found?.[1] ?? found?.[2];
    if (name !== undefined && modules.size < maxStrings) modules.add(name);
  }
  return {
    imports: first(importing),
    modules: [...modules],
    loads: first(loading)
      .flatMap((value) => [...first(quotedWord, value), ...plain(value)])
      .map(rooted),
    strings: first(quotedWord).map(rooted),
    commands: first(started),
    writes: writing.flatMap((pattern) => first(pattern)),
  };
}

function rooted(word: string): string {
  return word.replace('<rootDir>', '.');
}

const plainPath = /(?:^|[\s:=,])((?:[\w.-]{1,60}\/){0,6}[\w-]{1,80}\.[a-z]{2,8})(?=[\s,]|$)/gm;

/** Words without quotes that may be paths of files, in YAML, INI and lists. */
export function plainPaths(text: string): readonly string[] {
  const found = text.slice(0, maxChars).matchAll(plainPath);
  return [...new Set([...found].slice(0, maxStrings).map((each) => each[1] ?? ''))];
}

const cmakeCall = /\b(?:include|add_test|file)[ \t]{0,4}\(([^()]{0,2000})\)/gi;

/** Files that CMake includes, reads, or gives to tests. */
export function cmakePaths(text: string): readonly string[] {
  const calls = [...text.slice(0, maxChars).matchAll(cmakeCall)].slice(0, maxStrings);
  return calls.flatMap((found) => {
    if (/^\s{0,40}(?:GLOB|WRITE|APPEND|COPY|INSTALL|MAKE_DIR|REMOVE)/i.test(found[1] ?? ''))
      return [];
    const words = (found[1] ?? '').split(/[\s"]+/);
    return words
      .map((word) => word.replace(/^\$\{\w{0,60}_DIR\}\//, ''))
      .filter((word) => /\w/.test(word));
  });
}

/** `require: ./hooks.js` in YAML and the like. */
function plain(value: string): readonly string[] {
  const word = value.trim();
  return /^[\w./-]{2,200}$/.test(word) ? [word] : [];
}

/** Paths that a relative specifier may mean. */
export function importCandidates(specifier: string): readonly string[] {
  const bare = specifier.replace(/\.[cm]?js$/, '');
  const endings = ['ts', 'tsx', 'mts', 'cts', 'js', 'mjs', 'cjs', 'jsx', 'json', 'rb', 'sh'];
  return [
    specifier,
    ...endings.map((ending) => `${specifier}.${ending}`),
    ...['ts', 'mts', 'cts', 'tsx'].map((ending) => `${bare}.${ending}`),
    ...['ts', 'js', 'mjs'].map((ending) => `${specifier}/index.${ending}`),
  ];
}

/** Whether a text checks something: it asserts, holds tests, or starts programs and ends by their result. */
export function looksLikeCheck(text: string): boolean {
  return /\bassert|\bexpect\(|node:test|\bunittest\b|\bpytest\b|\bvitest\b|process\.exit|exitCode|sys\.exit|SystemExit|\bexit\(?[ 1]|child_process|subprocess|\bspawn|\bos\.system/.test(
    text.slice(0, maxChars),
  );
}

/** Whether a text declares tests for a runner: at the start of a line, not in a string. */
export function declaresTests(text: string): boolean {
  return /^[ \t]{0,12}(?:(?:test|it|describe|suite)(?:\.\w{1,12})?\s{0,4}\(\s{0,40}['"`]|(?:async )?def test|class \w{0,80}\(.{0,80}TestCase|@test\b|#\[test\]|func Test)/m.test(
    text.slice(0, maxChars),
  );
}
