import { parse } from 'smol-toml';
import { matchesName } from '../text/glob.ts';
import { packageJson } from './manifest-share.ts';
import { isTable, type Table } from './table-merge.ts';

export type Script = { readonly name: string; readonly text: string };

/** The scripts of a `package.json` with these names, and what npm runs before and after each. */
export function packageScripts(text: string, names: readonly string[]): readonly Script[] {
  const scripts = tableAt(json(text), 'scripts');
  const patterns = names
    .filter((name) => name !== '')
    .flatMap((name) => [`pre${name}`, name, `post${name}`]);
  return Object.entries(scripts).flatMap(([name, value]) =>
    typeof value === 'string' && matchesName(name, patterns) ? [{ name, text: value }] : [],
  );
}

/** Everything of a `package.json` that configures a tool, as text. */
export function toolSections(text: string): string {
  const sections = Object.entries(json(text)).filter(
    ([key]) => key !== 'scripts' && !Object.hasOwn(packageJson, key),
  );
  return JSON.stringify(Object.fromEntries(sections), null, 1);
}

/** Shell texts of tasks that a file of tasks may start; of all of them where names do not tell. */
export function taskTexts(file: string, text: string, names: readonly string[]): readonly string[] {
  if (text === '') return [];
  const lower = file.toLowerCase();
  if (lower === 'composer.json' || lower.startsWith('deno.json')) {
    const table = tableAt(json(text), lower === 'composer.json' ? 'scripts' : 'tasks');
    return named(table, names).flatMap(stringsIn);
  }
  if (lower === 'pyproject.toml') return pythonTasks(text, names);
  return taskLines(text);
}

function pythonTasks(text: string, names: readonly string[]): readonly string[] {
  try {
    const tool = tableAt(parse(text), 'tool');
    const tables = [
      tableAt(tableAt(tool, 'poe'), 'tasks'),
      tableAt(tableAt(tool, 'pdm'), 'scripts'),
      tableAt(tableAt(tool, 'rye'), 'scripts'),
      ...Object.values(tableAt(tableAt(tool, 'hatch'), 'envs')).map((each) =>
        isTable(each) ? tableAt(each, 'scripts') : {},
      ),
    ];
    return [
      ...tables.flatMap((table) => named(table, names)).flatMap(stringsIn),
      ...stringsIn(tableAt(tool, 'tox')).flatMap((each) => each.split('\n')),
    ];
  } catch {
    // A manifest that cannot be read starts nothing.
    return [];
  }
}

/** Lines that are commands in files of tasks: recipes, list entries, values of keys. Too many are harmless. */
function taskLines(text: string): readonly string[] {
  return text
    .split('\n')
    .slice(0, 2000)
    .filter((line) => /^\s/.test(line) || /^(?:commands|entry|cmd)/.test(line))
    .map((line) =>
      line
        .trim()
        .replace(/^(?:- )?(?:\w{1,20}: ?|\w{1,20} ?= ?)?["']?[@-]?/, '')
        .replace(/["']$/, ''),
    )
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function named(table: Table, names: readonly string[]): readonly unknown[] {
  return Object.entries(table).flatMap(([name, value]) =>
    names.some((each) => each === name || each.endsWith(`:${name}`)) ? [value] : [],
  );
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isTable(value) ? Object.values(value).flatMap(stringsIn) : [];
}

function json(text: string): Table {
  try {
    const value: unknown = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
    return isTable(value) ? value : {};
  } catch {
    // A manifest that cannot be read starts nothing; the checks that need it fail by themselves.
    return {};
  }
}

function tableAt(table: Table, key: string): Table {
  const value = Object.hasOwn(table, key) ? table[key] : undefined;
  return isTable(value) ? value : {};
}
