import type { Settings } from '../config/schema.ts';
import type { FileChanges } from '../loop/changes.ts';
import { matchesAny, matchesGlob } from '../text/glob.ts';
import { fieldAt, typeOf } from './data-value.ts';
import type { Check } from './report.ts';
import { seenCheck } from './seen-check.ts';

export type Contracts = Settings['verify']['contracts'];
export type ContentRule = Contracts['rules'][number];

/** How texts are compared with what a user wrote; null: it took too long. */
export type Matches = (pattern: string, text: string) => boolean | null;

/** Files that are templates of secret ones, and hold none. */
const harmless = ['.env.example', '.env.sample', '.env.template', '.env.dist'];

/** Files as the loop left them: added, changed, or renamed to. */
export function writtenPaths({ created, modified, renamed }: FileChanges): readonly string[] {
  return [...created, ...modified, ...renamed.map(({ to }) => to)].toSorted();
}

/** Required files are looked for in the whole tree, so that a missing one is red before it is green. */
export function judgeRequired(required: readonly string[], files: readonly string[]): Check {
  const missing = required.filter((glob) => !files.some((file) => matchesGlob(file, glob)));
  return seenCheck({
    name: 'required-files',
    passed: missing.length === 0,
    findings: missing.map((glob) => `missing: ${glob}`),
    summary: `${missing.length} required ${missing.length === 1 ? 'file is' : 'files are'} missing: ${missing.join(', ')}`,
  });
}

export function isForbidden(
  forbidden: readonly string[],
  allow: readonly string[],
  file: string,
): boolean {
  return matchesAny(file, forbidden) && !matchesAny(file, [...harmless, ...allow]);
}

export function judgeForbidden(
  forbidden: readonly string[],
  allow: readonly string[],
  written: readonly string[],
): Check {
  const found = written.filter((file) => isForbidden(forbidden, allow, file));
  return seenCheck({
    name: 'forbidden-files',
    passed: found.length === 0,
    findings: found.map((file) => `must not be added or changed: ${file}`),
    summary: `forbidden: ${found.slice(0, 5).join(', ')}${found.length > 5 ? ` and ${found.length - 5} more` : ''}`,
  });
}

export function judgeNaming(
  naming: Contracts['naming'],
  added: readonly string[],
  matches: Matches,
): Check {
  const findings = naming.flatMap(({ files, pattern }) =>
    added.flatMap((file) => {
      if (!matchesGlob(file, files)) return [];
      const answer = matches(pattern, file.slice(file.lastIndexOf('/') + 1));
      if (answer === true) return [];
      return [
        `${file}: its name ${answer === null ? 'takes too long to match' : 'does not match'} ${pattern}`,
      ];
    }),
  );
  return seenCheck({
    name: 'naming',
    passed: findings.length === 0,
    findings,
    summary: findings[0] ?? '',
  });
}

/** What a rule found out about its file. `data` is the parsed file, `problem` why it could not be parsed. */
export type RuleInput = {
  readonly text: string | null;
  readonly data: unknown;
  readonly problem: string | null;
  readonly matches: Matches;
  /** Problems with the file's schema; null: it took too long. */
  readonly schemaProblems: () => readonly string[] | null;
};

export function judgeRule(rule: ContentRule, index: number, input: RuleInput): Check {
  const problems = ruleProblems(rule, input);
  return seenCheck({
    name: `rule-${index + 1}`,
    passed: problems.length === 0,
    findings: problems.map((problem) => `${rule.file}: ${problem}`),
    summary: `${rule.file}: ${problems[0] ?? ''}`,
  });
}

function ruleProblems(rule: ContentRule, input: RuleInput): readonly string[] {
  const { text, data, problem } = input;
  if (text === null) return ['does not exist'];
  const needsData = rule.rule !== 'matches_regex' || rule.field !== undefined;
  if (needsData && problem !== null) return [problem];
  switch (rule.rule) {
    case 'has_field':
      return fieldAt(data, rule.field) === undefined ? [`has no field ${rule.field}`] : [];
    case 'field_type': {
      const type = typeOf(fieldAt(data, rule.field));
      return type === rule.type ? [] : [`the field ${rule.field} is ${type}, not ${rule.type}`];
    }
    case 'matches_regex': {
      const field = rule.field === undefined ? text : fieldAt(data, rule.field);
      if (field === undefined) return [`has no field ${rule.field ?? ''}`];
      const answer = input.matches(
        rule.pattern,
        typeof field === 'string' ? field : JSON.stringify(field),
      );
      if (answer === null) return [`takes too long to match ${rule.pattern}`];
      return answer ? [] : [`does not match ${rule.pattern}`];
    }
    case 'json_schema':
      return input.schemaProblems() ?? ['takes too long to check against its schema'];
  }
}
