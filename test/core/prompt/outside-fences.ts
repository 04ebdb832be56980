/**
 * The lines of a text that are not fenced code, read as Markdown does: a fence ends at a line of at least as
 * many backticks and nothing else. Throws when a fence is left open.
 */
export function linesOutsideFences(text: string): readonly string[] {
  let open: string | null = null;
  const outside: string[] = [];
  for (const line of text.split('\n')) {
    const ticks = /^ {0,3}(`{3,})[^`]*$/.exec(line)?.[1] ?? null;
    if (open === null && ticks === null) outside.push(line);
    else if (open === null) open = ticks;
    else if (ticks !== null && ticks.length >= open.length && line.trim() === ticks) open = null;
  }
  if (open !== null) throw new Error('a fence is left open');
  return outside;
}
