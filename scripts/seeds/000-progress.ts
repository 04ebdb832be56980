import { differs, section } from './statement.ts';

export const progressSections = [
  section('000', 'The problem', {
    'fresh-conversation': 'Every iteration is a new conversation that knows nothing of the others',
    'state-in-files': 'The state of the work is in files and git, not in earlier answers',
    'validate-then-iterate':
      'After the agent, the validation runs; when it fails, another iteration follows',
    'output-in-next-prompt':
      'What the validation of an iteration printed is in the prompt of the next one',
  }),
  section('000', 'Where and what to store', {
    'in-the-loop': 'Progress is a field of the stored loop',
    'no-file': 'Progress is neither a file beside the store nor a file in the worktree',
    'persisted-with-iteration':
      'It is persisted with the iteration it tells of, without a file of its own',
    'bounded-growth': 'Truncation bounds it however long the loop runs',
    'system-captured-default': 'The default records the output of the validation',
    'not-the-agents-word': "The agent's own account of what it did is not what is recorded",
    'no-extra-call': 'The default makes no further call to a model',
    'chosen-by-name': 'The way progress is kept is chosen by a name, without a change of code',
  }),
  section('000', 'The strategy', {
    'entry-fields':
      'An entry has iteration (from 1), command, exit code, stdout, stderr, duration and changed files',
    'record-every-iteration': 'Every iteration is recorded, a passing one as well',
    'record-answers': 'Recording answers the entry as it is shown',
    'get-is-progress-variable': 'The accumulated text is the template variable `progress`',
    'empty-text': 'Without entries the text is the empty string',
    'clear-forgets': 'Clearing forgets all entries',
    'clear-by-hand': 'A person can clear the progress of a loop',
    'length-counts': 'The length is the number of entries that are kept',
    'is-empty': 'It is empty exactly as long as nothing is recorded',
  }),
  section('000', 'System-captured progress', {
    'five-entries': 'By default the last 5 iterations are kept',
    'five-hundred-chars': 'By default 500 characters of output are kept for each',
    'own-limits': 'Both limits can be set',
    'stdout-preferred': [
      'Stdout is shown, stderr only when stdout is empty',
      differs(
        '§9',
        'both streams are shown; each has half of the room, and room that one does not need goes to the other',
        'a compiler writes its errors to stderr while a runner writes its summary to stdout',
      ),
    ],
    'tail-kept': 'Too long an output keeps its end',
    'truncation-marker':
      'The marker `...[truncated]...` stands on a line of its own before the rest',
    'cut-by-bytes': [
      'The output is cut at a byte',
      differs(
        '§9',
        'characters are counted as code points and never split',
        'half a character is not text, and cutting inside one would throw',
      ),
    ],
    'entry-heading': 'An entry begins with `## Iteration N`',
    'entry-command': 'The command follows in backticks behind `**Command:**`',
    'entry-exit-code': 'The exit code follows behind `**Exit code:**`',
    'entry-duration': 'The duration follows in milliseconds behind `**Duration:**`',
    'entry-files': 'Changed files follow behind `**Files changed:**`, separated by commas',
    'entry-no-files': 'Without changed files that line says `none`',
    'entry-output': 'The trimmed output follows in a fence behind `**Output:**`',
    'fence-of-three': [
      'The fence has three backticks',
      differs(
        '§9',
        'the fence is longer than any fence in the output',
        'output that contains a fence would otherwise end the block and be read as instructions',
      ),
    ],
    'oldest-leaves': 'At the limit the oldest entry makes room for the new one',
    'oldest-first': 'Entries are shown in the order of iterations',
  }),
  section('000', 'In the loop', {
    'default-without-name': 'Without a configured name system-captured is used',
    'unknown-name': 'An unknown name is told in a warning, and the default is used',
    'limits-from-config': 'The limits come from the configuration',
    'restore-clears': [
      'After a crash progress starts empty',
      differs(
        '§9',
        'entries are stored as data and restored exactly, byte for byte the same text',
        'losing what was tried is what progress is there to prevent',
      ),
    ],
    'recorded-after-validation':
      'The entry is made after the validation, with its duration and the files git says changed',
    'stored-after-each-iteration': 'After each iteration the stored loop has the new text',
    'zero-passes': 'The iteration passes when the validation exits with 0',
    'in-template-context': 'The prompt is rendered by Handlebars with `progress` in its context',
  }),
  section('000', 'Templates and configuration', {
    'if-progress': 'A template shows the block only `{{#if progress}}`',
    'do-not-repeat': 'The prompt says not to repeat approaches that failed',
    'phase-variables': [
      'The phase template has `phase-number`, `phase-name` and `spec-content`',
      differs(
        '§5b',
        "a phase is a task: its title, description and parent are the variables of every template; a loop type's own inputs are variables as well",
        'tasks carry what a phase is about, so one set of variables serves every loop type',
      ),
    ],
    'config-keys':
      'The keys `validation.progress-strategy`, `-max-entries` and `-max-chars` are understood',
    'config-defaults': 'Their defaults are system-captured, 5 and 500',
    'type-override': 'A loop type overrides the limits; `phase` has 10 and 1000',
    'all-templates': 'Every built-in loop type has `progress` in its prompt',
  }),
  section('000', 'Other strategies', {
    'llm-summary': [
      'A model could summarise each iteration; not built',
      differs(
        '§9',
        'built as `llm-summary`',
        'users of noisy checks ask for it; the default stays',
      ),
    ],
    'llm-summary-request': 'It is asked for one or two sentences, given exit code and output',
    'llm-summary-fallback': [
      'A failing call fails the record',
      differs(
        '§9',
        'the raw record is shown instead and the error is recorded',
        'an iteration that was verified must not be lost to a summary',
      ),
    ],
    hybrid: [
      'Summary and raw output could be combined; not built',
      differs('§9', 'built as `hybrid`', 'it costs nothing beyond the summary'),
    ],
    'hybrid-layout': 'It shows `## Summary`, then `## Raw Output`',
    structured: [
      'Entries could be JSON for programs; not built',
      differs('§9', 'built as `structured`', 'templates and scripts can read it'),
    ],
    'structured-fields':
      'Its fields are iteration, exit_code, duration_ms, files_changed and error_summary',
    'structured-text': 'Its text is indented JSON of all entries',
  }),
  section('000', 'Its tests', {
    'check-records': 'One record contains number, exit code and output, and counts one',
    'check-three-of-five': 'With room for 3, five records leave 3, 4 and 5',
    'check-short': '200 characters with room for 50 are marked as truncated and stay below 500',
    'check-clear': 'After clear the length is 0 and the text empty',
    'check-persisted': 'Stored and read back, number and output are still there',
    'check-real-loop': 'A real loop records progress and shows it to the next iteration',
  }),
] as const;
