import { loadPartials, type PartialInput } from '../adapters/files/partial-files.ts';
import { parsePromptFile } from '../adapters/template/prompt-file.ts';
import type { PromptRecord } from '../core/loop/event.ts';
import type { LoopType } from '../core/loop-type/resolve.ts';
import { neededPartials } from '../core/prompt/partials.ts';
import type { Templates } from '../core/prompt/templates.ts';
import { promptRecord } from '../engine/plan-loop.ts';

/**
 * What a loop type says about the prompt, with the partials its template needs: read from the user's files, and kept with the
 * loop. Partials that are unknown, nested too deep or in a cycle are refused here, before anything is spent.
 */
export async function loopPrompt(
  type: LoopType,
  files: PartialInput,
  templatesFor: (template: string) => Promise<Templates>,
): Promise<PromptRecord> {
  const text = type.values['prompt-template'] ?? null;
  if (text === null) return promptRecord(type, { template: null, required: [], defaults: {} });
  const source = `loop type ${type.name}`;
  const { template, required, defaults } = await parsePromptFile(text, source);
  const parsed = { template, required, defaults };
  if (!/\{\{~?#?>/.test(template)) return promptRecord(type, parsed);
  const known = await loadPartials(files);
  (await templatesFor(template)).printedVariables(template, { source, partials: known });
  return promptRecord(type, { ...parsed, partials: neededPartials(template, known) });
}
