/** What an adapter may know of the process it runs in. Everything else of it reaches an adapter as a parameter. */
export const ownPid: number = process.pid;

/** The Node that runs this, for programs of our own. */
export const nodeProgram: string = process.execPath;

export const isRoot: boolean = process.getuid?.() === 0;

/** A module of Node, loaded when it is first asked for and without a promise. */
export const builtinModule: typeof process.getBuiltinModule =
  process.getBuiltinModule.bind(process);

export const platform: NodeJS.Platform = process.platform;

/** Bytes that this process may still use, as the system or its control group allows. */
export function availableMemory(): number {
  return process.availableMemory();
}

/** Versions of Node and of what it brings. */
export const versions: Readonly<Record<string, string | undefined>> & { readonly node: string } =
  process.versions;
