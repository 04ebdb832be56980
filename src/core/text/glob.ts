/**
 * Path globs: `*` and `?` within a segment, `**` over segments, everything else literal. A glob without a slash
 * matches a name at any depth, as in `.gitignore`; one that names a folder covers what is below it.
 */
export function matchesGlob(path: string, glob: string): boolean {
  const wanted = glob.replace(/^\.\//, '').replace(/\/$/, '');
  const pattern = wanted.includes('/') ? wanted.replace(/^\//, '') : `**/${wanted}`;
  return matchSegments(path.split('/'), pattern.split('/'));
}

export function matchesAny(path: string, globs: readonly string[]): boolean {
  return globs.some((glob) => matchesGlob(path, glob));
}

/** Names without slashes: variables, say. `*` and `?` stand for characters of the name. */
export function matchesName(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => pattern === name || matchSegment(name, pattern));
}

/** Row by row over the pattern: `reach[i]` says whether the pattern so far can end before segment `i`. */
function matchSegments(segments: readonly string[], pattern: readonly string[]): boolean {
  let reach: boolean[] = segments.map(() => false).concat(false);
  reach[0] = true;
  for (const part of pattern) {
    const next: boolean[] = reach.map(() => false);
    let seen = false;
    for (const [index, reached] of reach.entries()) {
      seen ||= reached;
      if (part === '**') next[index] = seen;
      else if (reached && index < segments.length) {
        next[index + 1] = matchSegment(segments[index] ?? '', part);
      }
    }
    reach = next;
  }
  // A pattern that ends early has matched a folder the path is in.
  return reach.some(Boolean);
}

/** Greedy matching with one point of return: linear for real patterns, never exponential. */
function matchSegment(text: string, pattern: string): boolean {
  let at = 0;
  let star = -1;
  let mark = 0;
  let p = 0;
  while (at < text.length) {
    const char = pattern[p];
    if (char === '*') {
      star = p++;
      mark = at;
    } else if (char !== undefined && (char === '?' || char === text[at])) {
      p++;
      at++;
    } else if (star >= 0) {
      p = star + 1;
      at = ++mark;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
