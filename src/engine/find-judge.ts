import type { Settings } from '../core/config/schema.ts';
import { findJudge, type JudgeFinding } from '../core/judge/judge.ts';
import { stopTests } from '../core/verdict/stop-condition.ts';
import type { Engine } from './engine.ts';

const maxTextBytes = 256 * 1024;
/** A script that starts one that starts one: deeper chains are followed up to here. */
const maxRounds = 12;

type JudgingSettings = Pick<Settings, 'validation' | 'gates' | 'verify' | 'stop'>;

export type JudgeScope = {
  /** The revision whose files judge; texts are read there and nowhere else. */
  readonly base: string;
  /** The loop's revision: what it added can judge as well. Null to look at the base alone. */
  readonly head: string | null;
  readonly settings: JudgingSettings;
};

/** Every command whose result decides: of the checks, of fixtures, of gates and of stop conditions. */
export function judgingCommands({
  validation,
  gates,
  verify,
  stop,
}: JudgingSettings): readonly string[] {
  const { command, commands, setup } = validation;
  const all = [
    command,
    setup,
    ...Object.values(commands).map((each) => each.command),
    ...verify.fixtures.map((each) => each.command),
    ...gates.map((gate) => (gate.type === 'command' ? gate.command : null)),
    ...stopTests(stop).map((test) => (test.on === 'script' ? test.command : null)),
  ];
  return [...new Set(all.filter((each) => each !== null))];
}

/** The commit that a loop would start from now; null when there is none. */
export async function startingCommit(
  { project }: Pick<Engine, 'project'>,
  { git }: Pick<Settings, 'git'>,
  signal: AbortSignal,
): Promise<string | null> {
  if (git.base !== null) return project.resolve(git.base, signal);
  return (await project.checkedOut(signal)).head;
}

/** What judges at a revision, and what of the loop's files would. Reads the repository, runs nothing. */
export async function judgeOf(
  { project }: Pick<Engine, 'project'>,
  { base, head, settings }: JudgeScope,
  signal: AbortSignal,
): Promise<JudgeFinding> {
  const lists = await Promise.all(
    (head === null || head === base ? [base] : [base, head]).map((revision) =>
      project.listAt(revision, signal),
    ),
  );
  const files = [...new Set(lists.flat())];
  const { judge, product } = settings.verify;
  const commands = judgingCommands(settings);
  const texts = new Map<string, string | null>();
  for (let round = 1; ; round++) {
    const finding = findJudge({ files, commands, texts, judge, product });
    if (finding.wanted.length === 0 || round > maxRounds) return finding;
    const read = await project.readSeveralAt(base, finding.wanted, maxTextBytes, signal);
    for (const path of finding.wanted) texts.set(path, textOf(read.get(path) ?? null));
  }
}

/** What has zero bytes is no text. */
function textOf(content: string | null): string | null {
  return content === null || content.includes('\0') ? null : content;
}
