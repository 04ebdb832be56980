/** The tags an agent's final message may carry. */
export const sigilNames: readonly string[] = [
  'task-done',
  'task-failed',
  'next-model',
  'summary',
  'failure-report',
  'learning',
  'difficulty-estimate',
  'retry-suggestion',
  'judge-changed',
];

/** What the system prompt writes into the tags to explain them. A message that says just this repeats it and means nothing. */
export const sigilPlaceholders = {
  summary: 'what you did, in up to five lines',
  retrySuggestion: 'what the next attempt should try instead',
  judgeChanged: 'why tests or their configuration had to change',
  learning: 'an insight worth keeping for other tasks, one to three sentences',
  whatTried: 'the approach',
  whyFailed: 'the cause',
} as const;
