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
      const file = path.join(path.dirname(run.promptFile), 'gemini-settings.json');
      const address = settings.baseUrl ?? run.env['GOOGLE_GEMINI_BASE_URL'];
      return {
        argv: [settings.program, ...settings.args, ...geminiArgs(settings, run)],
        env: {
          GEMINI_CLI_NO_RELAUNCH: 'true',
          GEMINI_CLI_TRUST_WORKSPACE: 'true',
          ...run.env,
          // Settings of the system are stronger than the user's, and leave the rest of them alone.
          GEMINI_CLI_SYSTEM_SETTINGS_PATH: file,
          ...(address === undefined ? {} : { GOOGLE_GEMINI_BASE_URL: address }),
          ...keyAs('GEMINI_API_KEY', settings, run),
        },
        stdin: wholePrompt(run),
        files: {
          [file]: `${JSON.stringify(quietSettings(run, address !== undefined), null, 2)}\n`,
        },
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

function quietSettings({ maxTurns }: AgentRun, hasAddress: boolean): object {
  return {
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false, maxAttempts: 1 },
    ...(maxTurns === 0 ? {} : { model: { maxSessionTurns: maxTurns } }),
    // An address alone would choose a way to sign in that needs a terminal.
    ...(hasAddress ? { security: { auth: { selectedType: 'gemini-api-key' } } } : {}),
  };
}
