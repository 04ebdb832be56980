import { describe, expect, it } from 'vitest';
import { stackIn } from '../../../src/core/verdict/stack-trace.ts';

describe('the stack trace of an output', () => {
  it.each([
    [
      'JavaScript',
      'starting\n\nTypeError: zebra is undefined\n    at feed (src/zoo.ts:3:5)\n    at src/main.ts:9:1\n\n1 failed',
      'TypeError: zebra is undefined\n    at feed (src/zoo.ts:3:5)\n    at src/main.ts:9:1',
    ],
    [
      'Python',
      'x\n\nTraceback (most recent call last):\n  File "zoo.py", line 3, in <module>\n    feed()\nValueError: no zebra\n',
      'Traceback (most recent call last):\n  File "zoo.py", line 3, in <module>\n    feed()\nValueError: no zebra',
    ],
    [
      'Go',
      'panic: nil map\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/zoo.go:7 +0x1d\nexit status 2',
      'goroutine 1 [running]:\nmain.main()\n\t/src/zoo.go:7 +0x1d\nexit status 2',
    ],
  ])('is found in what %s prints', (_, output, stack) => {
    expect(stackIn(output)).toBe(stack);
  });

  it('is none where no frame is', () => {
    expect(stackIn('Segmentation fault in database driver')).toBeNull();
    expect(stackIn('look at this\nFile "x" is missing')).toBeNull();
    expect(stackIn('')).toBeNull();
  });

  it('is bounded and found in linear time', () => {
    const frame = `Error: x\n${'    at f (a.ts:1)\n'.repeat(50_000)}`;
    expect(stackIn(frame)?.length).toBeLessThanOrEqual(500);
    expect(stackIn(`${' '.repeat(100_000)}at\n`.repeat(20))).toBeNull();
  });
});
