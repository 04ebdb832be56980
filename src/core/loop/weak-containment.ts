/**
 * What can outlive what, and until when, where neither a namespace nor a cgroup holds programs together. The run, `doctor`, the guide
 * and the design pages say the same. Without `/proc` neither the environment nor the parents of a process can be looked at.
 */
export function weakContainment({ hasProc }: { readonly hasProc: boolean }): string {
  const together = 'If the engine and its watchdog are killed together,';
  return hasProc
    ? `weak containment: a process that starts a session of its own, clears its environment and loses its parent outlives its run and the engine, and nothing ends it later. ${together} everything that ran then runs on until the next \`loopwright run\` or daemon in this project ends it.`
    : `weak containment: a process that leaves its process group outlives its run and the engine, and nothing ends it later. ${together} agents run on until the next \`loopwright run\` or daemon takes their loop; checks, setup commands and hooks run on until they end by themselves.`;
}
