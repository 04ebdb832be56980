import { TestRunner } from 'vitest';
import type { StatementId } from '../../scripts/seeds/statements.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Statements of the design documents that this test executes. */
    shows?: string[];
  }
}

/**
 * Says which statements of the design documents this test executes (docs/design/seeds.md). It is
 * the first line of the test, so that the generator of the page can find its title.
 */
export function shows(...ids: readonly [StatementId, ...StatementId[]]): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error('shows() is called outside a test');
  test.meta.shows = [...new Set([...(test.meta.shows ?? []), ...ids])];
}
