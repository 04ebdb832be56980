import { describe, expect, it } from 'vitest';
import {
  judgeBaseMove,
  type BaseMoveInput,
  type LoggedMove,
} from '../../../src/core/loop/base-move.ts';
import type { TracedCommand } from '../../../src/core/loop/git-trace.ts';

const [x, y, z, p] = [idOf('a'), idOf('b'), idOf('c'), idOf('d')];
const worktree = '/state/worktrees/loop';
const root = '/project';
const ref = 'refs/heads/main';

function idOf(letter: string): string {
  return letter.repeat(40);
}

const step = (from: string, to: string, time: number, message: string): LoggedMove => ({
  from,
  to,
  time,
  message,
});

/** A command that ran in the first half of a second. */
const ran = (line: string, second: number, where: string | null = worktree): TracedCommand => {
  const argv = ['git', ...line.split(' ')];
  const startedAt = second * 1000 + 100;
  return {
    name: argv[1] ?? '',
    argv,
    worktree: where,
    startedAt,
    endedAt: startedAt + 400,
    exitCode: 0,
  };
};

function judge(
  moves: readonly LoggedMove[] | null,
  commands: readonly TracedCommand[] | null,
  more: Partial<BaseMoveInput> & {
    readonly shown?: readonly LoggedMove[] | null;
    readonly inLoops?: readonly LoggedMove[];
  } = {},
) {
  const { shown = null, inLoops = [], ...rest } = more;
  const first = step('0'.repeat(40), x, 1, 'commit (initial): first');
  const log = { moves: moves === null ? null : [first, ...moves], shown, inLoops };
  const after = moves?.at(-1)?.to ?? y;
  const places = { worktree, own: [], wasLogged: true };
  return judgeBaseMove({ ref, before: x, after, log, commands, ...places, ...rest });
}

describe('the agent', () => {
  it.each([
    ['names the ref', ran(`update-ref ${ref} HEAD`, 50), ''],
    ['sets the branch', ran('branch -f main HEAD', 50), 'branch: Reset to HEAD'],
    ['pushes into the repository itself', ran('push . HEAD:main', 50), 'push'],
    ['commits in the checkout of the user', ran('commit -m x', 50, root), 'commit: x'],
    ['commits in a worktree of its making', ran('commit -m x', 50, '/tmp/other'), 'commit: x'],
  ])('%s: back to where it was', (_, command, message) => {
    expect(judge([step(x, y, 50, message)], [command])).toEqual({ by: 'agent', back: x });
  });

  it('commits in its own worktree, with the base checked out there', () => {
    const moved = step(x, y, 50, 'commit: x');
    const verdict = judge([moved], [ran('commit -m x', 50)], { inLoops: [moved], shown: [] });
    expect(verdict).toEqual({ by: 'agent', back: x });
  });

  it('moves what a person committed before: back to the commit of the person', () => {
    const moves = [step(x, p, 40, 'commit: mine'), step(p, y, 50, '')];
    expect(judge(moves, [ran(`update-ref ${ref} y`, 50)])).toEqual({ by: 'agent', back: p });
  });

  it('moves what we have merged before: back to the merge', () => {
    const moves = [step(x, p, 40, 'loopwright: fast-forward'), step(p, y, 50, '')];
    const own = [{ into: 'main', from: x, to: p }];
    const verdict = judge(moves, [ran(`update-ref ${ref} y`, 50)], { own, shown: [] });
    expect(verdict).toEqual({ by: 'agent', back: p });
  });
});

describe('nobody can say', () => {
  it.each([
    ['a person committed on top', [step(x, y, 50, ''), step(y, z, 60, 'commit: mine')]],
    ['both in the same second', [step(x, y, 50, 'commit: a'), step(y, z, 50, 'commit: b')]],
    ['a record that does not lead there', [step(p, y, 50, 'commit: mine')]],
  ])('%s', (_, moves) => {
    const commands = [ran(`update-ref ${ref} y`, 50)];
    expect(judge(moves, commands)).toMatchObject({ by: 'unknown' });
  });

  it('what is no step in any record, and records that are gone', () => {
    expect(judge([], [])).toMatchObject({ by: 'unknown' });
    expect(judge(null, [])).toMatchObject({ by: 'unknown' });
    expect(judge([step(x, y, 50, 'commit: x')], null)).toMatchObject({ by: 'unknown' });
  });

  it('a branch that is shown and was moved from elsewhere', () => {
    expect(judge([step(x, y, 50, '')], [], { shown: [] })).toMatchObject({ by: 'unknown' });
  });

  it('a command of another kind at the same moment, or one that says no time', () => {
    const moves = [step(x, y, 50, 'commit: mine')];
    expect(judge(moves, [ran('gc', 50, root)])).toMatchObject({ by: 'unknown' });
    const { startedAt: _started, ...timeless } = ran('commit -m x', 50, root);
    expect(judge(moves, [timeless])).toMatchObject({ by: 'unknown' });
  });
});

describe('a person', () => {
  const mine = step(x, y, 50, 'commit: mine');

  it.each([
    ['while the agent does nothing', []],
    ['while the agent commits in its worktree', [ran('commit -m own', 50)]],
    ['while the agent looks at the base', [ran('log main', 50), ran('status', 50, root)]],
    ['while the agent fails to commit', [{ ...ran('commit -m own', 50), exitCode: 1 }]],
    ['before the agent uses the checkout', [ran('commit -m own', 60, root)]],
  ])('commits %s', (_, commands) => {
    const inLoops = [step(x, p, 50, 'commit: own')];
    expect(judge([mine], commands, { shown: [mine], inLoops })).toEqual({ by: 'person' });
  });

  it('fetches into a branch that is shown only afterwards', () => {
    const moves = [step(x, y, 50, 'fetch origin main:main: fast-forward')];
    const shown = [step(p, y, 55, 'checkout: moving from feature to main')];
    expect(judge(moves, [], { shown })).toEqual({ by: 'person' });
  });

  it('has put back what the agent moved, and gone on', () => {
    const moves = [
      step(x, y, 50, ''),
      step(y, x, 55, 'reset: moving to x'),
      step(x, z, 60, 'commit: c'),
    ];
    expect(judge(moves, [ran(`update-ref ${ref} y`, 50)])).toEqual({ by: 'person' });
  });

  it('works in a repository that keeps no record', () => {
    expect(judge(null, [], { wasLogged: false })).toEqual({ by: 'person' });
  });
});
