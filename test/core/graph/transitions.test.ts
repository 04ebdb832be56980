import { describe, expect, test } from 'vitest';
import {
  allowedTransitions,
  assertTransition,
  canTransition,
} from '../../../src/core/graph/transitions.ts';
import { taskStatuses } from '../../../src/core/task/task.ts';

describe('the table of transitions', () => {
  test('is exactly this', () => {
    const table = taskStatuses.map((from) => {
      const cells = taskStatuses.map((to) =>
        canTransition(from, to) ? to : '-'.repeat(to.length),
      );
      return `${from.padEnd(9)} → ${cells.join(' ')}`;
    });
    expect(table.join('\n')).toMatchInlineSnapshot(`
      "draft     → ----- pending ------- ------- ------ done ------ cancelled
      pending   → draft ------- blocked running paused done ------ cancelled
      blocked   → ----- pending ------- running paused done ------ cancelled
      running   → ----- pending blocked ------- paused done failed cancelled
      paused    → ----- pending blocked running ------ done failed cancelled
      done      → ----- pending ------- ------- ------ ---- ------ ---------
      failed    → ----- pending ------- running ------ done ------ cancelled
      cancelled → ----- pending ------- ------- ------ ---- ------ ---------"
    `);
  });

  test.each(taskStatuses)(
    'from %s, everything it names passes and everything else throws',
    (from) => {
      const task = { id: 't-1', title: 'Parse', status: from };
      for (const to of taskStatuses) {
        if (allowedTransitions[from].includes(to)) {
          expect(() => assertTransition(task, to)).not.toThrow();
        } else {
          expect(() => assertTransition(task, to)).toThrow(
            expect.objectContaining({ code: 'task.transition' }),
          );
        }
      }
    },
  );

  test('never leads from a status to itself, and leaves no status without a way out', () => {
    for (const status of taskStatuses) {
      expect(canTransition(status, status)).toBe(false);
      expect(allowedTransitions[status]).not.toEqual([]);
    }
  });

  test('names the task, both statuses and what is possible instead', () => {
    expect(() => assertTransition({ id: 't-1', title: 'Parse', status: 'done' }, 'failed')).toThrow(
      expect.objectContaining({
        message: 'task t-1 “Parse” is done and cannot become failed',
        hint: 'From done it can become: pending.',
      }),
    );
  });
});
