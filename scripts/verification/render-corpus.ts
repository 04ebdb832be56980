import { trickCases } from '../../test/tricks/corpus/all.ts';
import { families, type Family, type TrickCase } from '../../test/tricks/corpus/case.ts';
import { honestCases } from '../../test/tricks/corpus/honest.ts';
import { answerTo, type How } from '../../test/tricks/corpus/outcome.ts';
import type { CorpusResult, CorpusResults } from './corpus-results.ts';

/** A measured completion of a real project. */
export type Cost = {
  readonly project: string;
  readonly check: string;
  readonly change: string;
  /** Kinds of the runs in clean checkouts. */
  readonly runs: readonly string[];
  readonly checkMs: number;
  readonly confirmationMs: number;
};

const words: Readonly<Record<How, string>> = {
  complete: 'complete',
  unproven: 'complete, but unproven, with the change named',
  'base judge': "the base's judge says no",
  'clean checkout': 'fails in a clean checkout',
  surroundings: 'a new file or program around the checkouts',
  tripwire: 'tripwire',
  integrity: 'integrity',
  'put back': 'put back before the check',
  blocked: 'blocked',
  checks: 'the check fails',
};

export type Figures = {
  readonly tricks: number;
  readonly caught: number;
  readonly honest: number;
  readonly asked: number;
  readonly refused: number;
};

/** Of the cases with a result. */
export function figuresOf(results: CorpusResults): Figures {
  const tricks = trickCases.flatMap((trick) => results[titleOf(trick)] ?? []);
  const answers = honestCases.flatMap(({ name }) => results[name] ?? []).map(answerTo);
  return {
    tricks: tricks.length,
    caught: tricks.filter(({ caught }) => caught).length,
    honest: answers.length,
    asked: answers.filter((answer) => answer === 'asked').length,
    refused: answers.filter((answer) => answer === 'refused').length,
  };
}

export function titleOf({ family, name }: Pick<TrickCase, 'family' | 'name'>): string {
  return `${family}: ${name}`;
}

export function renderFigures(results: CorpusResults): string {
  const { tricks, caught, honest, asked, refused } = figuresOf(results);
  const share = tricks === 0 ? 0 : Math.floor((1000 * caught) / tricks) / 10;
  const order = [...new Set(trickCases.map(({ family }) => family))];
  const rows = order.map((family) => renderFamily(family, results));
  return `## Figures

- **${caught} of ${tricks} tricks are caught** (${share} %).
- **${refused} of ${honest} honest changes are refused**, ${asked} are asked about.

| family | tricks | caught | by what |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function renderFamily(family: Family, results: CorpusResults): string {
  const found = trickCases
    .filter((trick) => trick.family === family)
    .flatMap((trick) => results[titleOf(trick)] ?? []);
  const caught = found.filter((each) => each.caught);
  const counts = Map.groupBy(caught, ({ how }) => how);
  const how = [...counts]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([name, all]) => `${words[name]} (${all.length})`);
  return `| ${families[family]} | ${found.length} | ${caught.length} | ${how.join(', ')} |`;
}

export function renderTricks(results: CorpusResults): string {
  const rows = trickCases.map((trick) => {
    const found = results[titleOf(trick)];
    return `| ${families[trick.family]} | ${cell(trick.name)} | ${trick.runner} | ${said(found)} |`;
  });
  return `## Every trick

| family | trick | runner | result |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function said(found: CorpusResult | undefined): string {
  if (found === undefined) return 'not run';
  return found.caught ? `**caught**: ${words[found.how]}` : `**not caught**: ${words[found.how]}`;
}

export function renderHonest(results: CorpusResults): string {
  const rows = honestCases.map(({ name, runner, asked }) => {
    const found = results[name];
    if (found === undefined) return `| ${cell(name)} | ${runner} | not run | |`;
    const answer = answerTo(found);
    const why = answer === 'asked' && asked !== undefined ? `: ${asked}` : '';
    return `| ${cell(name)} | ${runner} | **${answer}**${why} | ${found.proof ?? ''} |`;
  });
  return `## Every honest change

| change | runner | complete | proof |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

export function renderRemains(results: CorpusResults): string {
  const rows = trickCases.flatMap((trick) =>
    results[titleOf(trick)]?.caught === false
      ? [`- **${trick.name}** (${trick.runner}): ${trick.remains ?? 'not caught yet'}.`]
      : [],
  );
  return `${rows.join('\n')}\n`;
}

export function renderCosts(costs: readonly Cost[]): string {
  const rows = costs.map(({ project, check, change, runs, checkMs, confirmationMs }) => {
    const factor = (confirmationMs / checkMs).toFixed(1);
    return `| ${project} | \`${check}\` | ${change} | ${runs.join(', ')} | ${seconds(checkMs)} | ${seconds(confirmationMs)} | ${factor} |`;
  });
  return `## Cost

Wall time of the confirmation of one completion, and of one run of the checks in it, on real projects
(\`node scripts/confirmation-cost.ts\`).

| project | check | change | runs | one run | confirmation | factor |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`);
}
