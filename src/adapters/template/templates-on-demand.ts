import type { Templates } from '../../core/prompt/templates.ts';
import { createPlainTemplates, parsePlain } from './plain.ts';

/** What renders a template. Handlebars is loaded for the first one that needs it. */
export function createTemplatesOnDemand(): (template: string) => Promise<Templates> {
  const known = new Map<string, Promise<Templates>>();
  let full: Promise<Templates> | null = null;

  async function find(template: string): Promise<Templates> {
    const parts = parsePlain(template);
    if (parts !== null) return createPlainTemplates(parts);
    full ??= import('./handlebars.ts').then(({ createTemplates }) => createTemplates());
    return full;
  }

  return (template) => {
    const found = known.get(template) ?? find(template);
    if (known.size >= mostKnown) known.clear();
    known.set(template, found);
    return found;
  };
}

const mostKnown = 32;
