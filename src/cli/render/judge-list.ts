import type { JudgeFile, JudgeKind } from '../../core/judge/judge.ts';
import { changeText, type JudgeChange } from '../../core/verdict/confirmation.ts';
import { plainText } from '../../core/text/terminal.ts';
import { plural } from './format.ts';
import type { Paint } from './paint.ts';

/** In the order of what people ask for first; one and several of each. */
const kinds: readonly (readonly [JudgeKind, one: string, several: string])[] = [
  ['test', 'test', 'tests'],
  ['data', 'data file', 'data files'],
  ['config', 'configuration file', 'configuration files'],
  ['script', 'script', 'scripts'],
  ['manifest', 'manifest', 'manifests'],
  ['dependencies', 'list of dependencies', 'lists of dependencies'],
];

export type JudgeCounts = Readonly<Record<JudgeKind, number>>;

export function countJudge(files: readonly JudgeFile[]): JudgeCounts {
  const counts = { test: 0, data: 0, config: 0, script: 0, manifest: 0, dependencies: 0 };
  for (const { kind } of files) counts[kind]++;
  return counts;
}

/** `42 files judge: 30 tests, 5 data files, 4 configuration files`. */
export function judgeText(files: readonly JudgeFile[]): string {
  if (files.length === 0) return 'no file of the repository judges';
  const counts = countJudge(files);
  const parts = kinds.flatMap(([kind, one, several]) =>
    counts[kind] === 0 ? [] : [`${counts[kind]} ${counts[kind] === 1 ? one : several}`],
  );
  const verb = files.length === 1 ? 'judges' : 'judge';
  return `${plural(files.length, 'file')} ${verb}: ${parts.join(', ')}`;
}

const shownOfKind = 20;

/** Grouped by kind, every file with why it judges. */
export function renderJudge(files: readonly JudgeFile[], paint: Paint, isWhole: boolean): string {
  const width = Math.min(60, Math.max(0, ...files.map(({ path }) => path.length)));
  const groups = kinds.flatMap(([kind, one, several]) => {
    const own = files.filter((file) => file.kind === kind);
    if (own.length === 0) return [];
    const shown = isWhole ? own : own.slice(0, shownOfKind);
    const lines = shown.map(
      ({ path, reason }) =>
        `  ${plainText(path).padEnd(width)}  ${paint('dim', plainText(reason))}`,
    );
    const left = own.length - shown.length;
    const more = left === 0 ? [] : [paint('dim', `  … and ${left} more (--all lists them)`)];
    const head = `${own.length} ${own.length === 1 ? one : several}`;
    return [[paint('bold', head), ...lines, ...more].join('\n')];
  });
  return `${groups.join('\n\n')}\n`;
}

/** What a loop changed of it, a line each. */
export function renderJudgeChanges(changes: readonly JudgeChange[]): string {
  if (changes.length === 0) return '\nthe loop changed none of them\n';
  const lines = changes.map((change) => `  ${plainText(changeText(change))}`);
  return `\n${['the loop changed', ...lines].join('\n')}\n`;
}
