import { describe, expect, it } from 'vitest';
import { fillReserved } from '../../../src/core/env/reserved.ts';

const variables = {
  LOOPWRIGHT_TASK: 't-0a1b2c3d',
  LOOPWRIGHT_ITERATION: '3',
  LOOPWRIGHT_MODEL: 'a b',
};

describe('reserved variables in a command', () => {
  it.each([
    ['test -f "$LOOPWRIGHT_TASK.txt"', 'test -f "t-0a1b2c3d.txt"'],
    ['test -f ${LOOPWRIGHT_TASK}_x', 'test -f t-0a1b2c3d_x'],
    ['echo $LOOPWRIGHT_ITERATION$LOOPWRIGHT_TASK', 'echo 3t-0a1b2c3d'],
    [
      'echo $LOOPWRIGHT_TASKS $LOOPWRIGHT_LOOP $HOME',
      'echo $LOOPWRIGHT_TASKS $LOOPWRIGHT_LOOP $HOME',
    ],
    ['a value that a shell would split stays a name: $LOOPWRIGHT_MODEL', null],
    ['echo LOOPWRIGHT_TASK', null],
  ])('%s', (command, wanted) => {
    expect(fillReserved(command, variables)).toBe(wanted ?? command);
  });
});
