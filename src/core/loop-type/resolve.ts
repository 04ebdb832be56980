import { defaultTools } from '../agent/native/tool.ts';
import { LoopwrightError } from '../error.ts';
import { nearest } from '../text/nearest.ts';
import { builtInTypes } from './built-in.ts';
import type { LoopTypeDefinition, LoopTypeInput } from './definition.ts';

/** Where definitions come from, weakest first. */
export const loopTypeSources = ['built-in', 'user', 'project', 'inline'] as const;
export type LoopTypeSource = (typeof loopTypeSources)[number];

/** Definitions by name, of one source. */
export type LoopTypes = {
  readonly source: LoopTypeSource;
  readonly types: Readonly<Record<string, LoopTypeDefinition>>;
};

type Key = Exclude<keyof LoopTypeDefinition, 'extends' | `+${string}`>;

/** The values a type has after inheritance; a key that nobody wrote is absent. */
export type LoopTypeValues = Pick<LoopTypeDefinition, Key>;

export type LoopType = {
  readonly name: string;
  /** The types it builds on, nearest first. */
  readonly lineage: readonly string[];
  readonly values: LoopTypeValues;
  /** Who wrote each value that is there. */
  readonly writtenBy: Readonly<Record<string, LoopTypeSource>>;
};

const maxDepth = 10;

/**
 * The type of a name after inheritance. Definitions of one name in several sources are laid over each other,
 * weakest first; `extends` then puts the whole over another type. A value that is written always wins.
 * Throws `loop_type.unknown`, `loop_type.cycle` or `loop_type.too_deep`.
 */
export function resolveLoopType(name: string, definitions: readonly LoopTypes[]): LoopType {
  const sources = [{ source: 'built-in', types: builtInTypes } as const, ...definitions].toSorted(
    (a, b) => loopTypeSources.indexOf(a.source) - loopTypeSources.indexOf(b.source),
  );
  return resolve(name, sources, []);
}

/** Every name that can be resolved, sorted. */
export function loopTypeNames(definitions: readonly LoopTypes[]): readonly string[] {
  const names = definitions.flatMap(({ types }) => Object.keys(types));
  return [...new Set([...Object.keys(builtInTypes), ...names])].toSorted();
}

/** Values of the type's template variables: those given, else their defaults. Throws for one that has neither. */
export function inputValues(
  type: LoopType,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const inputs = type.values.inputs ?? [];
  const missing = inputs.filter((input) => (given[input.name] ?? input.default) === undefined);
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    throw new LoopwrightError(
      'loop_type.missing_input',
      `loop type \`${type.name}\` needs a value for ${names}`,
      {
        hint: 'Give the input a default in the loop type.',
      },
    );
  }
  return Object.fromEntries(
    inputs.map(({ name, default: value }) => [name, given[name] ?? value ?? '']),
  );
}

function resolve(name: string, sources: readonly LoopTypes[], above: readonly string[]): LoopType {
  if (above.includes(name)) throw cycle([...above, name]);
  if (above.length > maxDepth) throw tooDeep(above);
  const written = sources.filter(({ types }) => Object.hasOwn(types, name));
  if (written.length === 0) throw unknown(name, above.at(-1), sources);

  const base = written.flatMap(({ types }) => types[name]?.extends ?? []).at(-1);
  const start: LoopType =
    base === undefined
      ? { name, lineage: [], values: {}, writtenBy: {} }
      : resolve(base, sources, [...above, name]);
  const laid = written.reduce(layOver, start);
  return { ...laid, name, lineage: base === undefined ? [] : [base, ...start.lineage] };

  function layOver(below: LoopType, { source, types }: LoopTypes): LoopType {
    const definition = types[name];
    return definition === undefined ? below : withDefinition(below, definition, source);
  }
}

function withDefinition(
  below: LoopType,
  definition: LoopTypeDefinition,
  source: LoopTypeSource,
): LoopType {
  const {
    extends: _base,
    '+tools': tools,
    '+gates': gates,
    '+inputs': inputs,
    '+outputs': outputs,
    ...own
  } = definition;
  const values: LoopTypeValues = { ...inherited(below.values, own), ...own };
  const added: LoopTypeValues = {
    ...(tools && { tools: [...(values.tools ?? defaultTools), ...tools] }),
    ...(gates && { gates: [...(values.gates ?? []), ...gates] }),
    ...(inputs && { inputs: joinInputs(values.inputs ?? [], inputs) }),
    ...(outputs && { outputs: [...(values.outputs ?? []), ...outputs] }),
    ...(own.hooks && { hooks: { ...below.values.hooks, ...own.hooks } }),
  };
  const keys = Object.keys({ ...own, ...added });
  return {
    ...below,
    values: { ...values, ...added },
    writtenBy: { ...below.writtenBy, ...Object.fromEntries(keys.map((key) => [key, source])) },
  };
}

/** A model strategy that is written is not overruled by a model that is only inherited. */
function inherited(below: LoopTypeValues, own: LoopTypeValues): LoopTypeValues {
  if (own['model-strategy'] === undefined) return below;
  const { model: _overruled, ...rest } = below;
  return rest;
}

/** An input that is added again replaces the one of that name. */
function joinInputs(
  below: readonly LoopTypeInput[],
  added: readonly LoopTypeInput[],
): LoopTypeInput[] {
  const replaced = new Set(added.map(({ name }) => name));
  return [...below.filter(({ name }) => !replaced.has(name)), ...added];
}

function cycle(names: readonly string[]): LoopwrightError {
  const start = names.indexOf(names.at(-1) ?? '');
  const shown = names.slice(start).join(' -> ');
  return new LoopwrightError(
    'loop_type.cycle',
    `loop types extend each other in a cycle: ${shown}`,
    {
      hint: 'Remove one `extends`; a type already builds on the weaker definition of its own name.',
    },
  );
}

function tooDeep(names: readonly string[]): LoopwrightError {
  const message = `loop type \`${names[0]}\` extends more than ${maxDepth} types: ${names.join(' -> ')}`;
  return new LoopwrightError('loop_type.too_deep', message, {
    hint: 'Extend a type nearer to the root.',
  });
}

function unknown(
  name: string,
  user: string | undefined,
  sources: readonly LoopTypes[],
): LoopwrightError {
  const names = loopTypeNames(sources);
  const close = nearest(name, names);
  const context = user === undefined ? '' : `, which \`${user}\` extends`;
  return new LoopwrightError('loop_type.unknown', `unknown loop type \`${name}\`${context}`, {
    hint: close === null ? `Known types: ${names.join(', ')}.` : `Did you mean \`${close}\`?`,
    details: { name, known: names },
  });
}
