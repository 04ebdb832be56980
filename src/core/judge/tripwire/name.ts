const consonants = 'bdfgklmnprstvz';
const vowels = 'aeiou';

/** A word that nothing else has, from digits that cannot be guessed: `kidomurabe`. */
export function wordOf(hex: string): string {
  const digits = hex.split('').map((digit) => Number.parseInt(digit, 16));
  let word = '';
  for (let index = 0; index + 1 < digits.length && word.length < 12; index += 2) {
    const byte = (digits[index] ?? 0) * 16 + (digits[index + 1] ?? 0);
    word += syllable(byte);
  }
  return word;
}

/** Two letters for a number below 70, another for each. */
export function syllable(number: number): string {
  const vowel = vowels.charAt(number % vowels.length);
  return consonants.charAt(Math.floor(number / vowels.length) % consonants.length) + vowel;
}

export function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** A path beside another one, named after the same pattern: `test/sub.test.js` becomes `test/kidomura.test.js`. */
export function beside(path: string, word: string): string {
  const slash = path.lastIndexOf('/') + 1;
  const name = path.slice(slash);
  const dot = name.indexOf('.', 1);
  const stem = dot === -1 ? name : name.slice(0, dot);
  return path.slice(0, slash) + stemLike(stem, word, name) + (dot === -1 ? '' : name.slice(dot));
}

function stemLike(stem: string, word: string, name: string): string {
  const before = /^(tests?|specs?)([-_])./i.exec(stem);
  if (before !== null) return `${before[1]}${before[2]}${word}`;
  const after = /.([-_])(tests?|specs?|unittest)$/i.exec(stem);
  if (after !== null) return `${word}${after[1]}${after[2]}`;
  const inWord = /[a-z0-9](Tests?|Specs?|TestCase)$/.exec(stem);
  if (inWord !== null) return `${capitalised(word)}${inWord[1]}`;
  const isBare = /^(?:tests?|specs?)$/i.test(stem);
  if (!isBare) return word;
  return `${stem}${/\.[cm]?[jt]sx?$/.test(name) ? '-' : '_'}${word}`;
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function extensionOf(path: string): string {
  const dot = path.lastIndexOf('.');
  return dot <= path.lastIndexOf('/') ? '' : path.slice(dot + 1);
}

/** `test/unit` and `../../src/a.js` are `src/a.js`. */
export function joined(folder: string, spec: string): string {
  const parts: string[] = folder === '' ? [] : folder.split('/');
  for (const part of spec.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
