import { checkboxOf } from './checkbox.ts';
import type { TaskFormat } from './import-plan.ts';

/** What the file's name and, where that says too little, its content tell. `json` may still turn out to be a PRD. */
export function detectFormat(name: string | null, text: string): TaskFormat {
  const extension = /\.([a-z]+)$/i.exec(name ?? '')?.[1]?.toLowerCase() ?? '';
  if (extension === 'md' || extension === 'markdown') return 'markdown';
  if (extension === 'jsonl' || extension === 'ndjson') return 'beads';
  if (extension === 'yml' || extension === 'yaml') return 'yaml';
  if (extension === 'json') return 'json';
  return detectContent(text);
}

function detectContent(text: string): TaskFormat {
  const start = text.trimStart();
  if (start.startsWith('{') || start.startsWith('[{')) return isJsonLines(start) ? 'beads' : 'json';
  const lines = text.split('\n', maxLooked);
  return lines.some((line) => checkboxOf(line.trimEnd()) !== null) ? 'markdown' : otherwise(start);
}

const maxLooked = 10_000;

function isJsonLines(text: string): boolean {
  const first = text.slice(0, text.indexOf('\n') === -1 ? undefined : text.indexOf('\n')).trim();
  try {
    const value: unknown = JSON.parse(first);
    // A whole file of JSON on one line is not a line of beads.
    return typeof value === 'object' && value !== null && 'id' in value && 'title' in value;
  } catch {
    // The first line alone is no JSON, so the file is one document.
    return false;
  }
}

function otherwise(text: string): TaskFormat {
  if (text.startsWith('[')) return 'json';
  return /^(?:---|tasks:|- title:)/m.test(text) ? 'yaml' : 'markdown';
}
