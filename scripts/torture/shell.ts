import { execFile } from 'node:child_process';

export type Done = { readonly code: number; readonly out: string; readonly err: string };

export type Environment = Readonly<Record<string, string>>;

/** Runs a program to its end; a code other than 0 is an answer, not an error. */
export function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Environment; readonly input?: string },
): Promise<Done> {
  return new Promise((resolve) => {
    const { cwd, env, input } = options;
    const limits = { maxBuffer: 256 * 1024 * 1024, timeout: 120_000 };
    const child = execFile(program, [...args], { cwd, env, ...limits }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1) || 1, out, err });
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '');
  });
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Waits for something that is on its way; false when it does not come. */
export async function within(ms: number, holds: () => boolean): Promise<boolean> {
  const end = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > end) return false;
    await sleep(10);
  }
  return true;
}
