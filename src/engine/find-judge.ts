import type { Settings } from '../core/config/schema.ts';
import { findJudge, type JudgeFinding } from '../core/judge/judge.ts';
import { allCommands } from './look-at-judges.ts';
import type { Engine } from './engine.ts';

export type JudgeWish = {
  readonly base: string;
  /** A commit whose additions matter too; absent: the base alone. */
  readonly commit?: string;
  readonly settings: Settings;
};

const maxTextBytes = 256 * 1024;
const maxRounds = 8;

/** Everything that judges at a base, and among what a commit has added to it. Texts are those of the base. */
export async function judgeOf(
  { project }: Engine,
  { base, commit, settings }: JudgeWish,
  signal: AbortSignal,
): Promise<JudgeFinding> {
  const lists = [base, ...(commit === undefined ? [] : [commit])].map((each) =>
    project.listAt(each, signal),
  );
  const files = [...new Set((await Promise.all(lists)).flat())];
  const { judge, product } = settings.verify;
  const texts = new Map<string, string | null>();
  const input = { files, commands: allCommands(settings), texts, judge, product };
  let found = findJudge(input);
  for (let round = 0; round < maxRounds && found.wanted.length > 0; round++) {
    const read = await project.readAllAt(base, found.wanted, maxTextBytes, signal);
    for (const name of found.wanted) texts.set(name, read.get(name) ?? null);
    found = findJudge(input);
  }
  return found;
}
