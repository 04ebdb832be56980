import type { AgentAdapter, AgentRun } from '../../../ports/agent.ts';
import { unlessGiven, wholePrompt, type CliSettings } from '../cli-agent.ts';
import { providerKeys } from '../provider-keys.ts';
import { finishOpencode } from './opencode-outcome.ts';
import { opencodeStart, parseOpencode, type OpencodeState } from './opencode-stream.ts';

/** Laid over the user's own configuration. */
const quietConfig = {
  share: 'disabled',
  autoupdate: false,
  permission: { edit: 'allow', bash: 'allow', webfetch: 'allow' },
};

/** Keeps it from fetching lists, updates and plugins. */
export const quietSettings = {
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_CONFIG_CONTENT: JSON.stringify(quietConfig),
} as const;

/** opencode, headless. */
export function createOpencodeAgent(settings: CliSettings): AgentAdapter<OpencodeState> {
  return {
    name: settings.name,
    kind: 'cli',
    reportsUsage: true,
    permissions: 'bypassed',
    variables: ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR', 'OPENCODE_API_KEY', ...providerKeys],
    command: (run) => ({
      argv: [settings.program, 'run', ...settings.args, ...opencodeArgs(settings, run)],
      env: {
        ...quietSettings,
        ...run.env,
      },
      stdin: wholePrompt(run),
      files: {},
      state: [
        '.config/opencode',
        '.local/share/opencode',
        '.local/state/opencode',
        '.cache/opencode',
      ],
    }),
    start: () => opencodeStart,
    parse: parseOpencode,
    finish: finishOpencode,
  };
}

function opencodeArgs(settings: CliSettings, run: AgentRun): readonly string[] {
  return [
    ...unlessGiven(settings, '--pure'),
    '--format',
    'json',
    ...(run.model === null ? [] : ['-m', run.model]),
  ];
}
