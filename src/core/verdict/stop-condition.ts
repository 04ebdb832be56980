import type { StopCondition, StopKind, StopPart, StopTest } from '../config/section/stop.ts';
import { plural } from '../text/plural.ts';

/** What looking at one condition gave. */
export type Looked = {
  /** Null: the look failed or took too long, which counts as not met. */
  readonly met: boolean | null;
  /** Why the look gave nothing, in words; absent when it gave an answer. */
  readonly problem?: string;
};

export type StopLook = (test: StopTest) => Looked;

export type StopResult = {
  readonly met: boolean;
  readonly kind: StopKind;
  /** The condition in words. */
  readonly text: string;
  /** Some look failed or timed out, and the others do not decide. */
  readonly unsure: boolean;
  /** What went wrong with its looks; absent when nothing did. */
  readonly problem?: string;
};

/** Every condition that looks at the world, through all combinators: what the engine has to look up first. */
export function stopTests(conditions: readonly StopPart[]): readonly StopTest[] {
  return conditions.flatMap((condition) => {
    if ('on' in condition) return [condition];
    if ('all' in condition) return stopTests(condition.all);
    if ('any' in condition) return stopTests(condition.any);
    return stopTests([condition.not]);
  });
}

export function evaluateStop(condition: StopCondition, look: StopLook): StopResult {
  const value = evaluate(condition, look);
  const problems = stopTests([condition]).flatMap((test) => look(test).problem ?? []);
  return {
    met: value === true,
    kind: condition.kind,
    text: describeStop(condition),
    unsure: value === null,
    ...(problems.length === 0 ? {} : { problem: problems.join('; ') }),
  };
}

/** Three-valued: an unsure part leaves the whole unsure unless the rest already decides. */
function evaluate(condition: StopPart, look: StopLook): boolean | null {
  if ('on' in condition) return look(condition).met;
  if ('not' in condition) {
    const inner = evaluate(condition.not, look);
    return inner === null ? null : !inner;
  }
  const all = 'all' in condition;
  const parts = (all ? condition.all : condition.any).map((part) => evaluate(part, look));
  const decisive = !all;
  if (parts.includes(decisive)) return decisive;
  return parts.includes(null) ? null : !decisive;
}

/** Two negations are none; whatever else is denied stands in brackets, so that it reads in one way only. */
function describeNot(condition: StopPart): string {
  return 'not' in condition ? describeStop(condition.not) : `not (${describeStop(condition)})`;
}

export function describeStop(condition: StopPart): string {
  if ('all' in condition) return `all of (${condition.all.map(describeStop).join(', ')})`;
  if ('any' in condition) return `any of (${condition.any.map(describeStop).join(', ')})`;
  if ('not' in condition) return describeNot(condition.not);
  switch (condition.on) {
    case 'max-iterations':
      return plural(condition.value, 'iteration');
    case 'max-duration':
      return `the loop took ${condition.value / 1000} s`;
    case 'test-failure-streak':
      return `tests failed in ${plural(condition.value, 'iteration')} in a row`;
    case 'no-progress':
      return `no progress in ${plural(condition.value, 'iteration')} in a row`;
    case 'file-created':
      return `${condition.path} exists`;
    case 'file-contains':
      return `${condition.path} contains ${JSON.stringify(condition.text)}`;
    case 'output-pattern':
      return `the final message matches ${condition.pattern}`;
    case 'script':
      return `\`${condition.command}\` exits 0`;
    case 'specific-tests-pass':
      return `tests pass: ${condition.tests.join(', ')}`;
    case 'budget':
      return `${condition.percent} % of a budget is used`;
    case 'all-tests-pass':
      return 'all tests pass';
    case 'on-error':
      return `the agent ends with an error${condition.pattern === undefined ? '' : ` that matches ${condition.pattern}`}`;
    case 'user-signal':
      return 'a person asks the loop to stop';
  }
}
