import { z } from 'zod';
import { lazy } from '../lazy.ts';
import { buildPlan, importError } from './import-plan.ts';
import type { FoundTask, ImportPlan, ImportStatus } from './import-plan.ts';
import type { Priority, Task, TaskStatus } from './task.ts';
import type { Edge } from '../graph/cycle.ts';

const Dependency = lazy(() =>
  z.looseObject({
    depends_on_id: z.string().nullish(),
    issue_id: z.string().nullish(),
    type: z.string().nullish(),
    dep_type: z.string().nullish(),
  }),
);
type Dependency = z.infer<ReturnType<typeof Dependency>>;

/** Beads keeps more than issues in its file. */
const OtherRecord = lazy(() =>
  z.looseObject({ _type: z.string().refine((type) => type !== 'issue') }),
);

const Issue = lazy(() =>
  z.looseObject({
    id: z.string().min(1),
    title: z.string(),
    description: z.string().nullish(),
    acceptance_criteria: z.string().nullish(),
    status: z.string().nullish(),
    close_reason: z.string().nullish(),
    priority: z.int().min(0).max(4).nullish(),
    dependencies: z.array(Dependency()).nullish(),
  }),
);
type Issue = z.infer<ReturnType<typeof Issue>>;

type Line = { readonly issue: Issue; readonly place: string };

/**
 * Reads the JSONL of beads. `blocks` is a dependency, `parent-child` a parent, other relations are left out; closed is
 * done, deferred is a draft, and everything else starts as pending. Deleted issues and other records are passed over.
 */
export function readBeads(text: string): ImportPlan {
  const lines = text.split('\n').flatMap((line, index) => parseLine(line, `line ${index + 1}`));
  const gone = new Set(lines.filter(isDeleted).map(({ issue }) => issue.id));
  const kept = lines.filter((line) => !isDeleted(line));
  const byId = new Map<string, number>();
  for (const [index, { issue, place }] of kept.entries()) {
    if (byId.has(issue.id)) throw importError(place, `the id “${issue.id}” is used twice`);
    byId.set(issue.id, index);
  }
  return buildPlan(
    'beads',
    kept.map((line) => toFound(line, byId, gone)),
  );
}

function parseLine(line: string, place: string): readonly Line[] {
  if (line.trim() === '') return [];
  const value = parseJson(line, place);
  if (OtherRecord().safeParse(value).success) return [];
  const parsed = Issue().safeParse(value);
  if (!parsed.success) throw importError(place, z.prettifyError(parsed.error));
  return [{ issue: parsed.data, place }];
}

function parseJson(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw importError(place, `not JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

function isDeleted({ issue }: Line): boolean {
  return issue.status === 'tombstone';
}

function toFound(
  { issue, place }: Line,
  byId: ReadonlyMap<string, number>,
  gone: ReadonlySet<string>,
): FoundTask {
  const relations = (issue.dependencies ?? []).flatMap((entry) => relationOf(entry, issue.id));
  for (const { target } of relations) {
    if (!byId.has(target) && !gone.has(target)) {
      throw importError(place, `“${issue.id}” refers to “${target}”, which is not in this file`);
    }
  }
  const known = relations.filter(({ target }) => byId.has(target));
  const parent = known.find(({ type }) => type === 'parent-child')?.target ?? parentInId(issue.id);
  return {
    name: issue.id,
    title: issue.title,
    parent: byId.get(parent ?? '') ?? null,
    after: known.filter(({ type }) => type === 'blocks').map(({ target }) => target),
    fields: {
      description: descriptionOf(issue),
      priority: priorityNames[issue.priority ?? 2] ?? 'normal',
    },
    status: statusOf(issue),
    place,
  };
}

function relationOf(
  entry: Dependency,
  id: string,
): readonly { readonly target: string; readonly type: string }[] {
  const type = entry.type ?? entry.dep_type ?? 'blocks';
  const target = entry.depends_on_id ?? entry.issue_id;
  if (type !== 'blocks' && type !== 'parent-child') return [];
  return target === null || target === undefined || target === id ? [] : [{ target, type }];
}

/** `bd-7.2` is a child of `bd-7`. */
function parentInId(id: string): string | null {
  return /^(.+)\.\d+$/.exec(id)?.[1] ?? null;
}

function descriptionOf(issue: Issue): string {
  const criteria = (issue.acceptance_criteria ?? '').trim();
  const parts = [
    issue.description ?? '',
    criteria === '' ? '' : `Acceptance criteria:\n\n${criteria}`,
  ];
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}

function statusOf(issue: Issue): ImportStatus {
  if (issue.status === 'deferred') return 'draft';
  if (issue.status !== 'closed') return 'pending';
  return issue.close_reason === cancelled ? 'draft' : 'done';
}

const cancelled = 'cancelled';
const priorityNames: readonly Priority[] = ['critical', 'high', 'normal', 'low', 'low'];
const priorityNumbers: Readonly<Record<Priority, number>> = {
  critical: 0,
  high: 1,
  normal: 2,
  low: 3,
};
const beadsStatuses: Readonly<Record<TaskStatus, string>> = {
  draft: 'deferred',
  pending: 'open',
  blocked: 'blocked',
  running: 'in_progress',
  paused: 'in_progress',
  done: 'closed',
  failed: 'blocked',
  cancelled: 'closed',
};

/** One issue per line. `isoTime` renders stored milliseconds. */
export function writeBeads(
  tasks: readonly Task[],
  edges: readonly Edge[],
  isoTime: (time: number) => string,
): string {
  const after = Map.groupBy(edges, (edge) => edge.taskId);
  const kept = new Set(tasks.map((task) => task.id));
  return tasks
    .map((task) => {
      const targets = (after.get(task.id) ?? []).filter((edge) => kept.has(edge.dependsOn));
      const dependencies = targets.map((edge) => relation(task.id, edge.dependsOn, 'blocks'));
      if (task.parentId !== null && kept.has(task.parentId)) {
        dependencies.push(relation(task.id, task.parentId, 'parent-child'));
      }
      const issue = {
        id: task.id,
        title: task.title,
        ...(task.description !== '' && { description: task.description }),
        status: beadsStatuses[task.status],
        priority: priorityNumbers[task.priority],
        issue_type: task.children > 0 ? 'epic' : 'task',
        created_at: isoTime(task.createdAt),
        updated_at: isoTime(task.updatedAt),
        ...(beadsStatuses[task.status] === 'closed' && { closed_at: isoTime(task.updatedAt) }),
        ...(task.status === 'cancelled' && { close_reason: cancelled }),
        ...(dependencies.length > 0 && { dependencies }),
      };
      return `${JSON.stringify(issue)}\n`;
    })
    .join('');
}

function relation(issueId: string, dependsOn: string, type: string) {
  return { issue_id: issueId, depends_on_id: dependsOn, type };
}
