/**
 * The text, unchanged in length, with fenced code blanked out line by line, and with every `<` directly behind a
 * backtick made unreadable: tags there are quoted, not meant. A fence that is never closed reaches to the end, as in
 * CommonMark; fences may be indented by any amount, since agents put them into lists.
 */
export function maskCode(text: string): string {
  let out = '';
  let fence: Fence | null = null;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline + 1;
    const line = text.slice(start, end);
    if (fence === null) {
      fence = openingFence(line);
      out += line.replaceAll('`<', '`\0');
    } else {
      if (closes(fence, line)) fence = null;
      out += line.endsWith('\n') ? `${'\0'.repeat(line.length - 1)}\n` : '\0'.repeat(line.length);
    }
    start = end;
  }
  return out;
}

type Fence = { readonly mark: string; readonly length: number };

function openingFence(line: string): Fence | null {
  const found = fenceRun(line);
  if (found === null) return null;
  const info = line.slice(found.end);
  if (found.mark === '`' && info.includes('`')) return null;
  return { mark: found.mark, length: found.length };
}

function closes(fence: Fence, line: string): boolean {
  const found = fenceRun(line);
  if (found === null || found.mark !== fence.mark || found.length < fence.length) return false;
  return line.slice(found.end).trim() === '';
}

function fenceRun(line: string): (Fence & { readonly end: number }) | null {
  let start = 0;
  while (line[start] === ' ' || line[start] === '\t') start++;
  const mark = line[start];
  if (mark !== '`' && mark !== '~') return null;
  let end = start;
  while (line[end] === mark) end++;
  return end - start >= 3 ? { mark, length: end - start, end } : null;
}
