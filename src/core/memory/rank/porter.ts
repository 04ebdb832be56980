/**
 * The stem of a lower-case English word, after M. F. Porter, “An algorithm for suffix stripping” (1980). Words with
 * other letters, short and overlong ones stay as they are: they are names more often than words.
 */
export function stem(word: string): string {
  if (word.length < 3 || word.length > maxLength || !isPlain(word)) return word;
  const first = word.startsWith('y');
  // A leading `y` is a consonant; the capital keeps the vowel tests away from it.
  const text = plurals(first ? `Y${word.slice(1)}` : word);
  const stripped = tidyEnd(suffixes4(suffixes3(suffixes2(finalY(participles(text))))));
  return first ? `y${stripped.slice(1)}` : stripped;
}

const maxLength = 40;

function isPlain(word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if (code < 0x61 || code > 0x7a) return false;
  }
  return true;
}

function isVowel(word: string, at: number): boolean {
  const letter = word.charAt(at);
  if ('aeiou'.includes(letter)) return true;
  return letter === 'y' && at > 0 && !isVowel(word, at - 1);
}

/** How many times vowels are followed by consonants. */
function measure(word: string): number {
  let count = 0;
  let afterVowel = false;
  for (let i = 0; i < word.length; i++) {
    const vowel = isVowel(word, i);
    if (afterVowel && !vowel) count++;
    afterVowel = vowel;
  }
  return count;
}

function hasVowel(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (isVowel(word, i)) return true;
  return false;
}

function endsDouble(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word[last] === word[last - 1] && !isVowel(word, last);
}

/** Ends like `hop`: consonant, vowel, consonant that is not w, x or y. */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  if (last < 2 || 'wxy'.includes(word.charAt(last))) return false;
  return !isVowel(word, last) && isVowel(word, last - 1) && !isVowel(word, last - 2);
}

function cut(word: string, count: number): string {
  return word.slice(0, word.length - count);
}

function plurals(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return cut(word, 2);
  return word.endsWith('s') && !word.endsWith('ss') ? cut(word, 1) : word;
}

function participles(word: string): string {
  if (word.endsWith('eed')) return measure(cut(word, 3)) > 0 ? cut(word, 1) : word;
  const length = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  const base = cut(word, length);
  if (length === 0 || !hasVowel(base)) return word;
  if (base.endsWith('at') || base.endsWith('bl') || base.endsWith('iz')) return `${base}e`;
  if (endsDouble(base) && !'lsz'.includes(base.charAt(base.length - 1))) return cut(base, 1);
  return measure(base) === 1 && endsShort(base) ? `${base}e` : base;
}

function finalY(word: string): string {
  return word.endsWith('y') && hasVowel(cut(word, 1)) ? `${cut(word, 1)}i` : word;
}

type Rule = readonly [suffix: string, replacement: string];

const rules2: readonly Rule[] = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['eli', 'e'],
];

const rules3: readonly Rule[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];

function suffixes2(word: string): string {
  return replaceLongest(word, rules2, 0);
}

function suffixes3(word: string): string {
  return replaceLongest(word, rules3, 0);
}

const rules4: readonly Rule[] = [
  'ement,ance,ence,able,ible,ment,ant,ent,ism,ate,iti,ous,ive,ize,ion,al,er,ic,ou',
]
  .flatMap((list) => list.split(','))
  .map((suffix): Rule => [suffix, '']);

function suffixes4(word: string): string {
  return replaceLongest(word, rules4, 1);
}

/** Only the longest suffix that fits is looked at, also when its stem is too short to lose it. */
function replaceLongest(word: string, rules: readonly Rule[], above: number): string {
  const rule = rules.find(([suffix]) => word.endsWith(suffix));
  if (rule === undefined) return word;
  const [suffix, replacement] = rule;
  const base = cut(word, suffix.length);
  if (measure(base) <= above) return word;
  if (suffix === 'ion' && !base.endsWith('s') && !base.endsWith('t')) return word;
  return base + replacement;
}

function tidyEnd(word: string): string {
  const base = cut(word, 1);
  const isSilent =
    word.endsWith('e') && (measure(base) > 1 || (measure(base) === 1 && !endsShort(base)));
  const text = isSilent ? base : word;
  return text.endsWith('ll') && measure(text) > 1 ? cut(text, 1) : text;
}
