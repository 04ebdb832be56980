import { blockHeadings } from './blocks.ts';

/**
 * The prompt of a loop type that brings none. A section that has nothing to say leaves no trace,
 * not even an empty line.
 */
export const defaultTemplate: string = [
  '## Assigned Task\n\n**ID:** {{task-id}}\n**Title:** {{task-title}}\n',
  section('task-description', '### Description'),
  section('parent-context', '### Parent Context'),
  section('completed-prerequisites', '### Completed Prerequisites'),
  section('reference-specs', '### Reference Specs'),
  block('codebase-map'),
  block('handoff'),
  block('memory'),
  block('progress'),
  block('feedback'),
  block('guidance'),
  block('shared'),
].join('');

function section(variable: string, heading: string): string {
  return `{{#if ${variable}}}\n\n${heading}\n{{${variable}}}\n{{/if}}\n`;
}

function block(variable: keyof typeof blockHeadings): string {
  const heading = blockHeadings[variable];
  const body = heading === null ? `{{${variable}}}` : `${heading}\n\n{{${variable}}}`;
  return `{{#if ${variable}}}\n\n${body}\n{{/if}}\n`;
}
