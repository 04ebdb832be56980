import { differs, section } from './statement.ts';

export const memoryOverviewSections = [
  section('001', 'Error recovery', {
    'report-on-failed': 'An attempt that says it failed leaves a failure report',
    'report-on-no-sigil': 'An attempt that ends without a claim leaves one as well',
    'report-from-sigil': 'The report is the one the agent wrote, when it wrote one',
    'report-minimal': 'Without one, a minimal report is made from the outcome and the text',
    'attempts-injected': 'The next attempt is shown what earlier ones tried and why they failed',
    'retry-goes-to-pending': [
      'After an iteration without a claim the task goes back to pending',
      differs(
        '§4',
        'it is a failed attempt, and the loop goes on under its strategy',
        'a loop owns its task until it ends; handing it back after every iteration would lose the worktree',
      ),
    ],
  }),
  section('001', 'Learning', {
    'learning-from-success': 'Learnings are taken from successful iterations',
    'learning-from-failure': 'Learnings are taken from failed iterations',
    'learning-keeps-origin': 'A learning knows its task',
    'learning-keeps-tags': 'A learning keeps its category and tags',
    'learning-finds-paths': 'The files that a learning names are found for matching',
    'learnings-injected': 'A later task is shown the relevant ones',
    'learnings-top-n': 'The most relevant come first, at most a fixed number',
    'learnings-budget': 'A budget of characters limits them',
    'matching-ignores-case': 'Matching does not depend on case',
    'learning-cut': [
      'A learning is one to three sentences',
      differs(
        '§10',
        'one above 1000 characters is kept, cut behind a sentence and marked',
        'an agent that writes too much has still learned something',
      ),
    ],
    'matching-by-tags': [
      'Relevance is the number of tags that are among the words of the task, matched by LIKE',
      differs(
        '§10',
        'field-weighted BM25 over content, tags and paths, with exact failure signatures first, and no answer when nothing is likely to help',
        'equal tags miss most of what helps and show much of what does not, on recorded data',
      ),
    ],
  }),
  section('001', 'Strategic intelligence', {
    'metrics-recorded':
      'Each iteration records task, number, model, duration, cost, outcome and difficulty',
    'metrics-choose-model':
      'The model is chosen from the recorded numbers, not from words in a file',
    'escalates-on-failures': 'Failures in a row of the same task lead to a stronger model',
    'good-run-smaller-model': 'A high success rate of the run leads to a smaller one',
    'stuck-after-three': 'Three failures in a row are stuck',
    'stuck-configurable': 'That number can be set',
    'stuck-warning':
      'A stuck task has a warning in its prompt that suggests another approach or a split',
    'stuck-own-section': [
      'The warning is a section `### Stuck Loop Warning`',
      differs(
        '§10',
        'it is a quote at the end of the loop status, and stands alone when the status has no room',
        'the document shows it so further below',
      ),
    ],
    'loop-status-injected': 'The prompt shows iteration, attempts, success rate and why this model',
  }),
  section('001', 'How the three work together', {
    'count-from-metrics': 'Failures are counted in the metrics, not in the reports',
    'sections-apart': 'Attempts, learnings and status are sections of their own, and independent',
    'difficulty-informs-model': 'The difficulty of a similar task informs the choice of the model',
    'hard-by-smaller': 'A similar hard task that a smaller model finished suggests that model',
    'hard-failed-escalates': 'A similar task that failed suggests a larger one',
    'one-database': 'All tables are in the database of the tasks',
    'one-transaction': 'Memory is written by the loop’s own transaction',
    'module-layout': [
      'The modules are errors, learnings, metrics and context in `src/memory`',
      differs(
        '§10',
        'decisions are in `src/core/memory`, storage behind the store, both called by the engine',
        'behaviour and formats are taken from the documents, code is not',
      ),
    ],
    'metrics-counts-claims': [
      '`total_attempts` grows when a task is claimed',
      differs(
        '§10',
        'it grows when an iteration ends',
        'a claim that never ran an agent is no attempt',
      ),
    ],
  }),
  section('001', 'Lifecycle', {
    'grows-with-iterations': 'Memory grows as iterations end',
    'summarised-above': 'Too many learnings are summarised, and the originals keep `superseded_by`',
    'pruned-reports': 'Old reports and outcomes of finished tasks are pruned',
    'pruned-learnings': 'Old learnings that were not used are pruned softly',
    'persists-across-runs': 'Learnings carry over to later runs',
    staleness: 'A learning whose files changed since is stale',
    'escalation-ladder':
      'First a report, then a stronger model, then a warning with an offer to split, then a person',
    'migrates-by-itself': 'A database from before memory is migrated when it is opened',
  }),
] as const;
