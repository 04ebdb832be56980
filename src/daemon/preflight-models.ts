import type { KnownModels } from '../adapters/agents/known-models.ts';
import { modelSourceOf, startOf } from '../adapters/agents/registry.ts';
import type { Settings } from '../core/config/schema.ts';
import { agentEnvironment } from '../core/env/allow-list.ts';
import { LoopwrightError } from '../core/error.ts';
import { likelyModel, listModels, type ModelKnowledge } from '../core/preflight/model-knowledge.ts';
import { modelLine, plannedModels } from '../core/preflight/priced-models.ts';
import type { Parts } from './preflight.ts';

/** Refuses a model of which the agent itself says that there is none. Agents that cannot say so are not asked. */
export async function requireModels(
  parts: Parts,
  known: KnownModels,
  settings: Settings,
): Promise<void> {
  const agent = settings.agent ?? '';
  const { supervisor, project } = parts;
  const { variables } = await parts.resolveAgent(settings);
  const { pass, set } = settings.env;
  const rules = { pass: [...variables, ...pass], set, reserved: {} };
  const own = settings.agents[agent]?.env ?? startOf(agent, settings.agents)?.env;
  const env = { ...agentEnvironment(parts.env, rules), ...own };
  const from = { supervisor, folder: project.root, env };
  const asked = plannedModels(agent, settings).flatMap((model) => {
    const source = modelSourceOf(agent, settings.agents, model);
    return source === null ? [] : [{ source, model, from }];
  });
  const tellLate = (model: string) => (answer: ModelKnowledge) => {
    if (answer.kind !== 'unknown') return;
    const { message, hint } = unknownModel(agent, model, answer, settings);
    parts.publish({ kind: 'notice', text: `warning: ${message}; ${hint ?? ''}` });
  };
  const answers = await Promise.all(asked.map((ask) => known.ask(ask, tellLate(ask.model))));
  for (const [index, answer] of answers.entries()) {
    const model = asked[index]?.model ?? '';
    if (answer.kind === 'unknown') throw unknownModel(agent, model, answer, settings);
  }
}

function unknownModel(
  agent: string,
  model: string,
  { asked, said, models }: Extract<ModelKnowledge, { kind: 'unknown' }>,
  settings: Settings,
): LoopwrightError {
  const close = likelyModel(model, models);
  const guess = close === null ? '' : `; did you mean ${close}?`;
  const instead = close ?? 'MODEL';
  const list = models.length === 0 ? '' : `; it knows ${listModels(models)}`;
  return new LoopwrightError(
    'agent.unknown_model',
    `the agent ${agent} cannot use the model ${model} (asked \`${asked}\`: ${said})${guess}`,
    {
      hint: `write \`${modelLine(agent, model, instead, settings)}\` into loopwright.yml, or give --model ${instead}${list}`,
      details: { agent, model, nearest: close, models: models.slice(0, 100) },
    },
  );
}
