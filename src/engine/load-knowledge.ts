import { defaultSettings, type Settings } from '../core/config/schema.ts';
import type { WorkspaceRecord } from '../core/loop/event.ts';
import { noKnowledge, selectKnowledge, type ProjectKnowledge } from '../core/memory/knowledge.ts';
import type { Task } from '../core/task/task.ts';
import { worksInPlace } from '../core/loop/place.ts';
import type { Engine } from './engine.ts';

export type KnowledgeFor = {
  readonly task: Pick<Task, 'title' | 'description'>;
  readonly settings: Settings;
  /** See `knowledgeRevision`. */
  readonly revision: string | null;
};

/** The knowledge files that match a task, and the codebase map. */
export async function loadKnowledge(
  engine: Pick<Engine, 'knowledge'>,
  { task, settings, revision }: KnowledgeFor,
  signal: AbortSignal,
): Promise<ProjectKnowledge> {
  const { memory } = settings;
  if (!memory.enabled) return noKnowledge;
  const { knowledge: globs, map } = memory;
  const read = await engine.knowledge.read(
    { globs, map, isMapNamed: map !== defaultSettings().memory.map, revision },
    signal,
  );
  const files = selectKnowledge(read.files, {
    title: task.title,
    description: task.description,
    limit: memory['max-knowledge'],
    maxOverlap: memory['duplicate-overlap'],
  });
  return { ...read, files };
}

/** Where an agent works in the user's checkout itself, only the base is out of its reach. */
export function knowledgeRevision(loop: {
  readonly workspace: Pick<WorkspaceRecord, 'mode' | 'base'>;
}): string | null {
  return worksInPlace(loop) ? loop.workspace.base : null;
}
