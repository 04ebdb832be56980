import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openProject } from '../../../src/adapters/git/open-project.ts';
import { loopHarness, signal, type LoopHarness } from './loop-harness.ts';

/** A loop with one commit, and a commit of somebody else on top of it. */
async function visited(): Promise<LoopHarness & { readonly head: string; readonly top: string }> {
  const loop = await loopHarness();
  const { head } = await loop.iterate(() => loop.write('own.txt', 'own\n'));
  await loop.repo.git('switch', '-q', '--detach', head ?? '');
  await loop.repo.write('other.txt', 'of another loop\n');
  const top = await loop.repo.commitAll('other');
  await loop.repo.git('switch', '-q', 'main');
  return { ...loop, head: head ?? '', top };
}

async function expectOwn(loop: Awaited<ReturnType<typeof visited>>) {
  const { repo, workspace, head } = loop;
  expect(await repo.git('rev-parse', 'loopwright/loop-1')).toBe(head);
  expect(await loop.agent('symbolic-ref', 'HEAD')).toBe('refs/heads/loopwright/loop-1');
  expect(await loop.agent('status', '--porcelain')).toBe('');
  expect(existsSync(path.join(workspace.path, 'other.txt'))).toBe(false);
}

describe('visiting another commit', () => {
  test('shows its files, moves no branch, and goes back', async () => {
    await using loop = await visited();
    const seen = await loop.workspace.visit(loop.top, signal, async () => {
      expect(await loop.repo.git('rev-parse', 'loopwright/loop-1')).toBe(loop.head);
      return loop.read('other.txt');
    });
    expect(seen).toBe('of another loop\n');
    await expectOwn(loop);
  });

  test('goes back when the work fails, also after it was aborted', async () => {
    await using loop = await visited();
    const control = new AbortController();
    const visiting = loop.workspace.visit(loop.top, control.signal, async () => {
      await loop.write('left-by-a-check.txt', 'x\n');
      control.abort();
      throw new Error('cut');
    });
    await expect(visiting).rejects.toThrow('cut');
    expect(await loop.repo.git('rev-parse', 'loopwright/loop-1')).toBe(loop.head);
    expect(await loop.agent('symbolic-ref', 'HEAD')).toBe('refs/heads/loopwright/loop-1');
    expect(await loop.agent('status', '--porcelain')).toBe('?? left-by-a-check.txt');
  });

  test('that a kill cuts is ended by the next open, and nothing of it becomes the loop’s work', async () => {
    await using loop = await visited();
    const begun = Promise.withResolvers<void>();
    // It never ends, as after a kill.
    void loop.workspace.visit(loop.top, signal, () => {
      begun.resolve();
      return new Promise<never>(() => {});
    });
    await begun.promise;
    const project = await openProject(loop.repo.path, signal, loop.repo.env);
    const opened = await project.openWorkspace(loop.spec, signal);
    expect(opened.repaired).toEqual(['brought back from the check of a merge']);
    await expectOwn(loop);
    const startTree = await opened.workspace.snapshot(signal);
    const input = { startTree, startHead: loop.head, subject: 'next', trailers: [] };
    const { commit, head } = await opened.workspace.commit(input, signal);
    expect({ commit, head }).toEqual({ commit: null, head: loop.head });
  });
});
