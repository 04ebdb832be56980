import { stringify } from 'yaml';
import type { Edge } from '../../core/graph/cycle.ts';
import { readBeads, writeBeads } from '../../core/task/beads.ts';
import { detectFormat } from '../../core/task/detect.ts';
import { toPlainTasks, writeMarkdown } from '../../core/task/export.ts';
import { importError, type ImportPlan, type TaskFormat } from '../../core/task/import-plan.ts';
import { readPlainTasks } from '../../core/task/json.ts';
import { readMarkdown } from '../../core/task/markdown.ts';
import { isPrd, readPrd } from '../../core/task/prd.ts';
import type { Task } from '../../core/task/task.ts';
import { stripEscapes } from '../../core/text/terminal.ts';
import { parseYamlDocument } from './parse-yaml.ts';

export type ExportFormat = Exclude<TaskFormat, 'prd'>;

/**
 * What the text of a task file asks for. The format follows from the file's name or, without one, from the text, unless
 * it is given. Throws `task.import` with the place in the file.
 */
export function readTaskFile(name: string | null, text: string, format?: TaskFormat): ImportPlan {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const plan = readAs(format ?? detectFormat(name, content), content);
  if (plan.tasks.length > 0) return plan;
  const hint =
    plan.format === 'markdown'
      ? 'Write each task as a box of a list: - [ ] title'
      : 'Write at least one task with a title.';
  throw importError(name ?? 'the text', 'no task was found', hint);
}

function readAs(format: TaskFormat, text: string): ImportPlan {
  switch (format) {
    case 'markdown':
      return readMarkdown(text);
    case 'beads':
      return readBeads(text);
    case 'prd':
      return readPrd(parseJson(text));
    case 'yaml':
      return readPlain(parseYaml(text), 'yaml');
    case 'json':
      return readPlain(parseJson(text), 'json');
  }
}

function readPlain(content: unknown, format: 'json' | 'yaml'): ImportPlan {
  return isPrd(content) ? readPrd(content) : readPlainTasks(content, format);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw importError('the file', `not JSON: ${messageOf(error)}`);
  }
}

function parseYaml(text: string): unknown {
  const document = parseYamlDocument(text);
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line;
    throw importError(line === undefined ? 'the file' : `line ${line}`, error.message);
  }
  try {
    return document.toJS();
  } catch (cause) {
    throw importError('the file', `not usable YAML: ${messageOf(cause)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The text of a task file. Importing it again changes nothing. */
export function writeTaskFile(
  format: ExportFormat,
  stored: readonly Task[],
  edges: readonly Edge[],
): string {
  const tasks = stored.map(withoutEscapes);
  switch (format) {
    case 'markdown':
      return writeMarkdown(tasks, edges);
    case 'json':
      return `${JSON.stringify(toPlainTasks(tasks, edges), null, 2)}\n`;
    case 'yaml':
      return stringify(toPlainTasks(tasks, edges));
    case 'beads':
      return writeBeads(tasks, edges, (time) => new Date(time).toISOString());
  }
}

/** Older versions stored texts with what terminals obey. */
function withoutEscapes(task: Task): Task {
  const { title, description, validation } = task;
  return {
    ...task,
    title: stripEscapes(title),
    description: stripEscapes(description),
    validation: validation === null ? null : stripEscapes(validation),
  };
}
