const maxScannedChars = 20_000;
const maxTokenChars = 300;

/**
 * Places in the user's files that a tool's output points at, as `path:line`, in order of appearance, without
 * repeats. Reads `path.ext:12`, `path.ext:12:5`, `path.ext(12,5)` and `File "path.py", line 12`.
 */
export function fileReferences(output: string, max: number): readonly string[] {
  const found = new Set<string>();
  for (const line of output.slice(0, maxScannedChars).split('\n')) {
    for (const place of referencesOf(line)) {
      if (found.size >= max) return [...found];
      found.add(place);
    }
  }
  return [...found];
}

function referencesOf(line: string): readonly string[] {
  const python = /^\s*File "([^"]{1,300})", line (\d{1,7})/.exec(line);
  if (python !== null) return reference(python[1], python[2]);
  return line
    .replace(/\((\d{1,7})[,)]/g, ':$1 ')
    .split(/[\s()[\]{}'"`<>,;|]+/)
    .flatMap(tokenReference);
}

function tokenReference(token: string): readonly string[] {
  if (token.length > maxTokenChars) return [];
  const [path, line] = token.replace(/^file:\/\//, '').split(':');
  return /^\d{1,7}$/.test(line ?? '') ? reference(path, line) : [];
}

function reference(path: string | undefined, line: string | undefined): readonly string[] {
  if (path === undefined || line === undefined || !isProjectFile(path)) return [];
  return [`${path.startsWith('./') ? path.slice(2) : path}:${line}`];
}

function isProjectFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const extension = name.slice(dot + 1);
  if (dot < 0 || !/^[A-Za-z][A-Za-z0-9]{0,9}$/.test(extension)) return false;
  return !foreignFolders.test(path);
}

/** Dependencies, and what languages bring along. */
const foreignFolders =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages)\/|^\/usr\/(?:local\/)?(?:lib|go)\b|^\/rustc\//;
