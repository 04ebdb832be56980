import { matchesParts } from './pattern.ts';

/** A makefile as far as running targets needs it. */
export type Makefile = {
  readonly variables: ReadonlyMap<string, string>;
  /** Words of its `include` lines. */
  readonly includes: readonly string[];
  readonly rules: readonly Rule[];
};

export type Rule = {
  readonly targets: readonly string[];
  readonly needs: readonly string[];
  readonly recipe: readonly string[];
};

const maxLines = 5000;

/** `given` wins over the file, as the command line does; `before` is what other files have set. */
export function readMakefile(
  text: string,
  given: ReadonlyMap<string, string>,
  before: ReadonlyMap<string, string> = new Map(),
): Makefile {
  const variables = new Map([...before, ...given]);
  const includes: string[] = [];
  const rules: { targets: string[]; needs: string[]; recipe: string[] }[] = [];
  for (const line of joined(text)) {
    const isRecipe = line.startsWith('\t');
    const current = rules.at(-1);
    if (isRecipe) {
      current?.recipe.push(expand(line.trim().replace(/^[@+-]+/, ''), variables));
      continue;
    }
    const plain = line.replace(/#.*$/, '').trim();
    const included = /^-?s?include\s+(.+)$/.exec(plain);
    if (included !== null) {
      includes.push(...split(expand(included[1] ?? '', variables)));
      continue;
    }
    const set = /^(?:export\s+|override\s+){0,2}([\w.-]{1,80})\s*(::?:?=|\?=|\+=|!=|=)(.*)$/.exec(
      plain,
    );
    if (set !== null) {
      assign(set[1] ?? '', set[2] ?? '', (set[3] ?? '').trim());
      continue;
    }
    const colon = plain.indexOf(':');
    if (colon <= 0) continue;
    const [needs = '', ...inline] = plain
      .slice(colon + 1)
      .replace(/^:/, '')
      .split(';');
    rules.push({
      targets: [...split(expand(plain.slice(0, colon), variables))],
      needs: [...split(expand(needs.replaceAll('|', ' '), variables))],
      recipe: inline.length === 0 ? [] : [expand(inline.join(';').trim(), variables)],
    });
  }
  return { variables, includes, rules };

  function assign(name: string, sign: string, value: string): void {
    const old = variables.get(name);
    // What the command line gives wins over the file.
    if (given.has(name) || (sign === '?=' && old !== undefined)) return;
    const known = expand(value, variables);
    variables.set(name, sign === '+=' && old !== undefined ? `${old} ${known}` : known);
  }
}

/** Shell lines that the targets run, those of what they need among them. Without targets, the first one's. */
export function recipesOf(rules: readonly Rule[], targets: readonly string[]): readonly string[] {
  const first = rules.find(
    ({ targets: [name = '.'] }) => !name.startsWith('.') && !name.includes('%'),
  );
  const goals = targets.length > 0 ? [...targets] : (first?.targets.slice(0, 1) ?? []);
  const seen = new Set<string>();
  const lines: string[] = [];
  for (let goal = goals.shift(); goal !== undefined; goal = goals.shift()) {
    if (seen.has(goal) || seen.size > 300) continue;
    seen.add(goal);
    const wanted = goal;
    for (const rule of rules) {
      if (!rule.targets.some((each) => matchesParts(wanted, each.split('%')))) continue;
      goals.push(...rule.needs.filter((need) => !need.includes('%')));
      lines.push(...rule.recipe);
    }
  }
  return lines;
}

function joined(text: string): readonly string[] {
  return text.replaceAll('\r', '').replaceAll('\\\n', ' ').split('\n').slice(0, maxLines);
}

function split(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** `$(NAME)`, `${NAME}` and `$N` where they are known; `$$` is the shell's. */
function expand(text: string, variables: ReadonlyMap<string, string>): string {
  let out = '';
  for (let at = 0; at < text.length && out.length < 20_000;) {
    const char = text[at] ?? '';
    if (char !== '$') {
      out += char;
      at++;
      continue;
    }
    const next = text[at + 1] ?? '';
    if (next === '$') {
      out += '$';
      at += 2;
    } else if (next === '(' || next === '{') {
      const stop = text.indexOf(next === '(' ? ')' : '}', at);
      const name = text.slice(at + 2, stop === -1 ? text.length : stop);
      out +=
        name === 'MAKE'
          ? 'make'
          : name === 'CURDIR'
            ? '.'
            : (variables.get(name) ?? functionOf(name));
      at = stop === -1 ? text.length : stop + 1;
    } else {
      out += variables.get(next) ?? '*';
      at += 2;
    }
  }
  return out;
}

/** `$(wildcard a/*.sh)` names its files, `$(shell cat list)` is a command; of other functions nothing is known. */
function functionOf(text: string): string {
  if (text.startsWith('shell ')) return `$(${text.slice('shell '.length)})`;
  return text.startsWith('wildcard ') ? text.slice('wildcard '.length) : '*';
}
