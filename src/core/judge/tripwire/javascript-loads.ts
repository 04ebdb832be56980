import { isRunnerName } from '../runner-names.ts';
import { isModuleLoad, topTexts, type TopText } from './javascript-strings.ts';
import { folderOf, joined } from './name.ts';
import type { Load, Neighbour, World } from './template.ts';

const endings = ['', '.js', '.ts', '.mjs', '.cjs', '.mts', '.cts', '.jsx', '.tsx'];
const code = /\.[cm]?[jt]sx?$/;

/**
 * What a test file loads before its tests, by its own words. Nothing for one that puts something in the place of modules or
 * sets variables first: without that, loading the same may do something else.
 */
export function javascriptLoads({ path, text }: Neighbour, { files }: World): readonly Load[] {
  if (prepares(text)) return [];
  return specifiers(text).flatMap((spec): readonly Load[] => {
    if (spec.startsWith('node:') || isRunnerName(spec.split('/')[0] ?? '')) return [];
    if (isRunnerName(spec)) return [];
    if (!spec.startsWith('.')) return [{ spec, file: null }];
    const file = resolve(joined(folderOf(path), spec), files);
    return file === null ? [] : [{ spec, file }];
  });
}

function prepares(text: string): boolean {
  const isMocked =
    /\b(?:mock|doMock|unstable_mockModule|proxyquire|esmock|rewiremock|replaceEsm)\s*\(|\bmock\.module\b|\btd\.replace\b/;
  return isMocked.test(text) || /\bprocess\.(?:env\b.{0,60}[^=!<>]=[^=]|argv\s*=)/.test(text);
}

/** What is loaded inside of a test is that test's own affair. */
export function specifiers(text: string): readonly string[] {
  const loads = topTexts(text).filter(({ value, ...place }) => isName.test(value) && isLoad(place));
  return [...new Set(loads.map(({ value }) => value))];
}

const isName = /^[\w@~#./:$+-]+$/;

function isLoad({ head, tail, isInArrow }: Omit<TopText, 'value'>): boolean {
  if (isModuleLoad(head) || head.trim() === 'import') {
    const isType = /^(?:import|export)\s+type\s+[\w{*]/.test(head);
    return !isType && /(?:^import|[\s}*]from)\s*$/.test(tail.trimStart());
  }
  return !isInArrow && /(?:^|[^\w.$])(?:require|await\s+import)\s*\(\s*$/.test(tail);
}

function resolve(path: string, files: ReadonlySet<string>): string | null {
  const sources = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  const candidates = [path, sources].flatMap((each) => [
    ...endings.map((ending) => each + ending),
    ...endings.slice(1).map((ending) => `${each}/index${ending}`),
  ]);
  const found = candidates.find((each) => files.has(each));
  return found !== undefined && code.test(found) && !found.includes('.d.') ? found : null;
}

/** How a file of one folder has to name what a file of another one names `spec`. */
export function respelled(spec: string, from: string, to: string): string {
  if (!spec.startsWith('.') || folderOf(from) === folderOf(to)) return spec;
  const target = joined(folderOf(from), spec).split('/');
  const start = folderOf(to) === '' ? [] : folderOf(to).split('/');
  while (target.length > 1 && start.length > 0 && target[0] === start[0]) {
    target.shift();
    start.shift();
  }
  return `${start.length === 0 ? './' : '../'.repeat(start.length)}${target.join('/')}`;
}
