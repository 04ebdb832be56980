import type { Findings } from '../findings.ts';
import { baseBranch, readAgentLog, type AgentLine, type Ground } from '../ground.ts';
import { shape } from './repository.ts';
import type { StoreRows } from './store.ts';

/** What the agents themselves wrote down, against what the store and the base say. */
export async function judgeWork(
  ground: Ground,
  rows: StoreRows,
  interrupted: number,
  findings: Findings,
): Promise<void> {
  const lines = await readAgentLog(ground);
  const starts = lines.filter(({ word }) => word === 'start');
  findings.counts.agentStarts += starts.length;
  judgeStarts(starts, ground, interrupted, findings);
  judgeOrder(lines, findings);
  const ends = lines.filter(({ word }) => word === 'end');
  await judgeOutput(ground, rows, ends, findings);
  judgeIterations(ground, rows, findings);
}

function judgeStarts(
  starts: readonly AgentLine[],
  { ids }: Ground,
  interrupted: number,
  findings: Findings,
): void {
  const seen = new Set<string>();
  for (const { loop, iteration } of starts) {
    const key = `${loop} ${iteration}`;
    if (seen.has(key)) findings.add('iterationsRepeated', `${key} was started twice`);
    seen.add(key);
  }
  const needed = [...ids.values()].reduce((sum, { needs }) => sum + needs, 0);
  if (starts.length > needed + interrupted) {
    const text = `${starts.length} agents were started; ${needed} were needed, ${interrupted} can have been interrupted`;
    findings.add('iterationsRepeated', text);
  }
}

/** An agent of an earlier iteration does not go on while the next one works. */
function judgeOrder(lines: readonly AgentLine[], findings: Findings): void {
  const newest = new Map<string, number>();
  for (const { word, loop, iteration } of lines) {
    if (word === 'start') newest.set(loop, iteration);
    else if (iteration < (newest.get(loop) ?? 0)) {
      const text = `the agent of ${loop} ${iteration} ended after the next had started`;
      findings.add('processesLeft', text);
    }
  }
}

/** What an agent finished is in the base exactly once. */
async function judgeOutput(
  { git, ids }: Ground,
  rows: StoreRows,
  ends: readonly AgentLine[],
  findings: Findings,
): Promise<void> {
  const taskOf = new Map(rows.loops.map((row) => [row['id'], row['task_id']]));
  const shared = (await git('show', `${baseBranch}:shared.txt`)).out;
  for (const { id, status } of rows.tasks) {
    const task = ids.get(id ?? '');
    if (task === undefined || status !== 'done') continue;
    const text = (await git('show', `${baseBranch}:work/${task.name}.txt`)).out;
    const lines = text.split('\n');
    const wanted = ends.filter(({ loop }) => taskOf.get(loop) === id);
    for (const { loop, iteration } of wanted) {
      const line = `end ${loop} ${iteration}`;
      const times = lines.filter((each) => each === line).length;
      if (times === 1) continue;
      findings.add('commitsLost', `${task.name} is done, '${line}' is in the base ${times} times`);
    }
    if (lines.filter((line) => line.startsWith('end ')).length < task.needs) {
      findings.add('commitsLost', `${task.name} is done with too little of its work in the base`);
    }
    const line = new RegExp(`^${task.name}: (.*)`, 'm').exec(shared)?.[1] ?? '';
    if (task.shared && taskOf.get(line.split(' ')[0] ?? '') !== id) {
      const words = `its line in the shared file is '${shape(line)}'`;
      findings.add('commitsLost', `${task.name} is done, ${words}`);
    }
  }
}

function judgeIterations({ ids }: Ground, rows: StoreRows, findings: Findings): void {
  for (const [id, { name, needs }] of ids) {
    const loops = rows.loops.filter((row) => row['task_id'] === id).map((row) => row['id']);
    if (loops.length > 1) findings.add('iterationsRepeated', `${name} has ${loops.length} loops`);
    const finished = rows.iterations.filter(
      (row) => loops.includes(row['loop_id']) && row['status'] === 'completed',
    );
    if (finished.length <= needs) continue;
    const text = `${name} finished ${finished.length} iterations, ${needs} were enough`;
    findings.add('iterationsRepeated', text);
  }
}
