import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { readOutages } from '../../src/engine/outages.ts';
import type { GitRepo } from './git-repo.ts';
import type { TestProject } from './opened-project.ts';

export const validate = 'test -f done.txt';
export const pace = { 'probe-delay': '400ms', 'max-probe-delay': '800ms', 'api-retries': 1 };

/**
 * An agent whose provider is there while a file is not. It speaks the stream of Claude Code: a failure at once, with the status that
 * the file holds if it holds one, or a tool, some work and a good end. Every start is a line of a log. After a line `reset SECONDS`
 * in the file a usage window is used up for so long.
 */
export async function agentWith(
  repo: GitRepo,
  status = 529,
): Promise<{
  readonly agent: string;
  readonly log: string;
  readonly down: string;
}> {
  const log = path.join(repo.outside, 'starts.log');
  const down = path.join(repo.outside, 'down');
  const failed = `{"type":"result","subtype":"success","is_error":true,"api_error_status":'"$code"',"terminal_reason":"api_error","result":"Overloaded"}`;
  const limited = `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":'"$(( $(date +%s) + reset ))"'}}`;
  const tool = `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","name":"Bash","input":{"command":"make"}}],"usage":{"input_tokens":5,"output_tokens":5}}}`;
  const done = `{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","result":"<task-done>'"$LOOPWRIGHT_TASK"'</task-done>"}`;
  const script = `#!/bin/sh
cat > /dev/null
state=up; test -f '${down}' && state=down
if test $state = up; then echo "$LOOPWRIGHT_LOOP up" >> '${log}'; else
  both=alone; mkdir '${log}.busy' 2> /dev/null || both=both
  echo "$LOOPWRIGHT_LOOP down $both" >> '${log}'
  sleep 0.1; rmdir '${log}.busy' 2> /dev/null
  code=$(head -n 1 '${down}'); test -n "$code" || code=${status}
  reset=$(sed -n 's/^reset //p' '${down}')
  test -z "$reset" || echo '${limited}'
  echo '${failed}'; exit 1
fi
echo '${tool}'
sleep 0.3
echo x > done.txt
echo '${done}'
`;
  const file = path.join(repo.outside, 'agent.sh');
  await writeFile(file, script, { mode: 0o755 });
  await writeFile(log, '');
  await repo.write(
    'loopwright.yml',
    `agent: fake\nverify: { confirm: off }\ntypes: { other: { agent: 'command:echo x > done.txt' } }\nagents:\n  fake: { kind: command, command: ${file}, format: claude-stream }\n`,
  );
  await repo.commitAll('config');
  return { agent: 'fake', log, down };
}

export async function starts(log: string): Promise<readonly (readonly string[])[]> {
  const text = await readFile(log, 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ')]));
}

export async function addTasks(project: TestProject, count: number): Promise<void> {
  const { store, ids, clock } = project.engine;
  for (let n = 0; n < count; n++) {
    const task = { title: `task ${n}`, description: '' };
    await store.write((tx) => tx.tasks.add(ids.task(), task, clock.now()));
  }
}

export async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; !(await condition()); turn++) {
    expect(turn).toBeLessThan(1500);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const waitingFor = (project: TestProject) => async (count: number) => {
  await until(async () => (await readOutages(project.engine))[0]?.waiting === count);
};
