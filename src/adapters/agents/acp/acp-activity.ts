import path from 'node:path';
import type { Activity } from '../../../core/agent/outcome.ts';
import { listAt, textAt } from './json-path.ts';

const maxChars = 500;

/** What a tool call does, in the words of every agent; null when it does not say enough yet. */
export function toolActivity(update: unknown, cwd: string): Activity | null {
  const kind = textAt(update, 'kind');
  const title = textAt(update, 'title') ?? '';
  const place = textAt(listAt(update, 'locations')[0], 'path');
  const text = place === null ? title : relative(cwd, place);
  switch (kind) {
    case null:
      return title === '' ? null : activity('running', title);
    case 'read':
    case 'search':
    case 'fetch':
      return activity('reading', text);
    case 'edit':
    case 'delete':
    case 'move':
      return activity('editing', text);
    case 'think':
      return activity('thinking', title);
    default:
      return activity('running', title === '' ? kind : title);
  }
}

export function activity(kind: Activity['kind'], text: string): Activity {
  return { kind, text: text.slice(0, maxChars).toWellFormed() };
}

function relative(cwd: string, place: string): string {
  const inside = path.relative(cwd, path.resolve(cwd, place));
  return inside === '' || inside.startsWith('..') ? place : inside;
}
