import { LoopwrightError } from '../error.ts';
import { loopStatuses, type LoopStatus } from '../loop/status.ts';

/** Which loops are meant. */
export type Selector =
  | { readonly by: 'id'; readonly id: string }
  /** Loops of the tasks right below a task, or of all below it. `of` names the task or a loop of it. */
  | { readonly by: 'children' | 'descendants'; readonly of: string | null }
  | { readonly by: 'type'; readonly type: string }
  | { readonly by: 'status'; readonly status: LoopStatus }
  | { readonly by: 'all' };

const words =
  '`LOOP`, `children[:TASK]`, `descendants[:TASK]`, `type:NAME`, `status:NAME` or `all`';

/** Reads `status:running`, `children:t-1a2b3c4d`, `all`; anything else is a loop. */
export function parseSelector(text: string): Selector {
  const [word = '', ...rest] = text.trim().split(':');
  const value = rest.length === 0 ? null : rest.join(':').trim();
  if (value === '') throw badSelector(text);
  switch (word) {
    case 'all':
      if (value !== null) throw badSelector(text);
      return { by: 'all' };
    case 'children':
    case 'descendants':
      return { by: word, of: value };
    case 'type':
      if (value === null) throw badSelector(text);
      return { by: 'type', type: value };
    case 'status': {
      const status = loopStatuses.find((each) => each === value);
      if (status === undefined) throw badSelector(text, `statuses are ${loopStatuses.join(', ')}`);
      return { by: 'status', status };
    }
    default:
      if (value !== null || word === '') throw badSelector(text);
      return { by: 'id', id: word };
  }
}

/** Whether a text names several loops by a property rather than one by its name. */
export function isSelector(text: string): boolean {
  return /^(?:all|children|descendants)$|^(?:children|descendants|type|status):/.test(text.trim());
}

function badSelector(text: string, hint = `give ${words}`): LoopwrightError {
  const shown = text.slice(0, 60);
  return new LoopwrightError('usage.selector', `“${shown}” does not say which loops`, { hint });
}
