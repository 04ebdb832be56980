/** Turns what zod found into sentences that name the thing, the reason and, where there is one, the remedy. */
import type { z } from 'zod';
import { nearest } from '../text/nearest.ts';
import { keysAt } from './json-schema.ts';
import { problemAt } from './place.ts';
import type { Problem } from './place.ts';
import { formatPath, valueAt } from './tree.ts';
import type { Path } from './tree.ts';

type Issue = z.core.$ZodIssue;

/** Ten problems are shown; a file with thousands must not take longer than that to refuse. */
const maxDescribed = 50;

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

/** One problem per issue, in the order of the schema. `schema` tells the keys that would be valid. */
export function describeIssues(
  issues: readonly Issue[],
  tree: unknown,
  schema: z.ZodType,
): readonly Problem[] {
  return issues.slice(0, maxDescribed).flatMap((issue) => describeIssue(issue, [], tree, schema));
}

function describeIssue(
  issue: Issue,
  base: Path,
  tree: unknown,
  schema: z.ZodType,
): readonly Problem[] {
  const path = [...base, ...issue.path.map(pathPart)];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, maxDescribed).map((key) => unknownKey(key, path, tree, schema));
  }
  if (issue.code === 'invalid_union') return describeUnion(issue, path, tree, schema);
  const written = whatWasWritten(tree, path);
  return [problemAt(written.path, reason(issue, written.path, written.value))];
}

/** A short form has no inner keys: what is wrong with them is wrong with the word itself. */
function whatWasWritten(tree: unknown, path: Path): { path: Path; value: unknown } {
  const value = valueAt(tree, path);
  const outer = valueAt(tree, path.slice(0, -1));
  return value === undefined && typeof outer === 'string'
    ? { path: path.slice(0, -1), value: outer }
    : { path, value };
}

function pathPart(part: PropertyKey): string | number {
  return typeof part === 'number' ? part : String(part);
}

function reason(
  issue: Exclude<Issue, z.core.$ZodIssueInvalidUnion>,
  path: Path,
  value: unknown,
): string {
  if (issue.code === 'custom') return withValue(issue.message, path, value);
  if (value === undefined) return 'is missing';
  if (issue.code === 'invalid_type') {
    return withValue(`expected ${typeWords[issue.expected] ?? issue.expected}`, path, value);
  }
  if (issue.code === 'invalid_value') return choice(issue.values.map(String), path, value);
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? 'is not a valid name';
  if (issue.code === 'too_small') return tooSmall(issue, value);
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`;
  if (issue.code === 'invalid_format' && issue.format === 'url') return 'expected a URL';
  return withValue(issue.message, path, value);
}

function unknownKey(key: string, path: Path, tree: unknown, schema: z.ZodType): Problem {
  const valid = keysAt(schema, path, valueAt(tree, path)).filter((each) => each !== key);
  const place = path.length === 0 ? '' : ` in ${formatPath(path)}`;
  const moved = path.length === 0 ? sectionsWith(key, valid, schema) : [];
  const close = moved[0] ?? nearest(key, valid);
  const remedy = close === null ? `valid keys: ${valid.join(', ')}` : `did you mean \`${close}\`?`;
  return { path: [...path, key], message: `unknown key \`${cut(key)}\`${place}; ${remedy}` };
}

/** A key written at the top that belongs into a section. */
function sectionsWith(
  key: string,
  sections: readonly string[],
  schema: z.ZodType,
): readonly string[] {
  return sections
    .filter((section) => keysAt(schema, [section]).includes(key))
    .map((section) => `${section}.${key}`);
}

function describeUnion(
  issue: z.core.$ZodIssueInvalidUnion,
  path: Path,
  tree: unknown,
  schema: z.ZodType,
): readonly Problem[] {
  const { path: at, value } = whatWasWritten(tree, path);
  if (issue.discriminator !== undefined && 'options' in issue) {
    const options = (issue.options ?? []).map(String);
    return [problemAt(at, choice(options, at, value))];
  }
  const branch = bestBranch(issue.errors);
  if (branch === null || issue.message !== 'Invalid input') {
    return [problemAt(at, withValue(issue.message, at, value))];
  }
  return branch.flatMap((inner) => describeIssue(inner, path, tree, schema));
}

/** The form the writer most likely meant: the one that was understood deepest, then with fewest issues. */
function bestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | null {
  const ranked = branches.toSorted((a, b) => reach(b) - reach(a) || a.length - b.length);
  return ranked[0] ?? null;
}

function reach(issues: readonly Issue[]): number {
  return Math.max(0, ...issues.map(issueDepth));
}

function issueDepth(issue: Issue): number {
  const inner = issue.code === 'invalid_union' ? issue.errors.map(reach) : [];
  return issue.path.length + Math.max(0, ...inner);
}

function choice(options: readonly string[], path: Path, value: unknown): string {
  if (value === undefined) return `is missing; one of ${options.join(', ')}`;
  const close = typeof value === 'string' ? nearest(value, options) : null;
  const remedy = close === null ? '' : `; did you mean \`${close}\`?`;
  return `${withValue(`expected one of ${options.join(', ')}`, path, value)}${remedy}`;
}

function tooSmall(issue: z.core.$ZodIssueTooSmall, value: unknown): string {
  if (typeof value === 'string') return issue.message;
  if (Array.isArray(value)) return `needs at least ${issue.minimum} entries`;
  return `must be at least ${issue.minimum}`;
}

function withValue(message: string, path: Path, value: unknown): string {
  return message.startsWith('expected') ? `${message}, got ${describeValue(path, value)}` : message;
}

/** Bounded, on one line, and silent about values of variables, which may be secrets. */
function describeValue(path: Path, value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  const kind = typeof value === 'string' ? 'text' : typeof value;
  if (path.includes('env')) return `a ${kind}`;
  return `the ${kind} ${JSON.stringify(typeof value === 'string' ? cut(value) : value)}`;
}

function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}
