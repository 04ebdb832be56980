import type { Activity } from '../outcome.ts';
import { countChars, headChars } from '../../text/code-points.ts';
import { isTree } from '../../config/tree.ts';

const maxChars = 200;

/** A call of a tool as one line for people. The input is the model's and may be anything. */
export function describeCall(name: string, input: unknown): Activity {
  const text = (key: string): string => {
    const value = isTree(input) ? input[key] : undefined;
    return typeof value === 'string' ? value : '';
  };
  switch (name) {
    case 'read':
    case 'list':
    case 'tree':
      return { kind: 'reading', text: oneLine(text('path') || '.') };
    case 'glob':
    case 'grep':
      return { kind: 'reading', text: oneLine(inFolder(text('pattern'), text('path'))) };
    case 'explore':
      return { kind: 'reading', text: oneLine(`to find out: ${text('question')}`) };
    case 'write':
    case 'edit':
      return { kind: 'editing', text: oneLine(text('path')) };
    case 'bash':
      return { kind: 'running', text: oneLine(text('command')) };
    case 'todo':
      return { kind: 'thinking', text: 'about what is to be done' };
    case 'complete_task':
      return { kind: 'finished', text: oneLine(text('summary')) };
    default:
      return { kind: 'running', text: oneLine(`unknown tool ${name}`) };
  }
}

function inFolder(pattern: string, folder: string): string {
  return folder === '' || folder === '.' ? pattern : `${pattern} in ${folder}`;
}

function oneLine(text: string): string {
  const line = text.slice(0, 4 * maxChars).split('\n', 1)[0] ?? '';
  const cut = headChars(line, maxChars);
  return (
    countChars(line) > maxChars || line.length < text.length ? `${cut}…` : cut
  ).toWellFormed();
}
