import type { LoopTypeDefinition } from './definition.ts';

type ReviewPass = NonNullable<LoopTypeDefinition['passes']>[number];

/**
 * Checks are written for any POSIX shell with grep and awk. Each first says that the plan is missing: on a base without one that
 * is a failed check, and not a check that cannot run.
 */
const exists = 'test -s {{plan-file}} || { echo "there is no plan in" {{plan-file}}; exit 1; }';

/** Fails unless a section has so many list items. */
function itemsIn(heading: string, least: number): string {
  const awk = [
    `tolower($0) ~ /^#+ .*${heading}/ { on = 1; next }`,
    '/^#/ { on = 0 }',
    'on && /^ *([-*]|[0-9]+[.)]) / { n++ }',
    `END { if (n < ${least}) { print "the section \\"${heading}\\" needs at least ${least} list items, it has " n + 0; exit 1 } }`,
  ].join('\n');
  return `awk '${awk}' {{plan-file}}`;
}

function section(name: string): string {
  return `grep -Eiq '^#+ +([0-9.]+ +)?${name} *$' {{plan-file}} || { echo 'the section "${name}" is missing'; exit 1; }`;
}

const placeholders =
  'if grep -nEiw "TODO|TBD|FIXME|XXX" {{plan-file}}; then echo "something is left to be filled in later"; exit 1; fi';

/** Endings that make a name without a folder a file; `.env`, `.lock`, `.log` and the like are as often members of an object. */
const fileEndings = [
  'ts|tsx|mts|cts|js|jsx|mjs|cjs|json|jsonc|json5|ya?ml|toml|ini|cfg|conf|md|mdx|rst|txt|csv|xml',
  'py|pyi|rb|go|rs|java|kts?|scala|swift|c|h|cc|hh|cpp|hpp|php|pl|lua|exs?|erl|hs|clj|dart|zig|nix|jl',
  'sh|bash|zsh|fish|ps1|sql|html|css|scss|less|vue|svelte|gradle|tf|proto|graphql',
].join('|');
/** Written like files, and are products and answers of a server. */
const noFiles = [
  '^(node|next|nuxt|vue|react|express|ember|backbone|three|d3|chart|moment|alpine|discord|p5)\\.js$',
  '^(res|resp|response|req|request|ctx|this|self)\\.',
].join('|');

/**
 * Paths in backquotes are there, or are marked as new somewhere in the plan. What is there counts whatever it looks like; what is
 * not there is an error only when it can be nothing but a file: no version, no member of an object.
 */
const pathsExist = [
  "named=$(grep -oE '`[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*\\.[A-Za-z0-9]+`' {{plan-file}} | tr -d '`' | sort -u | while read -r file; do",
  'if test -e "$file" || grep -qF "\\`$file\\` (new)" {{plan-file}}; then echo named',
  `elif echo "$file" | grep -Eiq '${noFiles}'; then :`,
  `elif echo "$file" | grep -Eq '/.*\\.[A-Za-z][A-Za-z0-9]*$|\\.(${fileEndings})$'; then echo "$file does not exist: correct it, or write (new) behind a file that the plan adds"`,
  'fi; done)',
  'if echo "$named" | grep "does not exist"; then exit 1; fi',
  'test -n "$named" || { echo "the plan names no file in backquotes: say which files it is about"; exit 1; }',
].join('\n');

const shortLines = `awk 'length($0) > 400 { print "line " NR " has more than 400 characters: split it"; bad = 1 } END { exit bad }' {{plan-file}}`;

function pass(name: string, focus: string, ...checks: readonly string[]): ReviewPass {
  return { name, focus, check: [exists, ...checks].join('\n') };
}

/** The review of a plan: one focus and one executed check each. */
export const planPasses: readonly ReviewPass[] = [
  pass(
    'completeness',
    'Every goal and criterion of the task is covered, and nothing is left to be filled in later. The plan has the sections Summary, Goals, Non-Goals, Proposed Solution and Risks.',
    ...['Summary', 'Goals', 'Non-Goals', 'Proposed Solution', 'Risks'].map(section),
    placeholders,
  ),
  pass(
    'correctness',
    'What the plan says about this repository is true: look at the code it names. Write every file it is about in backquotes, with its path from the root; write (new) behind one that the plan adds.',
    pathsExist,
  ),
  pass(
    'edge-cases',
    'Empty, huge, concurrent, interrupted and hostile situations have an answer: a section "Edge Cases" with a list of at least three.',
    `${itemsIn('edge cases', 3)} || exit 1`,
  ),
  pass(
    'architecture',
    'The solution fits the structure that is there and is the simplest that works: a section "Alternatives" lists what was considered and why it was not taken.',
    `${itemsIn('alternatives', 1)} || exit 1`,
  ),
  pass(
    'clarity',
    'Someone who knows only this file could carry it out in order: a section "Steps" is a numbered list, and no line is longer than 400 characters.',
    `${itemsIn('steps', 2)} || exit 1`,
    shortLines,
  ),
];
