import { readCommand } from './mention.ts';
import { tellNamed } from './named-file.ts';
import { readShell, resolvePath } from './shell.ts';

/**
 * Whether a file that a command names and that is not there would be what the command checks, and not what it checks with:
 * `test "$(sh greet.sh)" = hello` asks for a program, `sh check.sh` lacks its check.
 */
export function isCheckedFile(command: string, file: string): boolean {
  const place = { cwd: '', own: '', variables: new Map<string, string>() };
  const found = readShell(command, place).flatMap((simple) =>
    readCommand(simple)
      .mentions.map((mention) => ({ mention, path: resolvePath(mention.word, simple.cwd) ?? '' }))
      .filter(({ path }) => path !== '' && (path === file || file.endsWith(`/${path}`))),
  );
  return (
    found.length > 0 &&
    found.every(({ mention, path }) => tellNamed(path, mention, '', () => null) === null)
  );
}
