/** The whole configuration, section by section. Keys are used in code as they are written in the file. */
import { z } from 'zod';
import { LoopTypeDefinition } from '../loop-type/definition.ts';
import { Agents, Models, ModelStrategy, Prices } from './section/agents.ts';
import { Gate } from './section/gates.ts';
import { Hooks } from './section/hooks.ts';
import { Budget, Limits, Memory, Progress } from './section/limits.ts';
import { StopCondition } from './section/stop.ts';
import { Strategy } from './section/strategy.ts';
import {
  Environment,
  Git,
  Mode,
  Notify,
  Prompt,
  Sandbox,
  Scheduler,
  Workspace,
} from './section/surroundings.ts';
import { Validation, Verify } from './section/verification.ts';
import { isTree } from './tree.ts';
import type { Tree } from './tree.ts';
import { Name, Text } from './value.ts';

/** Settings are plain JSON: they are stored with the loop. Durations are milliseconds, sizes bytes. */
export const Settings = z.strictObject({
  agent: Text.nullable()
    .default(null)
    .describe(
      'A configured or built-in agent, `acp:CMD`, `command:CMD` or `scripted:FILE`; null = the first one installed.',
    ),
  agents: Agents.default({}).describe('Your own agents, by name.'),
  types: z.record(Name, LoopTypeDefinition).default({}).describe('Your own loop types, by name.'),
  prompt: Prompt.prefault({}).describe('What goes into the prompt.'),
  validation: Validation.prefault({}).describe('The commands that judge the work.'),
  verify: Verify.prefault({}).describe('How an iteration is judged beyond those commands.'),
  gates: z.array(Gate).default([]).describe('Conditions on top of verification, in order.'),
  strategy: Strategy.prefault('until-pass').describe(
    'Decides after each iteration whether to go on.',
  ),
  stop: z.array(StopCondition).default([]).describe('Further conditions that end a loop.'),
  'model-strategy': ModelStrategy.prefault('cost-optimized').describe(
    'Decides which model the next iteration gets.',
  ),
  models: Models.default({}).describe('Model names of the tiers, per agent.'),
  prices: Prices.default({}).describe('Prices of models that replace the shipped ones.'),
  limits: Limits.prefault({}).describe('Limits of a loop and its iterations.'),
  budget: Budget.prefault({}).describe('What a loop may use up.'),
  progress: Progress.prefault({}).describe('What the next iteration is told of earlier ones.'),
  memory: Memory.prefault({}).describe('What is remembered across loops and tasks.'),
  scheduler: Scheduler.prefault({}).describe('What may run at the same time.'),
  git: Git.prefault({}).describe('Branches and merging.'),
  workspace: Workspace.prefault({}).describe('Where loops work.'),
  sandbox: Sandbox.prefault('off').describe('Isolation of agents.'),
  env: Environment.prefault({}).describe('Environment of agents and checks.'),
  hooks: Hooks.prefault({}).describe('Your own commands and modules at points of the loop.'),
  notify: Notify.prefault({}).describe('Notifications.'),
  mode: Mode.prefault('unattended').describe('How much a person takes part.'),
  store: Text.nullable()
    .default(null)
    .describe('Where state is kept: a file, or `postgres://...`; null = `.loopwright/state.db`.'),
});
export type Settings = z.output<typeof Settings>;

/** For what is read once or twice in the life of a process: code made for its schema would take longer than it saves. */
export const parsedOnce = { jitless: true } as const;

let known: Settings | null = null;

/** The same ones every time: nobody changes settings, they are made anew. */
export function defaultSettings(): Settings {
  known ??= Settings.parse({}, parsedOnce);
  return known;
}

/** Settings as they would be written in a file: durations and sizes as text again. */
export function writtenSettings(settings: Settings): Tree {
  const written: unknown = z.encode(Settings, settings, parsedOnce);
  return isTree(written) ? written : {};
}
