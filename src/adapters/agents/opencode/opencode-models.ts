import type { ModelKnowledge } from '../../../core/preflight/model-knowledge.ts';
import type { CliSettings } from '../cli-agent.ts';
import { unlessGiven } from '../cli-agent.ts';
import type { ModelQuestion } from '../model-question.ts';
import { quietSettings } from './opencode-agent.ts';

const lineOfModel = /^[\w.@:+-]{1,100}(?:\/[\w.@:+-]{1,200}){1,6}$/;

/** opencode lists every model it would take, and fails with any other. */
export function opencodeQuestion(settings: CliSettings, model: string): ModelQuestion {
  return {
    argv: [settings.program, 'models', ...settings.args, ...unlessGiven(settings, '--pure')],
    env: quietSettings,
    read({ code, stdout }): ModelKnowledge {
      if (code !== 0) return { kind: 'unsure' };
      const models = stdout
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => lineOfModel.test(line));
      if (models.length === 0) return { kind: 'unsure' };
      if (models.includes(model)) return { kind: 'known' };
      const asked = `${settings.program} models`;
      return { kind: 'unknown', asked, said: 'it is not in the list', models };
    },
  };
}
