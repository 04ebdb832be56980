/** Finds the agent's own tool for an act, by name and schema. */
import type { Act, Tool } from './scenario.ts';
import { shellWord } from '../../core/text/shell-word.ts';

export type ToolCall = {
  readonly name: string;
  /** Plain text for freeform tools, else parameters. */
  readonly input: string | Readonly<Record<string, unknown>>;
};

const writeNames = ['Write', 'write_file', 'write', 'create_file', 'str_replace_based_edit_tool'];
const readNames = ['Read', 'read_file', 'read', 'view'];
const shellNames = [
  'Bash',
  'bash',
  'exec_command',
  'shell_command',
  'run_shell_command',
  'shell',
  'container.exec',
  'execute',
];
const pathNames = ['file_path', 'filePath', 'path', 'absolute_path', 'file'];
const contentNames = ['content', 'contents', 'file_text', 'text'];
const commandNames = ['command', 'cmd', 'script'];

/** Null when the agent has no tool for it. */
export function chooseTool(act: Act, tools: readonly Tool[]): ToolCall | null {
  switch (act.kind) {
    case 'tool':
      return { name: act.name, input: act.input };
    case 'shell':
      return callShell(act.command, tools);
    case 'read':
      return callWithPath(readNames, act.path, {}, tools) ?? callShell(`cat ${act.path}`, tools);
    case 'write':
      return callWrite(act, tools);
  }
}

function callWrite(act: Extract<Act, { kind: 'write' }>, tools: readonly Tool[]): ToolCall | null {
  const written = tools.find(({ name }) => writeNames.includes(name));
  const contentName = contentNames.find((name) => written?.properties.includes(name) === true);
  if (contentName !== undefined) {
    return callWithPath(writeNames, act.path, { [contentName]: act.content }, tools);
  }
  const patch = tools.find(({ name }) => name === 'apply_patch');
  if (patch !== undefined && act.isNew === true) return callPatch(patch, act);
  return callShell(`printf '%s' ${shellWord(act.content)} > ${shellWord(act.path)}`, tools);
}

function callPatch(tool: Tool, act: Extract<Act, { kind: 'write' }>): ToolCall {
  const lines = act.content.trimEnd().split('\n');
  const patch = [
    '*** Begin Patch',
    `*** Add File: ${act.path}`,
    ...lines.map((line) => `+${line}`),
    '*** End Patch',
  ].join('\n');
  if (tool.isFreeform) return { name: tool.name, input: patch };
  return { name: tool.name, input: { [tool.properties[0] ?? 'input']: patch } };
}

function callWithPath(
  names: readonly string[],
  path: string,
  further: Readonly<Record<string, unknown>>,
  tools: readonly Tool[],
): ToolCall | null {
  const tool = firstNamed(names, tools);
  const pathName = pathNames.find((name) => tool?.properties.includes(name) === true);
  if (tool === undefined || pathName === undefined) return null;
  return { name: tool.name, input: { [pathName]: path, ...further, ...described(tool) } };
}

function callShell(command: string, tools: readonly Tool[]): ToolCall | null {
  const tool = firstNamed(shellNames, tools);
  const scripting = tools.find(({ name, isFreeform }) => name === 'exec' && isFreeform);
  if (tool === undefined && scripting !== undefined) {
    const script = `text(await tools.exec_command(${JSON.stringify({ cmd: command })}))`;
    return { name: scripting.name, input: script };
  }
  const name = commandNames.find((each) => tool?.properties.includes(each) === true);
  if (tool === undefined || name === undefined) return null;
  const value = tool.lists.includes(name) ? ['sh', '-c', command] : command;
  return { name: tool.name, input: { [name]: value, ...described(tool) } };
}

/** Some agents insist on a word about every call. */
function described(tool: Tool): Readonly<Record<string, string>> {
  return tool.properties.includes('description') ? { description: 'Scripted step' } : {};
}

function firstNamed(names: readonly string[], tools: readonly Tool[]): Tool | undefined {
  for (const name of names) {
    const tool = tools.find((each) => each.name === name);
    if (tool !== undefined) return tool;
  }
  return undefined;
}
