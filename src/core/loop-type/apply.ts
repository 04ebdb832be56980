import { originOf } from '../config/layers.ts';
import type { Origins } from '../config/layers.ts';
import type { Settings } from '../config/schema.ts';
import type { ModelStrategy } from '../config/section/agents.ts';
import { passChecks } from './pass-checks.ts';
import type { LoopType, LoopTypeValues } from './resolve.ts';

/**
 * Settings as a loop of this type has them. A value of the type wins over files, and environment and flags win
 * over it. What a built-in type brings is only a better default: anything the user wrote wins over that.
 */
export function applyLoopType(settings: Settings, type: LoopType, origins: Origins): Settings {
  const { validation, limits, progress, hooks } = settings;
  const agent = over('agent', 'agent', settings.agent);
  const session = over('session', 'session.name', null);
  return {
    ...settings,
    agent,
    agents: withSession(
      withTools(settings.agents, agent, over('tools', 'agents', null)),
      agent,
      session,
    ),
    session: { ...settings.session, name: session ?? settings.session.name },
    validation: {
      ...validation,
      // Null in a type stands for the project's own command.
      command:
        over('validation-command', 'validation.command', validation.command) ?? validation.command,
      commands: { ...validation.commands, ...passChecks(type, settings) },
      'success-exit-code': over(
        'success-exit-code',
        'validation.success-exit-code',
        validation['success-exit-code'],
      ),
    },
    limits: {
      ...limits,
      'max-iterations': over('max-iterations', 'limits.max-iterations', limits['max-iterations']),
      'max-turns-per-iteration': over(
        'max-turns-per-iteration',
        'limits.max-turns-per-iteration',
        limits['max-turns-per-iteration'],
      ),
      'iteration-timeout': over(
        'iteration-timeout',
        'limits.iteration-timeout',
        limits['iteration-timeout'],
      ),
    },
    progress: {
      ...progress,
      'max-entries': over('progress-max-entries', 'progress.max-entries', progress['max-entries']),
      'max-chars': over('progress-max-chars', 'progress.max-chars', progress['max-chars']),
    },
    strategy: over('strategy', 'strategy.name', settings.strategy),
    'model-strategy': withModel(
      over('model-strategy', 'model-strategy.name', settings['model-strategy']),
      over('model', 'model-strategy.name', null),
    ),
    gates: over('gates', 'gates', settings.gates),
    hooks: { ...hooks, ...type.values.hooks },
  };

  function over<K extends keyof LoopTypeValues, T>(key: K, path: string, current: T) {
    const value = type.values[key];
    return value === undefined || !wins(type, key, path, origins) ? current : value;
  }
}

function wins(type: LoopType, key: string, path: string, origins: Origins): boolean {
  const { layer } = originOf(origins, path.split('.'));
  if (type.writtenBy[key] === 'built-in') return layer === 'defaults';
  return layer !== 'env' && layer !== 'flags';
}

/** Tools are the native agent's: others bring their own. */
function withTools(
  agents: Settings['agents'],
  name: string | null,
  tools: LoopTypeValues['tools'] | null,
): Settings['agents'] {
  if (name === null || tools == null) return agents;
  const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
  const isNative = agent === undefined ? name === 'native' : agent.kind === 'native';
  return isNative ? { ...agents, [name]: { kind: 'native', ...agent, tools } } : agents;
}

/** What a type says of sessions wins over what is said of its agent. */
function withSession(
  agents: Settings['agents'],
  name: string | null,
  session: LoopTypeValues['session'] | null,
): Settings['agents'] {
  if (name === null || session == null) return agents;
  const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
  return agent?.session === undefined ? agents : { ...agents, [name]: { ...agent, session } };
}

function withModel(strategy: ModelStrategy, model: string | null): ModelStrategy {
  return model === null ? strategy : { ...strategy, name: 'fixed', model };
}
