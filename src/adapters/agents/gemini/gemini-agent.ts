import path from 'node:path';
import type { AgentAdapter, AgentRun } from '../../../ports/agent.ts';
import { keyAs, unlessGiven, wholePrompt, type CliSettings } from '../cli-agent.ts';
import { finishGemini } from './gemini-outcome.ts';
import { geminiStart, parseGemini, type GeminiState } from './gemini-stream.ts';

/** Gemini CLI, headless. */
export function createGeminiAgent(settings: CliSettings): AgentAdapter<GeminiState> {
  return {
    name: settings.name,
    kind: 'cli',
    needsPrice: true,
    permissions: 'bypassed',
    variables: [
      'GEMINI_API_KEY',
      'GOOGLE_API_KEY',
      'GOOGLE_GEMINI_BASE_URL',
      'GOOGLE_CLOUD_*',
      'GOOGLE_GENAI_*',
      'GOOGLE_APPLICATION_CREDENTIALS',
      ...(settings.keyVariable === null ? [] : [settings.keyVariable]),
    ],
    command(run) {
      const key = keyAs('GEMINI_API_KEY', settings, run);
      const home = ownHome({ ...run.env, ...key }, run);
      const address = settings.baseUrl ?? run.env['GOOGLE_GEMINI_BASE_URL'];
      return {
        argv: [settings.program, ...settings.args, ...geminiArgs(settings, run)],
        env: {
          GEMINI_CLI_NO_RELAUNCH: 'true',
          GEMINI_CLI_TRUST_WORKSPACE: 'true',
          ...run.env,
          ...(home === null ? {} : { GEMINI_CLI_HOME: home }),
          ...(address === undefined ? {} : { GOOGLE_GEMINI_BASE_URL: address }),
          ...key,
        },
        stdin: wholePrompt(run),
        files:
          home === null
            ? {}
            : { [path.join(home, '.gemini', 'settings.json')]: quietSettings(run) },
        state: ['.gemini'],
      };
    },
    start: () => geminiStart,
    parse: parseGemini,
    finish: finishGemini,
  };
}

function geminiArgs(settings: CliSettings, run: AgentRun): readonly string[] {
  return [
    '--output-format',
    'stream-json',
    ...unlessGiven(settings, '--approval-mode', 'yolo'),
    ...(run.model === null ? [] : ['-m', run.model]),
  ];
}

/**
 * A home of its own for the program's settings, since it takes quiet ones from nowhere else that is ours to write. Only with a
 * key: a sign-in is in the user's home, and so is the door that a sandbox has.
 */
function ownHome(env: Readonly<Record<string, string>>, run: AgentRun): string | null {
  if (env['GEMINI_API_KEY'] === undefined || run.sandbox != null) return null;
  return path.join(path.dirname(run.promptFile), 'gemini');
}

function quietSettings({ maxTurns }: AgentRun): string {
  const settings = {
    // An address alone would choose a way to sign in that needs a terminal.
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false, maxAttempts: 1 },
    ...(maxTurns === 0 ? {} : { model: { maxSessionTurns: maxTurns } }),
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}
