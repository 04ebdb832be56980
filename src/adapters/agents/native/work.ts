import { refusedKey } from '../../../core/agent/sign-in.ts';
import { createModelClient } from '../../model/create-client.ts';
import type { Clock, Random } from '../../../ports/clock.ts';
import type { Assignment } from './assignment.ts';
import { converse, type Conversation, type Ending } from './conversation.ts';
import { createDoorClient } from './door-client.ts';
import { createMeter } from './meter.ts';
import type { StreamEvent } from './stream.ts';
import { explorerSystemPrompt, nativeSystemPrompt } from './system-prompt.ts';
import { lastTurnNotice, type Explorer } from './tool/explore.ts';
import { createReadingTools, createTools } from './tool/registry.ts';
import { WorktreeFiles } from './worktree-files.ts';

export type WorkSurroundings = {
  /** The real path of the worktree. */
  readonly folder: string;
  /** What the agent's commands get. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly print: (event: StreamEvent) => void;
};

/** One iteration of the native agent, from its assignment to its end. Throws the signal's reason when aborted. */
export async function work(
  assignment: Assignment,
  surroundings: WorkSurroundings,
  signal: AbortSignal,
): Promise<Ending> {
  const { obstacle, endpoint, retries, contextWindow, prompt, taskId } = assignment;
  const { maxTurns, maxContextTokens } = assignment;
  if (obstacle !== null) return withoutWork(obstacle);
  const { folder, env, clock, random, print } = surroundings;
  const files = new WorktreeFiles(folder);
  const door = createDoorClient(assignment.door);
  const shared = {
    client: await createModelClient(endpoint, clock),
    meter: createMeter(contextWindow, print),
    random,
    retries,
    clock,
    print,
    door,
  };
  const explorer: Explorer = (question, turns, limit, observe) => {
    const talk: Conversation = {
      ...shared,
      print(event) {
        observe(event);
        print(event);
      },
      lastTurn: lastTurnNotice,
      speaker: 'explore',
      system: explorerSystemPrompt,
      tools: createReadingTools(files),
      maxTurns: turns,
      maxContextTokens,
    };
    return converse(talk, question, limit);
  };
  const tools = createTools(assignment.tools, {
    cwd: folder,
    denied: assignment.denied,
    env,
    clock,
    files,
    taskId,
    explorer,
    door,
  });
  const { provider, model } = endpoint;
  print({ type: 'started', provider, model, tools: tools.map(({ name }) => name) });
  const system = nativeSystemPrompt(assignment.systemPrompt);
  const talk = { ...shared, speaker: 'main', system, tools, maxTurns, maxContextTokens } as const;
  const ending = await converse(talk, prompt, signal);
  if (ending.kind !== 'auth') return ending;
  return { ...ending, evidence: refusedBy(assignment, ending.evidence) };
}

/** Which key was refused and by whom; never the key itself, nor a password in the address. */
function refusedBy({ endpoint, keyVariable }: Assignment, said: string): string {
  const { provider, baseUrl } = endpoint;
  const address =
    baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl).origin : `${provider}'s API`;
  return `${refusedKey}${keyVariable} was refused by ${address}: ${said}`;
}

function withoutWork(obstacle: NonNullable<Assignment['obstacle']>): Ending {
  const nothing = { finalText: '', lastText: '', turns: 0, retryAfterMs: null, resetAtMs: null };
  return { ...nothing, ...obstacle };
}
