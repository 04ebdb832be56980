import type { Settings } from '../core/config/schema.ts';
import { findJudge, type JudgeFile, type JudgeFinding } from '../core/judge/judge.ts';
import { manifestNames, withoutOwn } from '../core/judge/manifest-names.ts';
import { findShadows, helpFiles, helpOf, isUsedVendor } from '../core/judge/shadow.ts';
import { noNames, usedNames, type UsedNames } from '../core/judge/used-names.ts';
import { stopTests } from '../core/verdict/stop-condition.ts';
import type { Engine } from './engine.ts';

const maxTextBytes = 256 * 1024;
/** A script that starts one that starts one: deeper chains are followed up to here. */
const maxRounds = 12;
/** Files of the judge that are read for the names they use. */
const maxNaming = 3000;

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

export type FoundJudge = JudgeFinding & {
  /** What the base's judge takes from elsewhere; nothing where the base alone was looked at. */
  readonly used: UsedNames;
};

/** What judges at a revision, and what of the loop's files would. Reads the repository, runs nothing. */
export async function judgeOf(
  { project }: Pick<Engine, 'project'>,
  { base, head, settings }: JudgeScope,
  signal: AbortSignal,
): Promise<FoundJudge> {
  const isLoop = head !== null && head !== base;
  const [before = [], after = []] = await Promise.all(
    (isLoop ? [base, head] : [base]).map((revision) => project.listAt(revision, signal)),
  );
  const files = [...new Set([...before, ...after])];
  const { judge, product } = settings.verify;
  const commands = judgingCommands(settings);
  const texts = new Map<string, string | null>();
  for (let round = 1; ; round++) {
    const finding = findJudge({ files, commands, texts, judge, product });
    if (finding.wanted.length > 0 && round <= maxRounds) {
      await readInto(texts, finding.wanted);
      continue;
    }
    return isLoop ? withNames(finding) : { ...finding, used: noNames };
  }

  async function readInto(known: Map<string, string | null>, paths: readonly string[]) {
    const read = await project.readSeveralAt(base, paths, maxTextBytes, signal);
    for (const path of paths) known.set(path, textOf(read.get(path) ?? null));
  }

  /** Adds what stands in front of something that the base's judge takes from elsewhere. */
  async function withNames(finding: JudgeFinding): Promise<FoundJudge> {
    const old = new Set(before);
    const naming = finding.files.filter(({ path, kind }) => old.has(path) && kind !== 'data');
    const unread = naming.map(({ path }) => path).filter((path) => !texts.has(path));
    await readInto(texts, unread.slice(0, maxNaming));
    const textsOf = (isWanted: (file: JudgeFile) => boolean) =>
      naming.filter(isWanted).flatMap(({ path }) => {
        const text = texts.get(path);
        return typeof text === 'string' ? [[path, text] as const] : [];
      });
    const names = manifestNames(
      textsOf(({ kind }) => kind === 'manifest' || kind === 'dependencies'),
    );
    const all = usedNames(textsOf(({ kind }) => kind !== 'manifest' && kind !== 'dependencies'));
    const help = helpOf(names, all);
    const own = names.own.difference(new Set(help.map(([name]) => name)));
    const used = withoutOwn(all, own, before);
    const tests = naming
      .filter(({ kind }) => kind === 'test' || kind === 'script')
      .map(({ path }) => path);
    const added = after.filter((path) => !old.has(path));
    const { asked } = names;
    const shadows = findShadows({ used, asked, base: before, tests, added });
    const found = new Map(finding.files.map((file) => [file.path, fixed(file, used)]));
    for (const file of [...shadows, ...helpFiles(help, files)])
      if (!found.has(file.path)) found.set(file.path, file);
    const sorted = [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
    return { ...finding, files: sorted, used };
  }
}

/** What is vendored is a dependency, and may change; but not what the base's judge uses. */
function fixed(file: JudgeFile, used: UsedNames): JudgeFile {
  if (file.kind !== 'dependencies' || !isUsedVendor(file.path, used)) return file;
  return { ...file, kind: 'config', reason: 'vendored, and used by tests' };
}

/** What has zero bytes is no text. */
function textOf(content: string | null): string | null {
  return content === null || content.includes('\0') ? null : content;
}
