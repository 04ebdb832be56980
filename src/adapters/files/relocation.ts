import path from 'node:path';

/** A folder, and the one that stands for it in a copy. */
export type Move = { readonly from: string; readonly to: string };

/** Where a path leads once these folders have moved; the first that holds it counts. Null when none does. */
export function movedPath(file: string, moves: readonly Move[]): string | null {
  const move = moves.find(({ from }) => isInside(file, from));
  return move === undefined ? null : path.join(move.to, path.relative(move.from, file));
}

/**
 * What a symbolic link says in the copy. Inside the copied folder it stays as it is. What it names in the project it names
 * in the place the copy is for. Everything else is where it was.
 */
export function movedLink(
  link: string,
  {
    at,
    tree,
    moves,
  }: { readonly at: string; readonly tree: string; readonly moves: readonly Move[] },
): string {
  const end = path.resolve(path.dirname(at), link);
  if (path.isAbsolute(link)) return movedPath(end, moves) ?? link;
  if (isInside(end, tree)) return link;
  const target = movedPath(end, moves);
  const place = movedPath(path.dirname(at), moves);
  return target === null || place === null ? end : path.relative(place, target);
}

/** The text with these folders named by their new places. A longer name that begins with one is another name. */
export function movedText(text: string, moves: readonly Move[]): string {
  const sorted = moves.toSorted((a, b) => b.from.length - a.from.length);
  let result = '';
  let rest = 0;
  for (let at = text.indexOf('/'); at !== -1; at = text.indexOf('/', at)) {
    const move = sorted.find(({ from }) => isNamedAt(text, at, from));
    if (move === undefined) {
      at += 1;
      continue;
    }
    result += text.slice(rest, at) + move.to;
    at += move.from.length;
    rest = at;
  }
  return result + text.slice(rest);
}

function isNamedAt(text: string, at: number, name: string): boolean {
  if (!text.startsWith(name, at)) return false;
  return !/[\w.-]/.test(text[at - 1] ?? '') && !/[\w.-]/.test(text[at + name.length] ?? '');
}

export function isInside(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
