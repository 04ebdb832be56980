/** Variables that tell a process about its iteration. Never configuration, never inherited, never set by users. */
export const reservedNames = [
  'LOOPWRIGHT_LOOP',
  'LOOPWRIGHT_TASK',
  'LOOPWRIGHT_ITERATION',
  'LOOPWRIGHT_MAX_ITERATIONS',
  'LOOPWRIGHT_MODEL',
  'LOOPWRIGHT_PROMPT_FILE',
  'LOOPWRIGHT_HOME',
  'LOOPWRIGHT_FAIL_AT',
] as const;

/** What the reserved variables are made of. Null leaves a variable out. */
export type IterationContext = {
  readonly loopId: string | null;
  readonly taskId: string | null;
  readonly iteration: number | null;
  readonly maxIterations: number | null;
  /** Null is told as `default`, which is also how it is recorded. */
  readonly model: string | null;
  readonly promptFile: string | null;
  readonly home: string | null;
};

export function reservedVariables(context: IterationContext): Readonly<Record<string, string>> {
  const values = {
    LOOPWRIGHT_LOOP: context.loopId,
    LOOPWRIGHT_TASK: context.taskId,
    LOOPWRIGHT_ITERATION: context.iteration,
    LOOPWRIGHT_MAX_ITERATIONS: context.maxIterations,
    LOOPWRIGHT_MODEL: context.model ?? 'default',
    LOOPWRIGHT_PROMPT_FILE: context.promptFile,
    LOOPWRIGHT_HOME: context.home,
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === null ? [] : [[name, String(value)]],
    ),
  );
}

export function isReserved(name: string): boolean {
  return reservedNames.some((reserved) => reserved === name);
}

/**
 * A command with the values of reserved variables in place of their names: a clean place has no such variable, so that what
 * runs there cannot tell it from anywhere else, and a check of the user's that names its task still finds it.
 */
export function fillReserved(command: string, variables: Readonly<Record<string, string>>): string {
  return command.replaceAll(
    /\$(?:\{(?<braced>LOOPWRIGHT_[A-Z_]+)\}|(?<plain>LOOPWRIGHT_[A-Z_]+))/g,
    (whole, braced: string | undefined, plain: string | undefined) => {
      const value = variables[braced ?? plain ?? ''];
      return value !== undefined && /^[\w.-]+$/.test(value) ? value : whole;
    },
  );
}
