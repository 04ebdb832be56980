import { silenceMs, type Question } from '../../core/loop/consent.ts';
import type { LoopEvent } from '../../core/loop/event.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { rest } from './rest.ts';

/** Asks a person and waits a while for the answer, or rests until there is one. */
export async function ask(engine: Engine, owner: LoopOwner, question: Question): Promise<void> {
  const ms = silenceMs(owner.loop.settings);
  const { asked } = owner.loop;
  const isSame =
    asked?.kind === question.kind &&
    asked.iteration === question.iteration &&
    (asked.until === null) === (ms === null);
  const until = isSame ? asked.until : ms === null ? null : owner.now + ms;
  const told: readonly LoopEvent[] = isSame ? [] : [{ type: 'approval.asked', question, until }];
  if (until === null) {
    await owner.record(...told);
    await rest(engine, owner, { status: 'blocked', reason: 'approval', text: question.text });
    return;
  }
  const text = `${question.text} Without an answer it goes on.`;
  await owner.record(...told, {
    type: 'loop.waiting',
    condition: 'approval',
    until,
    then: 'boundary',
    text,
  });
}

/** Silence is a yes. */
export async function assumeYes(owner: LoopOwner): Promise<void> {
  const { settings } = owner.loop;
  const seconds = Math.round((silenceMs(settings) ?? 0) / 1000);
  const note = `no answer in ${seconds} s`;
  await owner.record({ type: 'approval.given', by: 'nobody', note });
}
