import { listedName } from '../../core/text/file-name.ts';
import { guardBase } from '../base-guard.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { putBackWritten } from '../put-back.ts';
import { rest } from './rest.ts';

/** The base branch moved: the loop's commits go on top of it, or the loop is blocked with the files named. */
export async function rebase(engine: Engine, owner: LoopOwner, onto: string): Promise<void> {
  const { workspace: record } = owner.loop;
  const from = record.base ?? onto;
  const doubt = await guardBase(engine, record.baseRef ?? '', owner.loop.id, owner.closing);
  if (doubt?.kind === 'doubtful') return rest(engine, owner, doubt.rest);
  if (doubt !== null) {
    owner.forgetBase();
    return owner.record({ type: 'warning.raised', text: doubt.text });
  }
  await engine.project.sync([]);
  await owner.record({ type: 'rebase.started', from, onto });
  await owner.settled();
  await putBackWritten(engine, owner, null);
  await owner.before('rebase');
  const result = await owner.workspace.rebase(onto, from, owner.closing);
  await owner.after('rebase');
  if (result.kind !== 'conflict') {
    await owner.record({ type: 'rebase.ended', base: onto, head: result.head });
    return;
  }
  await owner.record({ type: 'rebase.conflicted', onto, files: result.files });
  const files = result.files.map(listedName).join(', ');
  await rest(engine, owner, {
    status: 'blocked',
    reason: 'conflict',
    text: `${record.baseRef ?? 'the base'} moved and conflicts with the loop's work in ${files}`,
  });
}
