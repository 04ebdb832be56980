import { countChars, headChars } from '../text/code-points.ts';
import { cutAtSentence } from '../text/cut-sentence.ts';
import { plainText } from '../text/terminal.ts';
import type { FailureReport } from '../transcript/failure-report.ts';
import type { Difficulty, Sigils } from '../transcript/sigils.ts';

/** What an agent's final message leaves for memory; bounded, since it is kept with the iteration. */
export type AgentNotes = {
  readonly failureReport: FailureReport | null;
  readonly learnings: Sigils['learnings'];
  readonly difficulty: Difficulty | null;
  readonly retrySuggestion: string | null;
  /** Learnings that were too long and are cut; absent when there was none. */
  readonly tooLong?: number;
};

/** A longer one is cut behind a sentence and says so: what a prompt shows of it is never half a sentence. */
export const maxLearningChars = 1000;
/** Enough to find the end of a sentence behind it. */
const maxReadChars = 2 * maxLearningChars;
const maxLearnings = 10;
const maxTags = 10;
const maxTagChars = 80;
const maxTextChars = 1000;
const maxFiles = 20;

/** Null when the message says nothing of the kind. `clean` takes secrets out before anything is kept. */
export function agentNotes(sigils: Sigils, clean: (text: string) => string): AgentNotes | null {
  const { failureReport, difficulty, retrySuggestion } = sigils;
  const text = (value: string, max: number) => headChars(plainText(clean(value)).trim(), max);
  const said = sigils.learnings.slice(0, maxLearnings).map(({ category, tags, content }) => ({
    category: text(category, 40),
    tags: tags.slice(0, maxTags).map((tag) => text(tag, maxTagChars)),
    content: text(content, maxReadChars),
  }));
  const tooLong = said.filter(({ content }) => countChars(content) > maxLearningChars).length;
  const learnings = said.map((each) => ({
    ...each,
    content: cutAtSentence(each.content, maxLearningChars),
  }));
  if (failureReport === null && difficulty === null && retrySuggestion === null) {
    if (learnings.length === 0) return null;
  }
  return {
    failureReport: failureReport === null ? null : boundedReport(failureReport, text),
    learnings: learnings.filter(({ content }) => content !== ''),
    difficulty,
    retrySuggestion: retrySuggestion === null ? null : text(retrySuggestion, maxTextChars),
    ...(tooLong === 0 ? {} : { tooLong }),
  };
}

function boundedReport(
  report: FailureReport,
  text: (value: string, max: number) => string,
): FailureReport {
  return {
    whatTried: text(report.whatTried, maxTextChars),
    whyFailed: text(report.whyFailed, maxTextChars),
    errorCategory: text(report.errorCategory, 60),
    relevantFiles: report.relevantFiles.slice(0, maxFiles).map((file) => text(file, 300)),
    stackTrace: report.stackTrace === null ? null : text(report.stackTrace, 500),
  };
}
