/** Parts of prompts that templates take in by name, as `{{> name}}`. */
export type Partials = Readonly<Record<string, string>>;

const maxPartials = 500;
const use = /\{\{~?#?> *(?:"([^"]{1,100})"|'([^']{1,100})'|([^\s"'~}]{1,100}))/g;

/**
 * The partials that a template needs, by itself or through others: what a loop keeps. A name that is not known is left to the
 * rendering, which says so with its place.
 */
export function neededPartials(template: string, known: Partials): Partials {
  const needed = new Map<string, string>();
  const open = [template];
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    for (const [, double, single, bare] of text.matchAll(use)) {
      const name = double ?? single ?? bare ?? '';
      const found = Object.hasOwn(known, name) ? known[name] : undefined;
      if (found === undefined || needed.has(name) || needed.size >= maxPartials) continue;
      needed.set(name, found);
      open.push(found);
    }
  }
  return Object.fromEntries(needed);
}
