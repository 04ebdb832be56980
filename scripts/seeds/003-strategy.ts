import { differs, section } from './statement.ts';

const oneBased = differs(
  '§8',
  'iterations are numbered from 1',
  'one numbering everywhere: prompts, logs, commits and events',
);

export const strategySections = [
  section('003', 'The interface', {
    'one-callback': 'A strategy has one function that decides: `onIterationComplete(event)`',
    'no-order-of-calls':
      'It needs no state between calls: the event has everything it decides from',
    'loop-end-optional': '`onLoopEnd` is optional',
    named: 'A strategy has a name',
    'may-be-async': 'The answer may be a promise',
    'wrong-shape': 'An object that is no strategy is refused',
  }),
  section('003', 'The event after an iteration', {
    'event-iteration': ['`iteration` counts from 0', oneBased],
    'event-total': '`totalIterations` is the number of iterations so far, this one included',
    'event-elapsed': '`elapsedMs` is the time since the loop began',
    'event-agent-result': '`agentResult` is what the agent ended with',
    'event-agent-success': '`agentSuccess` says whether it succeeded',
    'event-report': '`verificationReport` has an overall verdict, levels, and checks with output',
    'event-report-null':
      '`verificationReport` and `verificationPassed` are null when nothing was verified',
    'event-passed': '`verificationPassed` is the overall verdict',
    'event-previous': '`previousIterations` has a summary of every earlier iteration, oldest first',
    'event-max-iterations': '`maxIterations` is the cap of the loop',
    'event-max-time': '`maxTimeMs` is the time limit, null without one',
    'event-run-id': [
      '`runId` names the run',
      differs('§8', 'the field is `loopId`', 'one execution of a task is called a loop here'),
    ],
    'event-work-order': [
      '`workOrderId` names the work order',
      differs('§8', 'the field is `taskId`', 'a unit of work is called a task here'),
    ],
  }),
  section('003', 'Summary of an iteration', {
    'summary-iteration': ['`iteration` is its number, from 0', oneBased],
    'summary-agent': '`agentSuccess` says whether its agent succeeded',
    'summary-passed': '`verificationPassed` is its verdict, null when nothing was verified',
    'summary-duration': [
      '`durationMs` is the time since the run began',
      differs(
        '§8',
        'it is the duration of that iteration',
        'the name says so, and a strategy can add durations up but not take them apart',
      ),
    ],
    'summary-tokens': '`tokensUsed` is the total, null when the agent reports none',
  }),
  section('003', 'The decision', {
    'decision-continue': '`continue` says whether another iteration follows',
    'decision-reason': '`reason` is given with every decision',
    'decision-feedback': '`feedback` is optional and reaches the next iteration',
    'decision-metadata': '`metadata` is optional and free',
    'decision-wrong': 'An answer that is no decision is not taken for one',
    'decision-logged': 'Every decision is logged with its reason',
  }),
  section('003', 'The end of a loop', {
    'end-fields': 'The event has loop, total iterations, final result and elapsed time',
    'end-success': 'The result of a loop that passed is `success`',
    'end-max-iterations': 'At the cap it is `max_iterations`',
    'end-timeout': 'At the time limit it is `timeout`',
    'end-strategy-stop': 'When the strategy stopped it is `strategy_stop`',
    'end-error': 'When the loop broke it is `error`',
    'end-silent-cap': [
      'Nothing is called when the loop runs into its cap',
      differs(
        '§8',
        '`onLoopEnd` is called exactly once for every ending; two results are added, `budget` and `interrupted`',
        'a strategy that cleans up must hear of every ending',
      ),
    ],
  }),
  section('003', 'fixed', {
    'fixed-continues': 'It goes on until its number of iterations',
    'fixed-stops': 'At that number it stops and says so',
    'fixed-early': 'A pass stops it early',
    'fixed-default': 'The number defaults to 3',
    'fixed-reason': 'While it goes on, the reason names the iteration and the number',
    'fixed-feedback-failures': [
      'Its feedback lists failing checks as `level/name` with 200 characters of output',
      differs(
        '§7',
        'feedback is the engine’s, the same for every strategy: at most 10 failures of 500 characters, each named `level/check`',
        'what the agent is told about failing checks must not depend on when the loop stops',
      ),
    ],
    'fixed-feedback-agent': [
      'Without a report its feedback says that the agent failed',
      differs(
        '§7',
        'the feedback of the last verification stays until it is shown, and memory names the failure',
        'a crash is no news about the checks',
      ),
    ],
  }),
  section('003', 'hybrid', {
    'hybrid-pass': 'A pass stops it',
    'hybrid-base': 'Within the base iterations it always goes on',
    'hybrid-bonus': 'Beyond them it goes on while there is progress',
    'hybrid-no-progress': 'Without progress it stops',
    'hybrid-bonus-cap': 'It stops when all bonus iterations are used',
    'hybrid-metadata': 'The decision tells how many bonus iterations are used',
    'hybrid-first': 'The first iteration counts as progress',
    'hybrid-agent-breaks': 'An agent that succeeded before and fails now is no progress',
    'hybrid-doubt': [
      'Anything else counts as progress, whatever the threshold',
      differs(
        '§8',
        'with a report, the mean score of the checks must be above its best so far by the threshold; without one the rule of the document holds',
        'otherwise every loop gets all its bonus iterations',
      ),
    ],
    'hybrid-defaults': 'Base 3, bonus 2, threshold 0.1',
  }),
  section('003', 'ralph', {
    'ralph-pass': 'A pass stops it',
    'ralph-min': 'Below its minimum it goes on',
    'ralph-max': 'At its maximum it stops',
    'ralph-converged': 'When the window has converged it stops',
    'ralph-metadata': 'The decision then has `converged: true`',
    'ralph-window': 'A history shorter than the window has not converged',
    'ralph-same-flags': [
      'Converged means that the iterations of the window have the same verdict',
      differs(
        '§8',
        'all pairs in the window must have failures and diffs that are similar by the threshold',
        'the verdicts are always equal while the loop runs: everything would converge',
      ),
    ],
    'ralph-defaults': 'Minimum 2, maximum 10, threshold 0.95, window 3',
  }),
  section('003', 'The factory', {
    'factory-names': 'It builds fixed, hybrid and ralph by name',
    'factory-keys':
      'Its keys are mode, maxIterations, baseIterations, maxBonusIterations, progressThreshold, minIterations, convergenceThreshold and windowSize',
    'factory-wrong': 'A wrong object is refused with what is wrong',
    'factory-unknown': [
      'An unknown name gives fixed with 3 iterations',
      differs(
        '§8',
        'an unknown name is an error that lists the valid ones',
        'a typo must not change when a loop ends',
      ),
    ],
  }),
  section('003', 'The executor', {
    'runs-strategy': 'The loop runs under the configured strategy',
    'verify-on-success': [
      'Verification runs only when the agent succeeded',
      differs(
        '§5',
        'after a crash, a timeout or an API error it runs as well when files changed',
        'work that is done is judged by the checks, not by how the agent ended',
      ),
    ],
    'asks-after-each': 'It is asked after every iteration',
    'keeps-history': 'The next question has the earlier iterations in its history',
    'obeys-stop': 'A decision to stop ends the loop',
    'cap-above': 'The cap of the loop holds above every strategy',
    'applies-feedback': 'The feedback of a decision is in the next prompt',
  }),
  section('003', 'Its tests', {
    'check-fixed': 'fixed(3) answers go on, go on, stop',
    'check-fixed-early': 'fixed(5) stops at iteration 1 on a pass and the reason says passed',
    'check-hybrid': 'hybrid(2, 2) goes on for the third iteration',
    'check-ralph': 'ralph(2, 10, 0.95, 3) stops after five alike iterations and says convergence',
  }),
] as const;
