import type { Request } from './decide.ts';

const strength: readonly Request['kind'][] = ['pause', 'interrupt', 'stop', 'cancel'];

/** Of two requests the stronger kind, as soon as either wants it. */
export function strongest(a: Request, b: Request): Request {
  const kind = strength.indexOf(a.kind) >= strength.indexOf(b.kind) ? a.kind : b.kind;
  return { kind, when: a.when === 'cut' || b.when === 'cut' ? 'cut' : 'finish' };
}
