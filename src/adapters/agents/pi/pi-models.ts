import type { ModelKnowledge } from '../../../core/preflight/model-knowledge.ts';
import { unlessGiven, type CliSettings } from '../cli-agent.ts';
import type { ModelQuestion } from '../model-question.ts';

/**
 * pi looks its model up when it starts, and ends at once with an error when there is none. As a server without input it
 * ends before it asks any model anything.
 */
export function piQuestion(settings: CliSettings, model: string): ModelQuestion {
  const own = ['--mode', 'rpc', ...unlessGiven(settings, '--no-session'), '--model', model];
  return {
    argv: [settings.program, ...settings.args, ...own],
    env: { PI_OFFLINE: '1' },
    read({ code, stderr }): ModelKnowledge {
      if (code === 0) return { kind: 'known' };
      const line = stderr.split('\n').find((each) => each.startsWith(`Error: Model "${model}" `));
      if (line === undefined) return { kind: 'unsure' };
      const said = line.slice('Error: '.length).trim();
      const asked = `${settings.program} --model ${model}`;
      return { kind: 'unknown', asked, said, models: ambiguousNames(line) };
    },
    list: { argv: [settings.program, ...settings.args, '--list-models'], read: namesInTable },
  };
}

/** A table: `provider  model  context …`, one line for each. */
function namesInTable(stdout: string): readonly string[] {
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s{2,}/));
  const [heading] = rows;
  if (heading?.[0] !== 'provider' || heading[1] !== 'model') return [];
  return rows.slice(1).flatMap(([provider = '', model = '']) => {
    return provider === '' || model === '' ? [] : [`${provider}/${model}`];
  });
}

/** `Model "x" is ambiguous across providers: a/x, b/x`. */
function ambiguousNames(line: string): readonly string[] {
  const at = line.indexOf('across providers: ');
  if (at === -1) return [];
  const [names = ''] = line.slice(at + 'across providers: '.length).split('. ', 1);
  return names.split(', ').filter((name) => name.includes('/'));
}
