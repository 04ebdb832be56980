import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type {
  ModelReply,
  ReplyBlock,
  StopReason,
} from '../../../../src/core/agent/native/message.ts';
import { batchesOf, isExploring, toolNames } from '../../../../src/core/agent/native/tool.ts';
import {
  afterReply,
  afterTools,
  newTurns,
  type TurnState,
} from '../../../../src/core/agent/native/turn.ts';
import { shows } from '../../../support/shows.ts';

const limits = { maxTurns: 50, maxContextTokens: null };
const text = (words: string): ReplyBlock => ({ type: 'text', text: words });
const call = (name: string): ReplyBlock => ({
  type: 'call',
  id: name,
  name,
  input: {},
  fault: null,
});
const reply = (stop: StopReason, ...content: readonly ReplyBlock[]): ModelReply => ({
  stop,
  stopWord: `word-${stop}`,
  content,
  tokens: null,
});

describe('after a reply', () => {
  test.each<[string, ModelReply, object]>([
    [
      'an end',
      reply('end', text('a'), text('b')),
      { kind: 'end', end: { kind: 'done', finalText: 'ab' } },
    ],
    ['nothing at all', reply('end'), { kind: 'end', end: { kind: 'done', finalText: '' } }],
    ['calls', reply('calls', text('a'), call('read')), { kind: 'call', calls: [{ name: 'read' }] }],
    ['calls that call themselves an end', reply('end', call('read')), { kind: 'call' }],
    [
      'an unknown word',
      reply('unknown', text('a')),
      { kind: 'end', end: { kind: 'done', evidence: 'the model stopped (word-unknown)' } },
    ],
    ['an unknown word with calls', reply('unknown', call('read')), { kind: 'call' }],
    [
      'a refusal with calls',
      reply('refusal', call('read')),
      { kind: 'end', end: { kind: 'refused' } },
    ],
    [
      'a full window',
      reply('window-full', text('a')),
      { kind: 'end', end: { kind: 'context_full' } },
    ],
    ['a pause', reply('pause', text('a')), { kind: 'continue', message: null }],
    [
      'a cut with calls',
      reply('output-limit', call('write')),
      { kind: 'continue', message: expect.any(String) },
    ],
  ])('%s', (_, given, next) => {
    shows('002.end-turn', '002.tool-use', '002.max-tokens', '002.decision-until-end-turn');
    expect(afterReply(newTurns, given, limits).next).toMatchObject(next);
  });

  test('what was cut in pieces is one final message', () => {
    const first = afterReply(newTurns, reply('output-limit', text('This is cut o')), limits);
    const second = afterReply(first.state, reply('output-limit', text('ff and ')), limits);
    const last = afterReply(second.state, reply('end', text('continued.')), limits);
    expect(last.next).toMatchObject({ end: { finalText: 'This is cut off and continued.' } });
  });

  test('a fourth cut in a row ends it, and calls in between begin the count anew', () => {
    const cut = reply('output-limit', text('x'));
    let state: TurnState = newTurns;
    for (let i = 0; i < 3; i++) state = afterReply(state, cut, limits).state;
    expect(afterReply(state, cut, limits).next).toMatchObject({ end: { kind: 'max_tokens' } });
    const called = afterReply(state, reply('calls', call('read')), limits).state;
    expect(afterReply(called, cut, limits).next).toMatchObject({ kind: 'continue' });
  });
});

const ends = (name: string, isError = false, finalText: string | null = null) => ({
  name,
  isError,
  finalText,
});

describe('after tools', () => {
  test('the last turn ends it, unless the task is completed in it', () => {
    shows('002.turn-guard');
    const state = { ...newTurns, turns: 50 };
    expect(afterTools(state, [ends('read')], '', limits).next).toMatchObject({
      end: { kind: 'max_turns', evidence: 'the limit of 50 turns is reached' },
    });
    const completed = [ends('complete_task', false, 'claim')];
    expect(afterTools(state, completed, 'said', limits).next).toMatchObject({
      end: { kind: 'done', finalText: 'claim\n\nsaid' },
    });
  });

  test('a refused completion completes nothing', () => {
    expect(afterTools(newTurns, [ends('complete_task', true, null)], '', limits).next.kind).toBe(
      'ask',
    );
  });

  test('an edit that failed does not count as one', () => {
    const explored = [
      ...Array.from({ length: 4 }, () => ends('read')),
      ends('edit', true),
      ends('grep'),
    ];
    expect(afterTools(newTurns, explored, '', limits).next).toMatchObject({
      notice: expect.any(String),
    });
    const edited = [...Array.from({ length: 4 }, () => ends('read')), ends('edit'), ends('grep')];
    expect(afterTools(newTurns, edited, '', limits).next).toMatchObject({ notice: null });
  });
});

const stops: readonly StopReason[] = [
  'end',
  'calls',
  'output-limit',
  'refusal',
  'window-full',
  'pause',
  'unknown',
];
const arbitraryReply = fc.record({
  stop: fc.constantFrom(...stops),
  stopWord: fc.string(),
  tokens: fc.constant(null),
  content: fc.array(
    fc.oneof(fc.string().map(text), fc.constantFrom(...toolNames, 'nonsense').map(call)),
    { maxLength: 4 },
  ),
});

test('whatever the model replies, a conversation ends within its turns, with one notice at most', () => {
  fc.assert(
    fc.property(
      fc.array(arbitraryReply, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      (replies, maxTurns) => {
        let state: TurnState = newTurns;
        let notices = 0;
        let asked = 0;
        for (;;) {
          const given = replies[asked % replies.length];
          if (given === undefined) throw new Error('no reply');
          asked += 1;
          const replied = afterReply(state, given, { maxTurns, maxContextTokens: null });
          state = replied.state;
          if (replied.next.kind === 'end') break;
          if (replied.next.kind === 'continue') continue;
          const calls = replied.next.calls.map(({ name }) => ({
            name,
            isError: false,
            finalText: null,
          }));
          const after = afterTools(state, calls, '', { maxTurns, maxContextTokens: null });
          state = after.state;
          if (after.next.kind === 'end') break;
          if (after.next.notice !== null) notices += 1;
        }
        expect(asked).toBeLessThanOrEqual(maxTurns);
        expect(state.turns).toBe(asked);
        expect(notices).toBeLessThanOrEqual(1);
      },
    ),
  );
});

test('batches keep the order, hold every call once, and put nothing beside a call that may change things', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...toolNames, 'nonsense')), (names) => {
      const calls = names.map((name, id) => ({ name, id }));
      const batches = batchesOf(calls, 4);
      expect(batches.flat()).toEqual(calls);
      for (const batch of batches) {
        expect(batch.length).toBeLessThanOrEqual(4);
        if (batch.length > 1) expect(batch.every(({ name }) => isExploring(name))).toBe(true);
      }
    }),
  );
});
