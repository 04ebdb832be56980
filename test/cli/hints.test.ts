import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { allOptions } from '../../src/cli/parse.ts';
import { registry } from '../../src/cli/registry.ts';

const root = path.join(import.meta.dirname, '../..');

/** Words that follow the name in prose, or that no entry of the registry has. */
const beside: ReadonlySet<string> = new Set(['help', 'runs', 'move']);

const optionsOf = new Map(
  await Promise.all(
    registry.map(async (entry) => {
      const names = allOptions(await entry.load()).map(({ name }) => name);
      return [entry.path.join(' '), new Set(names)] as const;
    }),
  ),
);

function filesBelow(folder: string, ending: string): readonly string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => path.join(folder, file));
}

/** Command lines that a text names: in backquotes, as a whole string of the source, or alone on a line of an example. */
function namedLines(text: string): readonly string[] {
  const quoted = text.matchAll(/\\?[`'](loopwright [a-z][^`'\\\n]*)/g);
  const examples = text.matchAll(/^(?:\$ )?(loopwright [a-z][^\n#]*)/gm);
  return [...quoted, ...examples].map(([, line = '']) => line);
}

/** What is wrong with a command line; null: nothing. */
function fault(line: string): string | null {
  const [, first = '', second = ''] = line.split(/[\s|]+/);
  if (beside.has(first) || !/^[a-z-]+$/.test(first)) return null;
  const command = [`${first} ${second}`, first].find((each) => optionsOf.has(each));
  if (command === undefined) {
    const isGroup = registry.some(({ path: [group] }) => group === first);
    // `loopwright task --help`, `loopwright loop …`.
    return isGroup && !/^[a-z-]+$/.test(second) ? null : 'no such command';
  }
  // What follows a pipe or a second command is not ours.
  const [own = ''] = line.replaceAll(/'[^']*'|"[^"]*"/g, 'TEXT').split(/[|;]|&&/);
  const options = own.matchAll(/ --(?:no-)?([a-z][a-z-]*)/g);
  const known = optionsOf.get(command);
  const unknown = [...options].find(
    ([given, name = '']) => known?.has(name) !== true && known?.has(given.slice(3)) !== true,
  );
  return unknown === undefined ? null : `${command} has no${unknown[0]}`;
}

it('hints, help and documents name only commands and options that exist', () => {
  const files = [
    ...filesBelow('src', '.ts'),
    ...filesBelow('docs', '.md'),
    'README.md',
    'ARCHITECTURE.md',
    'GLOSSARY.md',
    'CONTRIBUTING.md',
  ];
  const faults = files.flatMap((file) =>
    namedLines(readFileSync(path.join(root, file), 'utf8')).flatMap((line) => {
      const why = fault(line);
      return why === null ? [] : [`${file}: ${line}: ${why}`];
    }),
  );
  expect(faults).toEqual([]);
});

it('finds a command or an option that does not exist', () => {
  const [line = ''] = namedLines('free space (`loopwright clean --dry-run` shows it)');
  expect(fault(line)).toBe('no such command');
  expect(fault('loopwright status --wait')).toBe('status has no --wait');
  expect(fault('loopwright loop vanish LOOP')).toBe('no such command');
  expect(fault('loopwright run --no-verify --max-run-cost-usd 5')).toBeNull();
});
