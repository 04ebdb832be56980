import { checkboxOf, nextFence } from './checkbox.ts';

export type Criterion = { readonly text: string; readonly checked: boolean };

/** The checkboxes of a description, in order. What they say is information for the agent, never proof. */
export function acceptanceCriteria(description: string): readonly Criterion[] {
  const criteria: Criterion[] = [];
  let fence: string | null = null;
  for (const line of description.split(/\r?\n/)) {
    fence = nextFence(fence, line);
    const box = fence === null ? checkboxOf(line) : null;
    if (box !== null && box.text !== '') criteria.push({ text: box.text, checked: box.checked });
  }
  return criteria;
}
