/**
 * Blocks that carry what earlier iterations and people have to say. Every prompt contains them:
 * a template that does not print one gets it appended.
 */
export const blockVariables = ['memory', 'progress', 'feedback', 'guidance'] as const;
export type BlockVariable = (typeof blockVariables)[number];

/** All variables a template may use; a loop type adds its inputs. Absent things are empty strings. */
export const templateVariables = [
  'task-id',
  'task-title',
  'task-description',
  'acceptance-criteria',
  'parent-context',
  'completed-prerequisites',
  'reference-specs',
  'iteration',
  'max-iterations',
  'pass',
  'pass-focus',
  'working-directory',
  'branch',
  'git-status',
  'git-diff',
  'git-log',
  ...blockVariables,
  'codebase-map',
  'handoff',
  'shared',
] as const;
export type TemplateVariable = (typeof templateVariables)[number];
