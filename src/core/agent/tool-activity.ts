/** One vocabulary for what agents do, whatever their tools are called. */
import { isObject, textAt } from '../json/fields.ts';
import type { Activity } from './outcome.ts';

const reading = new Set([
  'read',
  'read_file',
  'read_many_files',
  'notebookread',
  'view',
  'ls',
  'list',
  'list_directory',
  'glob',
  'find',
  'grep',
  'grep_search',
  'search_file_content',
  'webfetch',
  'web_fetch',
  'websearch',
  'web_search',
  'google_web_search',
]);
const editing = new Set([
  'write',
  'write_file',
  'edit',
  'multiedit',
  'replace',
  'notebookedit',
  'apply_patch',
  'patch',
]);
const running = new Set(['bash', 'shell', 'run_shell_command', 'exec_command', 'local_shell']);
const thinking = new Set(['todowrite', 'todoread', 'write_todos', 'update_plan', 'update_topic']);

const pathNames = [
  'file_path',
  'filePath',
  'path',
  'absolute_path',
  'notebook_path',
  'dir_path',
  'pattern',
  'query',
  'url',
] as const;
const commandNames = ['command', 'cmd'] as const;
const nameNames = ['description', 'title', 'prompt', 'name'] as const;

const maxActivityChars = 500;

/** A line of it, bounded. */
export function activityOf(kind: Activity['kind'], text: string): Activity {
  const trimmed = text.trim();
  if (trimmed.length <= maxActivityChars) return { kind, text: trimmed };
  return { kind, text: `${trimmed.slice(0, maxActivityChars).toWellFormed()}…` };
}

/** What a call of a tool is, by the tool's name and what it was called with. */
export function toolActivity(tool: string, input: unknown): Activity {
  const name = tool.toLowerCase();
  if (reading.has(name)) return activityOf('reading', firstText(input, pathNames) ?? tool);
  if (editing.has(name)) return activityOf('editing', firstText(input, pathNames) ?? 'files');
  if (running.has(name)) return activityOf('running', firstText(input, commandNames) ?? tool);
  if (thinking.has(name)) return activityOf('thinking', 'planning');
  const about = firstText(input, [...pathNames, ...commandNames, ...nameNames]);
  return activityOf('running', about === null ? tool : `${tool}: ${about}`);
}

/** The agent waits for its model's API, which failed `attempt` times in a row. */
export function waitingForApi(attempt: number | null, delayMs: number | null): Activity {
  const parts = [
    attempt === null ? null : `attempt ${attempt}`,
    delayMs === null ? null : `retry in ${Math.round(delayMs / 100) / 10} s`,
  ].filter((part) => part !== null);
  return activityOf(
    'waiting',
    ['for the API', parts.length === 0 ? '' : `(${parts.join(', ')})`].join(' '),
  );
}

export function finishedAfter(turns: number): Activity {
  return activityOf('finished', turns === 1 ? 'after 1 turn' : `after ${turns} turns`);
}

function firstText(input: unknown, names: readonly string[]): string | null {
  if (!isObject(input)) return null;
  const name = names.find((each) => textAt(input, each) !== '');
  return name === undefined ? null : textAt(input, name);
}
