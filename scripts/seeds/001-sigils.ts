import { differs, section } from './statement.ts';

export const memorySigilSections = [
  section('001', 'Principles of sigils', {
    'sigil-form': 'A sigil is `<tag>content</tag>`',
    'sigil-whitespace': 'White space around the content is ignored',
    'sigil-first-wins': 'Of several equal ones the first valid one counts',
    'sigil-malformed-absent': 'A malformed one is as if it were absent, and parsing never fails',
    'sigil-optional': 'All are optional',
    'sigil-unknown-ignored': 'Unknown tags are ignored',
    'sigil-in-result': 'They are read from the final message of the agent',
  }),
  section('001', 'failure-report', {
    'fr-fields':
      'Fields what_tried, why_failed, error_category, relevant_files, stack_trace, one per line',
    'fr-order-free': 'Their order does not matter',
    'fr-required': 'what_tried and why_failed are required, without them there is no report',
    'fr-category-default': 'Without error_category it is `unknown`',
    'fr-files-commas': 'Files are separated by commas',
    'fr-empty': 'An empty one is none',
    'fr-unknown-fields': 'Unknown fields are ignored',
    'fr-single-line': [
      'A value is one line',
      differs(
        '§10',
        'a value goes on until the next known key',
        'agents write several lines, above all in stack traces; the document’s own example does',
      ),
    ],
    'fr-stored': 'It is stored with its attempt',
    'fr-auto-200': 'Without one, the first 200 characters of the result are the reason',
    'fr-auto-category': [
      'Then the category is `unknown`',
      differs(
        '§10',
        'it is guessed from the failing check, and else unknown',
        'the engine has executed the check and knows more than the agent said',
      ),
    ],
    'fr-auto-empty-tried': 'Then what_was_tried is empty',
    'fr-auto-reason-text': [
      'Then the reason is a fixed sentence',
      differs(
        '§10',
        'the reason is the first failing check, else the first 200 characters of the result',
        'a fixed sentence helps no next attempt',
      ),
    ],
  }),
  section('001', 'learning', {
    'learning-attributes': 'Attributes category and tags, and the text as content',
    'learning-categories':
      'Categories are success_pattern, pitfall, tool_usage, code_structure, testing_strategy, debugging_technique and other',
    'learning-tags-commas': 'Tags are separated by commas',
    'learning-several': 'A message may have several, each stored by itself',
    'learning-missing-attribute': 'Without category or tags it is skipped',
    'learning-empty': 'Without content it is skipped',
    'learning-malformed': 'Without an end it is skipped, and the others are read',
    'learning-none': 'Without the sigil nothing is learned',
    'learning-unknown-category': 'Unknown categories are kept',
  }),
  section('001', 'difficulty-estimate', {
    'difficulty-values': 'Values are trivial, easy, moderate, hard and blocked',
    'difficulty-invalid': 'Any other value is none',
    'difficulty-empty': 'An empty one is none',
    'difficulty-first-valid': 'The first valid one counts',
    'difficulty-stored': 'It is stored with the metrics of the task',
    'difficulty-absent-null': 'Without one the column stays null',
  }),
  section('001', 'retry-suggestion', {
    'suggestion-text': 'Its content is free text',
    'suggestion-empty': 'An empty one is none',
    'suggestion-first': 'The first one counts',
    'suggestion-stored': 'It is stored with the failure report',
    'suggestion-shown': 'That of the newest attempt is shown to the next one',
    'suggestion-absent': 'Without one the next attempt has the reports alone',
  }),
  section('001', 'Compatibility', {
    'compat-works-without': 'A loop works the same when the agent writes no sigil',
    'compat-documented': 'The prompt explains the sigils and that they are optional',
    'compat-system-prompt': 'The explanation is in the system prompt of an agent that has one',
    'compat-not-versioned':
      'The format has no version: an addition is a new tag, as `summary`, `next-model` and `judge-changed` are',
  }),
] as const;
