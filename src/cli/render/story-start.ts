import { effectiveMaxDuration } from '../../core/config/limits.ts';
import type { Settings } from '../../core/config/schema.ts';
import { builtInAgents } from '../../core/config/section/agents.ts';
import type { Loop } from '../../core/loop/loop.ts';
import { redactText } from '../../protocol/redact-text.ts';
import { gateName, inOrder } from '../../core/verdict/gate.ts';
import { formatCost, formatDuration, plural } from './format.ts';
import { heading, line, type StoryLine } from './story-line.ts';

/** What a loop is about to do and within which limits. */
export function startLines(loop: Loop): readonly StoryLine[] {
  const { settings } = loop;
  return [
    heading(`${loop.id} · ${loop.title}`),
    line('task', loop.taskId),
    placeLine(loop),
    line('agent', loop.options.verifyOnly ? 'none: only the checks are run' : describeAgent(loop)),
    line('checks', describeChecks(settings, loop.options.verify)),
    ...(settings.gates.length === 0 ? [] : [line('gates', describeGates(settings))]),
    line('limits', describeLimits(settings)),
  ];
}

function placeLine({ workspace, options }: Loop): StoryLine {
  const { mode, branch, base, baseRef, path } = workspace;
  if (mode === 'in-place') {
    const onto = branch === null ? '' : ` on ${branch}`;
    return line('in place', `${path}${onto}${options.commit ? '' : ', without commits'}`);
  }
  const at = base === null ? '' : ` at ${base.slice(0, 8)}`;
  return line('branch', `${branch ?? 'none'} from ${baseRef ?? 'HEAD'}${at}`);
}

function describeAgent({ agent, settings, loopType }: Loop): string {
  const model = describeModel(agent, settings);
  return `${redactText()(agent)}${model}${loopType === 'ralph' ? '' : `, loop type ${loopType}`}`;
}

/** Which model the agent gets, and why. Nothing for an agent that has no models we know of. */
function describeModel(agent: string, settings: Settings): string {
  const { name, model } = settings['model-strategy'];
  const configured = settings.agents[agent];
  if (configured?.model !== undefined) return `, model ${configured.model} (set for the agent)`;
  if (model !== undefined) return `, model ${model}`;
  const hasTiers = Object.keys(settings.models[agent] ?? {}).length > 0;
  if (name === 'auto' && hasTiers) return ', model by cost-optimized (its tiers are configured)';
  const kind = configured?.kind ?? (configured?.command === undefined ? agent : 'command');
  if (!builtInAgents.some((each) => each === kind)) return '';
  if (name === 'auto' || name === 'fixed') return ', its own model (no other is configured)';
  return `, model by ${name}`;
}

export function describeChecks({ validation, verify: more }: Settings, verify: boolean): string {
  if (!verify) return 'none (--no-verify): this loop can never be complete';
  const named = Object.entries(validation.commands).map(
    ([name, { command }]) => `${name}: ${command}`,
  );
  const { fixtures } = more;
  const all = [
    ...(validation.command === null ? [] : [validation.command]),
    ...named,
    ...(fixtures.length === 0 ? [] : [plural(fixtures.length, 'fixture')]),
    ...(more['clean-room'] ? ['in a clean room'] : []),
  ];
  return all.length === 0 ? 'none' : redactText()(all.join(' · '));
}

/** In the order they are looked at. */
export function describeGates({ gates }: Settings): string {
  return inOrder(gates).map(gateName).join(', ');
}

export function describeLimits(settings: Settings): string {
  const cap = settings.limits['max-iterations'];
  const duration = effectiveMaxDuration(settings);
  const { 'max-cost-usd': cost, 'max-tokens': tokens } = settings.budget;
  const parts = [
    cap === 0 ? 'any number of iterations' : plural(cap, 'iteration'),
    duration === null ? null : formatDuration(duration),
    cost === null || cost === 0 ? null : formatCost(cost),
    tokens === null || tokens === 0 ? null : `${tokens} tokens`,
  ];
  return parts.filter((part) => part !== null).join(', ');
}
