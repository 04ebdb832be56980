/** What is to be done in the night, by whom, and what judges it. */
export type Provider = 'anthropic' | 'openai';

export const plan = {
  lexer: { by: 'anthropic', after: [], first: true },
  errors: { by: 'openai', after: [], first: true },
  parser: { by: 'anthropic', after: [], first: false },
  strings: { by: 'anthropic', after: [], first: false },
  numbers: { by: 'openai', after: [], first: false },
  columns: { by: 'openai', after: ['numbers', 'parser'], first: false },
  bench: { by: 'openai', after: ['numbers', 'parser'], first: false },
  commas: { by: 'anthropic', after: ['parser', 'strings'], first: false },
  fuzz: { by: 'anthropic', after: ['commas'], first: false },
  dates: { by: 'anthropic', after: ['commas'], first: false },
  docs: { by: 'anthropic', after: ['columns', 'fuzz', 'dates'], first: false },
  release: { by: 'openai', after: ['docs', 'bench'], first: false },
} as const satisfies Readonly<
  Record<string, { by: Provider; after: readonly string[]; first: boolean }>
>;

export type TaskName = keyof typeof plan;
// The keys of a constant are its names.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const taskNames = Object.keys(plan) as readonly TaskName[];

export function isTaskName(name: string): name is TaskName {
  return Object.hasOwn(plan, name);
}

/** `loopwright task import` reads it. */
export function planFile(): string {
  const tasks = taskNames.map((name) => {
    const { by, after, first } = plan[name];
    const agent = by === 'anthropic' ? 'sonnet' : 'gpt';
    return {
      id: name,
      title: name,
      type: agent,
      priority: first ? 'critical' : 'normal',
      validation: `sh check.sh ${name}`,
      after,
    };
  });
  return JSON.stringify({ tasks });
}

/** Green on a base that holds any number of finished tasks; with a name, only if that one is among them. */
export const checkScript = `set -e
for file in work/*.txt; do
  [ -e "$file" ] || continue
  [ "$(cat "$file")" = "$(basename "$file" .txt) is done" ] || { echo "$file is wrong"; exit 1; }
done
[ -z "$1" ] || [ -f "work/$1.txt" ] || { echo "work/$1.txt is missing"; exit 1; }
`;

/** A turn of either model: 1000 tokens in, 100 out. */
export const turnUsd = 0.01;
export const runBudgetUsd = 0.3;

export function configuration(pace: { readonly limits: string }): string {
  const price = '{ input: 8, output: 20, cache-read: 0, cache-write: 0 }';
  return `agent: sonnet
agents:
  sonnet: { kind: native, provider: anthropic, model: sonnet-night }
  gpt: { kind: native, provider: openai, model: gpt-night }
types:
  sonnet: { agent: sonnet }
  gpt: { agent: gpt }
prices:
  sonnet-night: ${price}
  gpt-night: ${price}
validation: { command: sh check.sh }
git: { merge: local }
env: { pass: [NIGHT_TOKEN] }
limits: ${pace.limits}
budget: { run: { max-cost-usd: ${runBudgetUsd} } }
scheduler: { min-disk: 12mb, warn-disk: 13mb, min-memory: 0mb }
`;
}
