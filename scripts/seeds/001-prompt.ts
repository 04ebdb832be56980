import { differs, section } from './statement.ts';

export const memoryPromptSections = [
  section('001', 'Injection', {
    'inject-after-task': 'Memory follows the sections of the task',
    'inject-nothing-same-prompt': 'Without memory the prompt is the same, byte for byte',
    'inject-gated': 'A section without data does not appear',
    'inject-status-always': [
      'The loop status is shown whenever memory is on',
      differs(
        '§10',
        'no section appears unless the task has an earlier attempt or a learning was selected',
        'a first prompt without memory is byte-identical to one with memory off',
      ),
    ],
  }),
  section('001', 'Previous attempts', {
    'attempts-heading': 'Heading `### Previous Attempts`',
    'attempts-count-line':
      'A line says how often the task was attempted and not to repeat these approaches',
    'attempt-heading': 'Each attempt has `#### Attempt N (model, outcome)`',
    'attempt-approach': '`- **Approach:**` with what was tried',
    'attempt-why': '`- **Why it failed:**`',
    'attempt-type': '`- **Error type:**` with the category',
    'attempt-files': '`- **Files involved:**`, separated by commas',
    'attempt-output': '`- **Error output:**` with the stack trace in a fence',
    'attempt-without-report':
      'An attempt without a report shows outcome and duration, and says that there was none',
    'attempts-oldest-first': 'They are shown oldest first',
    'attempts-newest-kept': 'When room is short, the newest is kept and older ones are left out',
    'attempts-truncated-note': 'A note says that earlier attempts are left out',
    'attempts-hard-cut': 'An attempt that is too long by itself is cut with `_(truncated)_`',
    'attempts-suggestion':
      'The suggestion of the newest attempt follows at the end, under its own bold line',
  }),
  section('001', 'Learnings in the prompt', {
    'learnings-heading': 'Heading `### Learnings from Previous Iterations`',
    'learnings-line': 'Each is a line `- **[category]** text`',
    'learnings-active-only': 'Pruned ones are not shown',
    'learnings-max-five': 'At most 5',
    'learnings-dedup':
      'Of two of one category that share more than 80 % of their words, one is shown',
    'learnings-whole': 'Each is shown whole or not at all',
    'learnings-single-match': [
      'One equal tag is enough to be shown',
      differs(
        '§10',
        'nothing is shown when nothing is likely to help',
        'a learning about the language alone is noise for most tasks',
      ),
    ],
    'learnings-newer-first': [
      'Among equal matches the newer one comes first',
      differs(
        '§10',
        'rank also counts what executed checks said of a learning, its age with a half-life of 90 days, and whether its files changed',
        'worth is measured, not assumed',
      ),
    ],
  }),
  section('001', 'Loop status', {
    'status-heading': 'Heading `### Loop Status`',
    'status-iteration': '`- **Iteration:** N of M`',
    'status-unlimited': 'Without a limit M is `unlimited`',
    'status-task': '`- **This task:** attempt #N, F consecutive failure(s)`',
    'status-rate': '`- **Run success rate:** S/T iterations succeeded (P%)`',
    'status-model': '`- **Current model:** model (reason)`',
    'status-stuck': 'The quote about a stuck loop follows when the flag is set',
    'status-two-hours': [
      'The run is what happened in the last two hours',
      differs(
        '§1',
        'the run is the session, one `run` or one daemon lifetime',
        'a session is known exactly',
      ),
    ],
    'reason-default': 'Reason: default of the cost-optimized strategy',
    'reason-escalated': 'Reason: escalated after N consecutive failures',
    'reason-hinted': 'Reason: hinted by the previous iteration',
    'reason-plan': 'Reason: plan-then-execute, execution phase',
  }),
  section('001', 'Budget', {
    'budget-total': '5000 characters in all',
    'budget-attempts': 'Attempts: 3000, at least 500',
    'budget-learnings': 'Learnings: 1500, at least 300',
    'budget-status': 'Status: 500, at least 200',
    'budget-never-exceeded': 'It is never exceeded',
    'budget-priority': 'Attempts come before learnings, learnings before the status',
    'budget-status-whole': 'The status is shown whole or not at all',
    'budget-overflow': [
      'Attempts may use up everything, and the other sections are left out',
      differs(
        '§10',
        'the minimum of each section is reserved',
        'the document gives each section a minimum in its own table',
      ),
    ],
    'budget-configurable': 'The budget can be configured',
    'budget-chars': [
      'Characters are bytes',
      differs(
        '§10',
        'characters are code points, headings included',
        'a budget that depends on the script is unfair',
      ),
    ],
  }),
  section('001', 'Worked examples', {
    'example-first': 'A first attempt without memory has the prompt of the task alone',
    'example-retry': 'A second attempt has the first one and the status',
    'example-stuck': 'A stuck task has attempts, learnings, status and warning',
    'example-learnings': 'A first attempt with learnings has learnings and status',
  }),
] as const;
