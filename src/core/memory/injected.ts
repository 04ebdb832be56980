import { isKnowledgeId } from './render-knowledge.ts';

/** Of the items of a prompt those that are learnings: others are attempts and files of the project. */
export function learningIds(injected: readonly string[]): readonly string[] {
  return injected.filter((id) => !isAttemptId(id) && !isKnowledgeId(id));
}

export function isAttemptId(id: string): boolean {
  return id.startsWith('attempt-');
}
