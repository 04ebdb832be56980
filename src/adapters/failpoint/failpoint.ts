import { LoopwrightError } from '../../core/error.ts';
import { failpointNames, type Reach } from '../../ports/failpoint.ts';

/** The variable that names the points: `name:N:action`, several separated by commas. */
export const failAtVariable = 'LOOPWRIGHT_FAIL_AT';

/**
 * - `kill`: the process is gone at once, as by `kill -9`.
 * - `throw`: the step fails.
 * - `hang`: the step never ends; everything else in the process goes on.
 * - `stop`: the process is stopped (SIGSTOP) and goes on after SIGCONT, as after a laptop's sleep.
 */
const actions = ['kill', 'throw', 'hang', 'stop'] as const;
type FailAction = (typeof actions)[number];

type Plan = { readonly point: string; readonly nth: number; readonly action: FailAction };

const nothing: Reach = () => Promise.resolve();

/** What happens at the points, for tests of recovery. Without the variable nothing does, at no cost. */
export function createFailpoints(text: string | undefined): Reach {
  if (text === undefined || text === '') return nothing;
  const plans = text.split(',').map(parsePlan);
  const reached = new Map<string, number>();
  return async (point) => {
    const count = (reached.get(point) ?? 0) + 1;
    reached.set(point, count);
    const plan = plans.find((each) => each.point === point && each.nth === count);
    if (plan !== undefined) await act(plan);
  };
}

function parsePlan(text: string): Plan {
  const parts = text.trim().split(':');
  const action = actions.find((each) => each === parts.at(-1));
  const nth = Number(parts.at(-2));
  const point = parts.slice(0, -2).join(':');
  const isKnown = failpointNames.some((name) => name === point);
  if (action !== undefined && isKnown && Number.isInteger(nth) && nth > 0) {
    return { point, nth, action };
  }
  throw new LoopwrightError('failpoint.unknown', `${failAtVariable} cannot be read: ${text}`, {
    hint: `write name:N:${actions.join('|')}, with a name such as ${failpointNames[0] ?? ''}; unset it for real work`,
  });
}

async function act({ point, nth, action }: Plan): Promise<void> {
  const name = `${point}:${nth}`;
  switch (action) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      // The signal arrives before this process runs on, but not before this line.
      return new Promise(() => {});
    case 'throw':
      throw new LoopwrightError('failpoint.thrown', `failed on purpose at ${name}`);
    case 'hang':
      process.stderr.write(`hanging at ${name}\n`);
      // A pending promise alone would not keep the process.
      setInterval(() => {}, 60_000);
      return new Promise(() => {});
    case 'stop':
      process.kill(process.pid, 'SIGSTOP');
      // The stop takes effect in its own time; what follows must come after it.
      return new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
  }
}
