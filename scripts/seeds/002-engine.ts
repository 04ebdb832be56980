import { differs, section } from './statement.ts';

export const engineSections = [
  section('002', 'Iteration flow', {
    'until-validation-passes':
      'A loop repeats prompt, agent and validation until the validation passes',
    'fresh-context': 'Every iteration begins with a fresh context',
    'state-on-disk': 'State persists in files and git',
    'flow-read-state': 'An iteration first reads the state of the work',
    'flow-build-prompt': 'Then it builds the prompt',
    'flow-wait-for-slot': 'Then it waits for a slot',
    'flow-agent': 'Then the agent works',
    'flow-give-slot-back': 'Then the slot is given back',
    'flow-validate': 'Then the validation runs',
    'flow-record': 'Then progress is recorded',
    'flow-decide': 'Then the loop is complete, or the next iteration follows',
  }),
  section('002', 'Loop configuration', {
    'config-type': 'A loop has a type with a configuration',
    'config-template': 'A type has a prompt template',
    'config-validation': 'A type has a validation command',
    'config-exit-code': 'The exit code of success can be set and is 0 by default',
    'config-max-iterations': 'At most 100 iterations by default',
    'config-max-turns': 'At most 50 turns in an iteration by default',
    'config-timeout': [
      'An iteration takes at most 5 minutes by default',
      differs(
        '§5',
        '5 minutes for the native agent, 30 for agent CLIs',
        'document 004 says 30 minutes for Claude Code, and both are right for their agent',
      ),
    ],
    'config-tools': 'A type lists the tools of the agent',
    'config-yaml': 'The configuration is YAML',
  }),
  section('002', 'Outcomes and status', {
    'outcome-complete': 'Complete, after some number of iterations',
    'outcome-continue': 'Go on, with output and exit code of the validation',
    'outcome-rate-limited': 'Rate-limited, with the time to wait',
    'outcome-interrupted': 'Interrupted, with the reason',
    'outcome-error': 'An error with its message, after which the loop goes on or ends',
    'status-running': '`running`',
    'status-paused': '`paused`',
    'status-rebasing': '`rebasing`',
    'status-blocked': '`blocked`',
    'status-complete': '`complete`',
    'status-failed': '`failed`',
    'status-stopped': '`stopped`',
    'status-persisted': 'The status is persisted with the loop',
  }),
  section('002', 'The tool loop', {
    'end-turn': 'At the end of its turn the model leaves the tool loop, and validation follows',
    'tool-use':
      'When the model calls tools, they are executed, and the model is called with the results',
    'max-tokens': 'When its answer is cut, the model is asked to continue',
    'turn-guard': 'The number of turns is limited',
    'turn-is-call': 'A turn is one call of the model',
    'validates-after-limit': 'At the limit validation follows all the same',
  }),
  section('002', 'Integration', {
    'slot-before-call': 'A slot is taken before a call of the model, by priority',
    'slot-after-call': 'It is given back after the call',
    'slot-only-calls': [
      'Only calls of the model hold a slot',
      differs(
        '§12',
        'the native agent holds one per request; an agent CLI holds one for the life of its process',
        'the requests of another program cannot be seen from outside',
      ),
    ],
    'progress-recorded': 'Progress is recorded after validation',
    'progress-in-prompt': 'Progress is in the prompt',
    'tools-in-worktree': 'Tools act in the worktree only',
    'polled-between': 'Messages are looked at between iterations',
    'changes-stored': 'Every change of state is stored',
  }),
  section('002', 'Coordination', {
    'main-updated': 'When the base branch moved, the loop is `rebasing`, is rebased, and goes on',
    'main-conflict': 'A conflict blocks the loop',
    'stop-exits': 'A stop ends the loop as `stopped`, cleanly',
    'query-answered': 'A query is answered, and the loop goes on',
    'share-injected': 'A share is in the next prompt',
    'share-never-lost':
      'More shares than one prompt holds reach the loop one prompt after the other',
    'alert-heard': 'An alert reaches the loop',
  }),
  section('002', 'Validation', {
    'validation-shell': 'The command is run by a shell',
    'validation-in-worktree': 'It runs in the worktree',
    'validation-timeout': [
      'It has the time limit of the iteration',
      differs(
        '§7',
        'it has a limit of its own, `validation.timeout`, 5 minutes',
        'how long an agent may think says nothing about how long tests take',
      ),
    ],
    'validation-user-defined': 'The command is the user’s',
    'validation-exit-code-alone': [
      'The exit code alone decides',
      differs(
        '§7',
        'the exit code must match, and parsed results can only lower the verdict',
        'scripts that end with 0 in spite of failing tests are common',
      ),
    ],
  }),
  section('002', 'Reading the state', {
    'var-git-status': '`git status --porcelain` is the variable `git-status`',
    'var-git-diff': '`git diff HEAD` is the variable `git-diff`',
    'var-git-log': 'The last 10 commits are the variable `git-log`',
    'var-progress': 'Progress is the variable `progress`',
    'read-anew': 'They are read anew for each iteration',
  }),
  section('002', 'Errors', {
    'rate-limit-waits': 'A rate limit waits as long as the provider says',
    'rate-limit-same-iteration': 'Then the same iteration goes on',
    'timeout-retried': [
      'A timeout is retried with backoff',
      differs(
        '§5',
        'the iteration counts as timed out, what it left is verified, and the next one goes on; a hung agent is started again once',
        'an agent that used up its time has done work, and repeating it blindly costs the same again',
      ),
    ],
    'network-retried': 'A network error is retried with backoff',
    'network-forever': [
      'It stays recoverable without end',
      differs(
        '§5',
        'after three retries the provider is down: its loops wait, one of them probes, and nothing is counted',
        'many loops that retry on their own make an outage worse',
      ),
    ],
    'validation-timeout-recorded':
      'A validation that times out is recorded in progress, and the loop goes on',
    'conflict-needs-person': 'A rebase conflict needs a person',
    'max-iterations-fails':
      'At the maximum of iterations the loop has failed, and the exit code says so',
  }),
  section('002', 'Key decisions', {
    'decision-until-end-turn': 'The tool loop goes on until the model ends its turn',
    'decision-wrap-calls': 'Tools run without a slot',
    'decision-non-blocking': 'Looking at messages never makes an iteration wait',
    'decision-no-history': 'No message history is carried from iteration to iteration',
  }),
] as const;
