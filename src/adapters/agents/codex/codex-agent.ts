import path from 'node:path';
import { fitsSystemPrompt } from '../../../core/prompt/system-prompt.ts';
import type { AgentAdapter, AgentRun } from '../../../ports/agent.ts';
import { unlessGiven, wholePrompt, type CliSettings } from '../cli-agent.ts';
import { finishCodex } from './codex-outcome.ts';
import { codexStart, contextInRollout, parseCodex, type CodexState } from './codex-stream.ts';

const defaultKeyVariable = 'OPENAI_API_KEY';

/** OpenAI Codex, headless. */
export function createCodexAgent(settings: CliSettings): AgentAdapter<CodexState> {
  const { keyVariable } = settings;
  return {
    name: settings.name,
    kind: 'cli',
    hasSystemPrompt: true,
    needsPrice: true,
    canResume: true,
    variables: [
      defaultKeyVariable,
      'CODEX_API_KEY',
      'CODEX_HOME',
      ...(keyVariable === null ? [] : [keyVariable]),
    ],
    command: (run) => ({
      argv: [
        settings.program,
        'exec',
        ...settings.args,
        ...codexArgs(settings, run),
        ...resumeArgs(run),
        '-',
      ],
      env: run.env,
      stdin: fitsSystemPrompt(run.systemPrompt) ? run.prompt : wholePrompt(run),
      files: {},
      state: ['.codex'],
    }),
    transcripts: transcriptsOf,
    start: (run) => ({ ...codexStart, before: run?.resume?.used ?? null }),
    contextIn: contextInRollout,
    parse: parseCodex,
    finish: finishCodex,
  };
}

function resumeArgs({ resume }: AgentRun): readonly string[] {
  return resume === undefined ? [] : ['resume', resume.id];
}

function codexArgs(settings: CliSettings, run: AgentRun): readonly string[] {
  // Its own walls do not stand inside ours.
  const walls = run.sandbox == null ? 'workspace-write' : 'danger-full-access';
  return [
    '--json',
    '--skip-git-repo-check',
    ...(settings.args.includes('--dangerously-bypass-approvals-and-sandbox')
      ? []
      : unlessGiven(settings, '--sandbox', walls)),
    ...configured('analytics.enabled', false),
    '--disable',
    'plugins',
    // It keeps the whole environment, keys included, in a file, and leaves it there when it is ended.
    '--disable',
    'shell_snapshot',
    ...(settings.baseUrl === null ? [] : providerArgs(settings.baseUrl, settings.keyVariable)),
    ...(run.model === null ? [] : ['-m', run.model]),
    ...(fitsSystemPrompt(run.systemPrompt)
      ? configured('developer_instructions', run.systemPrompt)
      : []),
  ];
}

/** A provider of our own, since the retries of the built-in one cannot be changed. */
function providerArgs(baseUrl: string, keyVariable: string | null): readonly string[] {
  const provider = 'model_providers.loopwright';
  return [
    ...configured('model_provider', 'loopwright'),
    ...configured(`${provider}.name`, 'loopwright'),
    ...configured(`${provider}.base_url`, baseUrl),
    ...configured(`${provider}.env_key`, keyVariable ?? defaultKeyVariable),
    ...configured(`${provider}.wire_api`, 'responses'),
    // Either kind of retry repeats all of the other: one in all.
    ...configured(`${provider}.request_max_retries`, 0),
    ...configured(`${provider}.stream_max_retries`, 1),
  ];
}

/** JSON's strings, numbers and truth values are TOML's too. */
function configured(key: string, value: string | number | boolean): readonly string[] {
  return ['-c', `${key}=${JSON.stringify(value)}`];
}

function transcriptsOf({ env }: AgentRun): readonly string[] {
  const home =
    env['CODEX_HOME'] ?? (env['HOME'] === undefined ? null : path.join(env['HOME'], '.codex'));
  return home === null ? [] : [path.join(home, 'sessions', '*', '*', '*', 'rollout-*.jsonl')];
}
