import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A test that names statements: the file in `test`, its title as written, and the statements. */
export type Tag = {
  readonly file: string;
  readonly title: string;
  readonly ids: readonly string[];
};

/** Every `shows(...)` below a folder of tests, sorted by file, in the order of each file. */
export async function scanTags(folder: string): Promise<readonly Tag[]> {
  const files: string[] = [];
  for await (const file of glob('**/*.ts', { cwd: folder })) files.push(file);
  const tags: Tag[] = [];
  for (const file of files.toSorted()) {
    const source = await readFile(path.join(folder, file), 'utf8');
    tags.push(...tagsOf(file, source));
  }
  return tags;
}

/** The test files that execute tagged tests: those with tags, and those that import tagged suites. */
export async function testFilesOf(folder: string, tags: readonly Tag[]): Promise<string[]> {
  const tagged = new Set(tags.map(({ file }) => file));
  const suites = [...tagged].filter((file) => !isTestFile(file));
  const files = [...tagged].filter(isTestFile);
  if (suites.length === 0) return files.toSorted();
  for await (const file of glob('**/*.test.ts', { cwd: folder })) {
    const source = await readFile(path.join(folder, file), 'utf8');
    const imports = suites.some((suite) => source.includes(`/${path.basename(suite)}'`));
    if (imports && !tagged.has(file)) files.push(file);
  }
  return files.toSorted();
}

export function isTestFile(file: string): boolean {
  return file.endsWith('.test.ts');
}

function tagsOf(file: string, source: string): Tag[] {
  return [...source.matchAll(/\bshows\(([^)]*)\);/g)].map((match) => {
    const title = titleBefore(source.slice(0, match.index));
    if (title === null) {
      const line = source.slice(0, match.index).split('\n').length;
      throw new Error(`test/${file}:${line}: shows() is not the first line of a test with a title`);
    }
    return {
      file,
      title,
      ids: [...(match[1] ?? '').matchAll(/'([^']+)'/g)].map(([, id = '']) => id),
    };
  });
}

/** The title of the test whose body begins where the text ends. */
function titleBefore(text: string): string | null {
  const head =
    /(['"`])((?:\\.|(?!\1)[^\\])*)\1,\s*(?:\{[^{}]*\},\s*)?(?:\(\)\s*=>\s*\w+\(\s*)?(?:async\s*)?(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\w+)\s*=>\s*\{\s*$/;
  const found = head.exec(text.slice(-1500));
  return found === null ? null : (found[2] ?? '').replaceAll(/\\(.)/g, '$1');
}
