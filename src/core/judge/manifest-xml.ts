import type { Restore } from './manifest.ts';
import { xmlRoot, type XmlElement, type XmlRoot } from './xml-elements.ts';

/** Elements of `pom.xml` and of .NET projects that are the loop's; everything else is the judge's. */
const product = new Set(
  `modelVersion groupId artifactId version packaging name description url inceptionYear licenses developers contributors
   organization mailingLists scm issueManagement ciManagement distributionManagement modules subprojects`.split(
    /\s+/,
  ),
);
const dependencies = new Set(
  'parent dependencies dependencyManagement repositories ItemGroup'.split(' '),
);
/** A property that tells tests what to do, even when a dependency refers to it. */
const judging = /skip|test|surefire|failsafe|argLine|groups|junit\.jupiter|jacoco/i;

/**
 * By element below the root. Properties are looked at one by one: the judge's, unless the loop's dependencies refer to
 * them, as they do to versions.
 */
export const restoreXml: Restore = (base, loop) => {
  // A project of its own that the loop added judges nothing of the base.
  if (base === '') return { text: loop, restored: [], dependencies: true };
  const [before, after] = [xmlRoot(base), xmlRoot(loop)];
  if (before === null || after === null || before.name !== after.name) return null;
  const isLoops = (name: string) => product.has(name) || dependencies.has(name);
  const referred = after.children
    .filter(({ name }) => dependencies.has(name))
    .map(({ text }) => text)
    .join('');
  const names = new Set([...after.children, ...before.children].map(({ name }) => name));
  const restored: string[] = before.tag === after.tag ? [] : [before.name];
  const replaced = new Map<string, string>();
  let hasNewVersions = false;
  for (const name of names) {
    const [old, now] = [textOf(before, name), textOf(after, name)];
    if (isLoops(name) || isSame(old, now)) continue;
    const merged = name === 'properties' ? mergeProperties(old, now, referred) : null;
    const keys = merged?.restored ?? [name];
    hasNewVersions ||= merged?.hasNewVersions === true;
    restored.push(...keys);
    if (keys.length > 0) replaced.set(name, merged?.text ?? old);
  }
  const changed =
    hasNewVersions ||
    [...dependencies].some((name) => !isSame(textOf(before, name), textOf(after, name)));
  const text = restored.length === 0 ? loop : splice(loop, before, after, replaced);
  return { text, restored, dependencies: changed };
};

function textOf({ children }: XmlRoot, name: string): string {
  return children
    .filter((each) => each.name === name)
    .map(({ text }) => text)
    .join('\n');
}

function isSame(a: string, b: string): boolean {
  return a === b || a.replaceAll(/\s+/g, ' ') === b.replaceAll(/\s+/g, ' ');
}

type Properties = {
  readonly text: string;
  readonly restored: readonly string[];
  readonly hasNewVersions: boolean;
};

/** Null when the properties cannot be told apart; then they are the base's. */
function mergeProperties(old: string, now: string, referred: string): Properties | null {
  const empty = '<properties></properties>';
  const [before, after] = [xmlRoot(old || empty), xmlRoot(now || empty)];
  if (before === null || after === null) return null;
  const [was, is] = [byName(before.children), byName(after.children)];
  if (was === null || is === null) return null;
  const kept: string[] = [];
  const restored: string[] = [];
  let hasNewVersions = false;
  for (const name of new Set([...is.keys(), ...was.keys()])) {
    const isVersion = referred.includes(`\${${name}}`) && !judging.test(name);
    const differs = !isSame(was.get(name) ?? '', is.get(name) ?? '');
    if (differs && !isVersion) restored.push(`properties.${name}`);
    hasNewVersions ||= differs && isVersion;
    const text = isVersion ? is.get(name) : was.get(name);
    if (text !== undefined) kept.push(text);
  }
  return { text: `<properties>\n${kept.join('\n')}\n</properties>`, restored, hasNewVersions };
}

/** Null when a name occurs twice. */
function byName(children: readonly XmlElement[]): ReadonlyMap<string, string> | null {
  const map = new Map(children.map(({ name, text }) => [name, text]));
  return map.size === children.length ? map : null;
}

/** The loop's text with the start tag of the base and other elements in the place of the replaced ones. */
function splice(
  loop: string,
  before: XmlRoot,
  after: XmlRoot,
  replaced: ReadonlyMap<string, string>,
): string {
  const parts: string[] = [loop.slice(0, after.from - after.tag.length), before.tag];
  const left = new Map(replaced);
  let at = after.from;
  for (const child of after.children) {
    if (!replaced.has(child.name)) continue;
    parts.push(loop.slice(at, child.from), left.get(child.name) ?? '');
    left.delete(child.name);
    at = child.to;
  }
  parts.push(loop.slice(at, after.to), ...[...left.values()].map((text) => `${text}\n`));
  parts.push(loop.slice(after.to));
  return parts.join('');
}
