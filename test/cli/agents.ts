import type { GitRepo } from '../support/git-repo.ts';

/** Writes a greeting in two iterations, the second of which is right and claims so. */
const twoSteps = `iterations:
  - steps:
      - say: I will start with the greeting.
      - write: { path: greeting.txt, content: "hello\\n" }
      - usage: { input: 900, output: 100, cost-usd: 0.004 }
    final: Not done yet.
  - steps:
      - edit: { path: greeting.txt, find: hello, replace: "hello world" }
      - usage: { input: 900, output: 100, cache-read: 1200, cost-usd: 0.004 }
    final: |
      <summary>The greeting names the world now.</summary>
      <task-done>{{task-id}}</task-done>
`;

/** Options for `run` with that agent; the script is put into the repository. */
export async function greeter(repo: GitRepo): Promise<readonly string[]> {
  await repo.write('agent.yml', twoSteps);
  await repo.commitAll('agent');
  return ['--agent', 'scripted:agent.yml', '--validate', 'grep -q world greeting.txt'];
}

/** Options for `run` with an agent that writes a file and then waits to be ended. */
export const waits: readonly string[] = [
  '--agent',
  'command:echo half > half.txt; echo waiting now; sleep 300',
  '--validate',
  'test -f never',
];

/** Options for `run` with an agent that changes something and never passes. */
export const neverPasses: readonly string[] = [
  '--agent',
  'command:echo x >> n.txt',
  '--validate',
  'false',
];
