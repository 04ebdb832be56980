import path from 'node:path';
import { fitsSystemPrompt } from '../../../core/prompt/system-prompt.ts';
import type { AgentAdapter, AgentRun } from '../../../ports/agent.ts';
import { keyAs, unlessGiven, wholePrompt, type CliSettings } from '../cli-agent.ts';
import { finishClaude } from './claude-outcome.ts';
import { claudeStart, parseClaude, type ClaudeState } from './claude-stream.ts';

/** Claude Code, headless. */
export function createClaudeAgent(settings: CliSettings): AgentAdapter<ClaudeState> {
  return {
    name: settings.name,
    kind: 'cli',
    hasSystemPrompt: true,
    reportsUsage: true,
    canResume: true,
    permissions: 'bypassed',
    variables: [
      'ANTHROPIC_*',
      'CLAUDE_CONFIG_DIR',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
      'CLAUDE_CODE_MAX_OUTPUT_TOKENS',
      ...(settings.keyVariable === null ? [] : [settings.keyVariable]),
    ],
    command: (run) => ({
      argv: [settings.program, ...settings.args, ...claudeArgs(settings, run)],
      env: {
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        // One retry of its own: the wait before it tells what the provider asked for.
        CLAUDE_CODE_MAX_RETRIES: '1',
        // As root it starts without asking for permissions only where it is told that somebody else has put up walls.
        ...(settings.isRoot ? { IS_SANDBOX: '1' } : {}),
        ...run.env,
        ...(settings.baseUrl === null ? {} : { ANTHROPIC_BASE_URL: settings.baseUrl }),
        ...keyAs('ANTHROPIC_API_KEY', settings, run),
      },
      stdin: fitsSystemPrompt(run.systemPrompt) ? run.prompt : wholePrompt(run),
      files: {},
      state: ['.claude', '.claude.json', '.config/claude'],
    }),
    transcripts: transcriptsOf,
    start: (run) => ({ ...claudeStart, isResumed: run?.resume !== undefined }),
    parse: parseClaude,
    finish: finishClaude,
  };
}

function claudeArgs(settings: CliSettings, run: AgentRun): readonly string[] {
  return [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--include-partial-messages',
    ...unlessGiven(settings, '--permission-mode', 'bypassPermissions'),
    ...(run.maxTurns === 0 ? [] : ['--max-turns', String(run.maxTurns)]),
    ...(run.resume === undefined ? [] : ['--resume', run.resume.id]),
    ...(run.model === null ? [] : ['--model', run.model]),
    ...(fitsSystemPrompt(run.systemPrompt) ? ['--append-system-prompt', run.systemPrompt] : []),
  ];
}

/** Each working folder has a folder of its own for transcripts, named after it. */
function transcriptsOf({ env, cwd }: AgentRun): readonly string[] {
  const home =
    env['CLAUDE_CONFIG_DIR'] ??
    (env['HOME'] === undefined ? null : path.join(env['HOME'], '.claude'));
  if (home === null) return [];
  return [path.join(home, 'projects', cwd.replaceAll(/[^A-Za-z0-9]/g, '-'), '*.jsonl')];
}
