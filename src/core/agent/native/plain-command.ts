/** Programs that start the one named behind them, with the options of theirs that take a value. */
const wrappers: Readonly<Record<string, readonly string[]>> = {
  command: [],
  exec: ['-a'],
  builtin: [],
  nohup: [],
  setsid: [],
  time: ['-f', '-o'],
  nice: ['-n'],
  ionice: ['-c', '-n'],
  stdbuf: ['-i', '-o', '-e'],
  busybox: [],
  xargs: ['-I', '-n', '-P', '-L', '-d', '-a', '-s', '-E'],
  env: ['-u', '-C', '-S'],
  timeout: ['-s', '-k'],
};

const maxWrappers = 10;

export function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** The command behind `env A=1`, `timeout 5`, `nohup`, `xargs` and the like, as far as their options are known. */
export function unwrap(words: readonly string[]): readonly string[] {
  let rest = words;
  for (let count = 0; count < maxWrappers; count++) {
    const name = baseName(rest[0] ?? '');
    const options = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
    if (options === undefined) return rest;
    rest = behindOptions(rest.slice(1), options);
    if (name === 'env') rest = rest.slice(rest.findIndex((word) => !/^\w+=/.test(word)));
    if (name === 'timeout') rest = rest.slice(1);
    if (rest.length === 0) return words;
  }
  return rest;
}

function behindOptions(words: readonly string[], valued: readonly string[]): readonly string[] {
  let at = 0;
  while (at < words.length && (words[at] ?? '').startsWith('-')) {
    if (words[at] === '--') return words.slice(at + 1);
    at += valued.includes(words[at] ?? '') ? 2 : 1;
  }
  return words.slice(at);
}
