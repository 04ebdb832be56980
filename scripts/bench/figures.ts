import { availableParallelism } from 'node:os';
import { scoreOf, type Line } from './line.ts';
import { peers } from './peers.ts';

/** Both tables of the scoreboard, with the circumstances they were measured under. */
export function renderFigures(lines: readonly Line[], loop: string): string {
  const day = new Date().toISOString().slice(0, 10);
  const machine = `Node ${process.version}, ${availableParallelism()} cores, ${day}.`;
  return [
    machine,
    '### The scoreboard',
    'Peers were measured in a run of their own, each by the same ratio.',
    renderLines(lines),
    '### The same loop with and without its parts',
    'Overhead is the time between the end of one agent and the start of the next; `foreign %` is what others used of the machine.',
    table(loop),
  ].join('\n\n');
}

export function renderLines(lines: readonly Line[]): string {
  const head = [
    'id',
    'metric',
    'ours',
    'against',
    'score',
    'wanted',
    '',
    'best peer',
    'other peers',
  ];
  return [row(head), row(head.map(() => '---')), ...lines.map((line) => row(cells(line)))].join(
    '\n',
  );
}

function cells(line: Line): readonly string[] {
  const { id, what, value, unit, against, wanted } = line;
  const score = scoreOf(line);
  // The figures of peers are by the metric, whatever the parts.
  const [best = '–', others = '–'] = peers[id] ?? [];
  return [
    id,
    what,
    `${shown(value)} ${unit}`,
    against === null ? '–' : `${shown(against.value)} ${against.name}`,
    shown(score),
    `≤ ${wanted}`,
    score <= wanted ? 'ok' : 'MISS',
    best,
    others,
  ];
}

function shown(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toFixed(2))) : '–';
}

function row(texts: readonly string[]): string {
  return `| ${texts.join(' | ')} |`;
}

function table(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n');
}
