/** The whole configuration, section by section. Keys are used in code as they are written in the file. */
import { z } from 'zod';
import { lazy } from '../lazy.ts';
import { defaults, writtenDefaults } from './default-table.ts';
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
  AgentSessions,
  Mode,
  Notify,
  Prompt,
  Sandbox,
  Scheduler,
  Workspace,
} from './section/surroundings.ts';
import { Validation, Verify } from './section/verification.ts';
import type { Section } from './section.ts';
import { isTree } from './tree.ts';
import type { Tree } from './tree.ts';
import { Name, Text } from './value.ts';

/** Every section of the configuration. */
const sections = {
  agent: lazy(() =>
    Text()
      .nullable()
      .default(null)
      .describe(
        'A configured or built-in agent, `acp:CMD`, `command:CMD` or `scripted:FILE`; null = the first one installed.',
      ),
  ),
  agents: lazy(() => Agents().default({}).describe('Your own agents, by name.')),
  types: lazy(() =>
    z.record(Name(), LoopTypeDefinition()).default({}).describe('Your own loop types, by name.'),
  ),
  prompt: lazy(() => Prompt().prefault({}).describe('What goes into the prompt.')),
  validation: lazy(() => Validation().prefault({}).describe('The commands that judge the work.')),
  verify: lazy(() =>
    Verify().prefault({}).describe('How an iteration is judged beyond those commands.'),
  ),
  gates: lazy(() =>
    z.array(Gate()).default([]).describe('Conditions on top of verification, in order.'),
  ),
  strategy: lazy(() =>
    Strategy().prefault('until-pass').describe('Decides after each iteration whether to go on.'),
  ),
  stop: lazy(() =>
    z.array(StopCondition()).default([]).describe('Further conditions that end a loop.'),
  ),
  'model-strategy': lazy(() =>
    ModelStrategy().prefault('auto').describe('Decides which model the next iteration gets.'),
  ),
  models: lazy(() => Models().default({}).describe('Model names of the tiers, per agent.')),
  prices: lazy(() =>
    Prices().default({}).describe('Prices of models that replace the shipped ones.'),
  ),
  limits: lazy(() => Limits().prefault({}).describe('Limits of a loop and its iterations.')),
  budget: lazy(() => Budget().prefault({}).describe('What a loop may use up.')),
  progress: lazy(() =>
    Progress().prefault({}).describe('What the next iteration is told of earlier ones.'),
  ),
  memory: lazy(() => Memory().prefault({}).describe('What is remembered across loops and tasks.')),
  scheduler: lazy(() => Scheduler().prefault({}).describe('What may run at the same time.')),
  git: lazy(() => Git().prefault({}).describe('Branches and merging.')),
  workspace: lazy(() => Workspace().prefault({}).describe('Where loops work.')),
  sandbox: lazy(() => Sandbox().prefault('off').describe('Isolation of agents.')),
  env: lazy(() => Environment().prefault({}).describe('Environment of agents and checks.')),
  hooks: lazy(() =>
    Hooks().prefault({}).describe('Your own commands and modules at points of the loop.'),
  ),
  notify: lazy(() => Notify().prefault({}).describe('Notifications.')),
  session: lazy(() =>
    AgentSessions()
      .prefault('fresh')
      .describe('Whether agents go on with their own sessions; `agents.NAME.session` wins.'),
  ),
  mode: lazy(() => Mode().prefault('unattended').describe('How much a person takes part.')),
  store: lazy(() =>
    Text()
      .nullable()
      .default(null)
      .describe('Where state is kept: a file, or `postgres://...`; null = `.loopwright/state.db`.'),
  ),
};
type SectionName = keyof typeof sections;

/** Settings are plain JSON: they are stored with the loop. Durations are milliseconds, sizes bytes. */
export type Settings = { [K in SectionName]: z.output<ReturnType<(typeof sections)[K]>> };
export const Settings = lazy(() => schemaOf(() => true));

/** The schema of some sections alone: it is built in proportion to them. */
function schemaOf(isAsked: (section: string) => boolean): z.ZodType {
  const asked = Object.entries(sections).filter(([name]) => isAsked(name));
  return z.strictObject(Object.fromEntries(asked.map(([name, schema]) => [name, schema()])));
}

/** Sections whose keys know nothing of each other: of these only the keys that somebody wrote are looked at. */
const maps: Readonly<Record<string, Section>> = {
  prompt: Prompt,
  validation: Validation,
  verify: Verify,
  limits: Limits,
  budget: Budget,
  progress: Progress,
  memory: Memory,
  scheduler: Scheduler,
  git: Git,
  workspace: Workspace,
  env: Environment,
  notify: Notify,
};

/** Whether a section may be given in part. */
export function isPlainMap(section: string): boolean {
  return Object.hasOwn(maps, section);
}

/** The schema of what is written in a tree, and of nothing else. */
function schemaFor(tree: Tree): z.ZodType {
  const asked = Object.entries(sections).filter(([name]) => Object.hasOwn(tree, name));
  const schemas = asked.map(([name, schema]): [string, z.ZodType] => {
    const written = tree[name];
    const map = isPlainMap(name) && isTree(written) ? maps[name]?.of(Object.keys(written)) : null;
    return [name, map ?? schema()];
  });
  return z.strictObject(Object.fromEntries(schemas));
}

/** For what is read once or twice in the life of a process: code made for its schema would take longer than it saves. */
export const parsedOnce = { jitless: true } as const;

/**
 * Settings as they would be written, checked. What is absent has its default: that is known beforehand and costs nothing.
 */
export function parseSettings(
  tree: Tree,
): { readonly settings: Settings } | { readonly issues: readonly z.core.$ZodIssue[] } {
  const { data, error } = schemaFor(tree).safeParse(tree, parsedOnce);
  if (error !== undefined) return { issues: error.issues };
  const settings: Record<string, unknown> = { ...defaultSettings() };
  for (const [name, value] of Object.entries(Object(data))) {
    const known = settings[name];
    settings[name] =
      isPlainMap(name) && isTree(known) && isTree(value) ? { ...known, ...value } : value;
  }
  if (!isSettings(settings)) throw new Error('a section of the settings is missing');
  return { settings };
}

/** The same ones every time: nobody changes settings, they are made anew. */
export function defaultSettings(): Settings {
  return defaults;
}

export function isSettings(value: unknown): value is Settings {
  return isTree(value) && Object.keys(sections).every((name) => Object.hasOwn(value, name));
}

/** What the schema itself makes of nothing; the table of defaults is written from it. */
export function derivedDefaults(): { readonly settings: unknown; readonly written: Tree } {
  const settings = Settings().parse({});
  const written = Settings().encode(settings);
  return { settings, written: isTree(written) ? written : {} };
}

/** Settings as they would be written in a file: durations and sizes as text again. */
export function writtenSettings(settings: Settings): Tree {
  if (settings === defaults) return writtenDefaults;
  const written: unknown = z.encode(Settings(), settings, parsedOnce);
  return isTree(written) ? written : {};
}
