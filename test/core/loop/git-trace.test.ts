import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOfAgent, readGitTrace, type TracedCommand } from '../../../src/core/loop/git-trace.ts';
import { userIndex } from '../../../src/core/loop/surroundings.ts';

const root = '/home/me/project';
const worktree = `${root}/.loopwright/worktrees/loop-1`;

function ran(line: string, place = worktree): TracedCommand {
  const argv = ['git', ...line.split(' ')];
  return { name: argv[1] ?? '', argv, worktree: place };
}

describe('a command of the agent', () => {
  it.each([
    ['tag stolen', 'refs/tags/stolen'],
    ['branch -D side', 'refs/heads/side'],
    ['update-ref refs/heads/side HEAD~1', 'refs/heads/side'],
    ['update-ref --stdin', 'refs/heads/any'],
    ['push . HEAD:main', 'refs/heads/main'],
    ['fetch origin', 'refs/remotes/origin/main'],
    ['stash', 'refs/stash'],
    ['replace main HEAD', 'refs/replace/0123456789012345678901234567890123456789'],
    ['notes add -m x', 'refs/notes/commits'],
    ['bisect start', 'refs/bisect/bad'],
    ['switch -c mine', 'refs/heads/mine'],
  ])('git %s explains a change of %s', (line, ref) => {
    expect(isOfAgent(ref, [ran(line)], root)).toBe(true);
  });

  it.each([
    ['commit -m main', 'refs/heads/main'],
    ['rebase main', 'refs/heads/main'],
    ['log main', 'refs/heads/main'],
    ['fetch origin main', 'refs/heads/main'],
    ['push origin main', 'refs/heads/main'],
    ['tag other', 'refs/tags/mine'],
    ['add .', userIndex],
  ])('git %s in its own worktree does not explain a change of %s', (line, name) => {
    expect(isOfAgent(name, [ran(line)], root)).toBe(false);
  });

  it('in the user’s checkout explains all but what only looks', () => {
    for (const name of ['refs/heads/main', 'HEAD of your checkout', userIndex]) {
      expect(isOfAgent(name, [ran('commit -m x', root)], root)).toBe(true);
      expect(isOfAgent(name, [ran('status', root)], root)).toBe(false);
    }
  });
});

describe('a trace', () => {
  it('is read as git writes it, other lines are passed over', () => {
    const lines = [
      { event: 'version', sid: 'a' },
      { event: 'start', sid: 'a', argv: ['git', 'tag', 'x', 7] },
      { event: 'def_repo', sid: 'a', worktree },
      { event: 'cmd_name', sid: 'a', name: 'tag' },
      { event: 'start', argv: ['git'] },
    ].map((line) => JSON.stringify(line));
    const text = ['{"event":"start"', ...lines, 'null', ''].join('\n');
    expect(readGitTrace(text)).toEqual([{ name: 'tag', argv: ['git', 'tag', 'x'], worktree }]);
  });

  it('never throws, whatever an agent wrote into it', () => {
    const line = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({
          event: fc.constantFrom('start', 'def_repo', 'cmd_name'),
          sid: fc.jsonValue(),
          argv: fc.jsonValue(),
          name: fc.jsonValue(),
          worktree: fc.jsonValue(),
        })
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const commands = readGitTrace(lines.join('\n'));
        expect(isOfAgent('refs/heads/main', commands, root)).toBeTypeOf('boolean');
      }),
    );
  });
});
