import type { Restore } from './manifest.ts';

type Line = { readonly text: string; readonly key: string; readonly isJudge: boolean };

/**
 * `go.mod`: the loop's, but for where a module that the tests use comes from, and for a name of the module itself that
 * would be found in place of one.
 */
export const restoreGoMod: Restore = (base, loop, judges) => {
  const read = (text: string): readonly Line[] => {
    let block = '';
    return text.split('\n').map((line) => {
      const [first = '', second = ''] = line.trim().split(/\s+/);
      const inside = block;
      if (second === '(') block = first;
      else if (first === ')') block = '';
      const isReplacing = first === 'replace' || inside === 'replace';
      const name = isReplacing && inside === '' ? second : first;
      if (first === 'module') return { text: line, key: 'module', isJudge: judges(second) };
      const key = `replace ${name}`;
      const isJudge = isReplacing && /[\w.]/.test(name) && second !== '(' && judges(name);
      const whole = inside === '' || !isJudge ? line : `replace ${line.trim()}`;
      return { text: whole, key, isJudge };
    });
  };
  return withLines(read(base), read(loop));
};

/** Requirements of pip: the loop's, but for where a package that judges comes from, and from whom packages are taken. */
export const restoreRequirements: Restore = (base, loop, judges) => {
  const read = (text: string): readonly Line[] =>
    text.split('\n').map((line) => {
      const plain = line.replace(/\s#.*$/, '').trim();
      const [option = '', value = ''] = plain.split(/[\s=]+/);
      if (option.startsWith('-') && !/^(?:-e|--editable|-r|-c)$/.test(option)) {
        return { text: line, key: option, isJudge: !plain.startsWith('--hash') };
      }
      const isEditable = option === '-e' || option === '--editable';
      const target = isEditable ? value : plain;
      const isPath = isEditable || /^[./]|^\w{1,20}:|\s@\s/.test(target);
      const named = /^([\w.-]{1,80})(?:\[[^\]]{0,80}\])?\s*@/.exec(target)?.[1];
      const name = named ?? target.replace(/\/+$/, '').split('/').at(-1) ?? '';
      return { text: line, key: name, isJudge: isPath && judges(name.toLowerCase()) };
    });
  return withLines(read(base), read(loop));
};

const declaring = /^(?:#.*|end|(?:source|gem|ruby|group|platforms?|gemspec)\b[^;`{}]{0,400}|)$/;

/** `Gemfile` is a program: the loop's while what it added only declares, and no gem that judges comes from elsewhere. */
export const restoreGemfile: Restore = (base, loop, judges) => {
  const old = new Set(base.split('\n').map((line) => line.trim()));
  const isPlain = loop.split('\n').every((each) => {
    const line = each.trim();
    if (old.has(line)) return true;
    const gem = /^gem\s{0,4}\(?\s{0,4}["']([\w-]{1,80})["']/.exec(line)?.[1] ?? '';
    const isElsewhere = /\b(?:path|git|github|require|source)\b/.test(line);
    return declaring.test(line) && !(isElsewhere && judges(gem));
  });
  return isPlain ? { text: loop, restored: [], dependencies: true } : null;
};

/** The loop's lines with those of the judge as on the base. */
function withLines(base: readonly Line[], loop: readonly Line[]): ReturnType<Restore> {
  const normal = ({ text }: Line) => text.replaceAll(/\s+/g, ' ').trim();
  const old = new Set(base.map(normal));
  const odd = loop.filter((line) => line.isJudge && !old.has(normal(line)));
  if (odd.length === 0) {
    return { text: loop.map(({ text }) => text).join('\n'), restored: [], dependencies: true };
  }
  const keys = new Set(odd.map(({ key }) => key));
  const kept = loop.filter((line) => !odd.includes(line));
  const present = new Set(kept.map(normal));
  const back = base.filter((line) => keys.has(line.key) && !present.has(normal(line)));
  const text = [...back, ...kept].map((line) => line.text).join('\n');
  return { text, restored: [...keys], dependencies: true };
}
