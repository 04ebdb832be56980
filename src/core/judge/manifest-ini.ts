import type { Restore } from './manifest.ts';

type Section = { readonly name: string; readonly text: string };

/** Sections of `setup.cfg` that describe the package. */
const product =
  /^(?:metadata|options(?:\..{1,80})?|bdist_wheel|bdist_rpm|sdist|egg_info|build_ext|bumpversion.{0,80}|versioneer|upload.{0,40}|devpi.{0,40}|wheel)$/;
const dependencies = /^options(?:\.extras_require)?$/;

/** By section: those that describe the package are the loop's, all others configure tools. */
export const restoreIni: Restore = (base, loop) => {
  const [before, after] = [sectionsOf(base), sectionsOf(loop)];
  if (before === null || after === null) return null;
  const old = new Map(before.map(({ name, text }) => [name, text]));
  const now = new Map(after.map(({ name, text }) => [name, text]));
  const names = [...new Set([...now.keys(), ...old.keys()])];
  const restored = names.filter(
    (name) => !isProduct(name) && !isSame(old.get(name), now.get(name)),
  );
  const changed = names.some(
    (name) => dependencies.test(name) && !isSame(old.get(name), now.get(name)),
  );
  if (restored.length === 0) return { text: loop, restored, dependencies: changed };
  const texts = names.flatMap((name) => (isProduct(name) ? now.get(name) : old.get(name)) ?? []);
  return { text: texts.map(ended).join(''), restored, dependencies: changed };

  /** A section of entry points that loads code into pytest judges. */
  function isProduct(name: string): boolean {
    if (name === '') return (now.get('') ?? '').trim() === '' || isSame(old.get(''), now.get(''));
    return product.test(name) && !(now.get(name) ?? '').includes('pytest11');
  }
};

function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function isSame(a = '', b = ''): boolean {
  return a.replaceAll('\r', '').trim() === b.replaceAll('\r', '').trim();
}

/** Sections in their order, what stands before the first one under an empty name. Null when one cannot tell them apart. */
function sectionsOf(text: string): readonly Section[] | null {
  const sections: { name: string; text: string }[] = [{ name: '', text: '' }];
  const names = new Set(['']);
  for (const line of text.replace(/^\uFEFF/, '').split(/(?<=\n)/)) {
    const last = sections.at(-1);
    if (!line.trimStart().startsWith('[')) {
      if (last !== undefined) last.text += line;
      continue;
    }
    const end = line.lastIndexOf(']');
    const name = line.slice(1, end);
    // An indented header is one for some readers only, and a doubled section is an error for most.
    if (!line.startsWith('[') || end === -1 || names.has(name)) return null;
    names.add(name);
    sections.push({ name, text: line });
  }
  return sections.filter(({ name, text: own }) => name !== '' || own !== '');
}
