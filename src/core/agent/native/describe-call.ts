import type { Activity } from '../outcome.ts';
import { countChars, headChars } from '../../text/code-points.ts';
import { isTree } from '../../config/tree.ts';
import { toolNames, type ToolName } from './tool.ts';

const maxChars = 200;

/** A call of a tool as one line for people. The input is the model's and may be anything. */
export function describeCall(name: string, input: unknown): Activity {
  const tool = toolNames.find((each) => each === name);
  return tool === undefined
    ? { kind: 'running', text: oneLine(`unknown tool ${name}`) }
    : describeTool(tool, input);
}

function describeTool(name: ToolName, input: unknown): Activity {
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
    case 'query':
      return { kind: 'reading', text: oneLine(`what is known about ${text('of')}`) };
    case 'share':
      return { kind: 'saying', text: oneLine(`to ${text('to')}: ${text('text')}`) };
    case 'complete_task':
      return { kind: 'finished', text: oneLine(text('summary')) };
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
