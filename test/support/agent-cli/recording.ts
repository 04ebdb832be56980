/** Streams of real agent CLIs, kept as files: a line about the recording, then what the program printed. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { CliAgent } from '../../../src/adapters/agents/cli-registry.ts';
import type { ProcessEnd } from '../../../src/ports/process.ts';

const project = path.resolve(import.meta.dirname, '../../..');
const folder = path.join(project, 'test/fixtures/agent-streams');

export type Recording = {
  readonly version: string;
  readonly scenario: string;
  readonly end: ProcessEnd;
  readonly stderr: string;
  readonly lines: readonly string[];
};

export function recordingFile(agent: CliAgent, scenario: string): string {
  return path.join(folder, agent, `${scenario}.jsonl`);
}

export function readRecording(agent: CliAgent, scenario: string): Recording {
  const text = readFileSync(recordingFile(agent, scenario), 'utf8');
  const [head = '', ...lines] = text.trimEnd().split('\n');
  return { ...JSON.parse(head), lines };
}

export function recordedScenarios(agent: CliAgent): readonly string[] {
  return readdirSync(path.join(folder, agent)).map((name) => path.basename(name, '.jsonl'));
}

/** A recording as a file: paths of the machine replaced, long lists and texts cut, everything else as it was. */
export function renderRecording(
  about: Omit<Recording, 'lines'> & { readonly agent: CliAgent },
  stdout: string,
  root: string,
): string {
  const lines = stdout.split('\n').filter((line) => line !== '');
  return `${[about, ...lines.map(pruned)]
    .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    .join('\n')
    .replaceAll(root, '/trial')
    .replaceAll(project, '/project')}\n`;
}

const maxChars = 600;
const maxEntries = 6;
/** What claude tells about itself at length. */
const dropped = new Set([
  'tools',
  'slash_commands',
  'terminal_slash_commands',
  'skills',
  'plugins',
  'capabilities',
  'agents',
  'subagent_stats',
  'sections',
  'messages',
]);

function pruned(line: string): string {
  try {
    return JSON.stringify(prunedValue(JSON.parse(line)));
  } catch {
    return line;
  }
}

function prunedValue(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > maxChars ? `${value.slice(0, maxChars)}…` : value;
  if (Array.isArray(value)) return value.slice(0, maxEntries).map(prunedValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !dropped.has(key))
      .map(([key, each]) => [key, prunedValue(each)]),
  );
}
