import { availableParallelism } from 'node:os';

/** Both tables of the scoreboard, with the circumstances they were measured under. */
export function renderFigures(score: string, loop: string): string {
  const day = new Date().toISOString().slice(0, 10);
  const machine = `Node ${process.version}, ${availableParallelism()} cores, ${day}.`;
  return [
    machine,
    '### The scoreboard',
    table(score),
    '### The same loop with and without its parts',
    'Overhead is the time between the end of one agent and the start of the next; `foreign %` is what others used of the machine.',
    table(loop),
  ].join('\n\n');
}

function table(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n');
}
