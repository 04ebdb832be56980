import { createHash } from 'node:crypto';
import type { Settings } from '../core/config/schema.ts';
import type { JudgeFile } from '../core/judge/judge.ts';
import { hasParts, restoreManifest } from '../core/judge/manifest.ts';
import { isRunnerName } from '../core/judge/runner-names.ts';
import { usesPackage, type UsedNames } from '../core/judge/used-names.ts';
import { matchesAny } from '../core/text/glob.ts';
import type { JudgeChange } from '../core/verdict/confirmation.ts';
import type { Differing, RoomFile } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';
import { judgeOf } from './find-judge.ts';

/** What of a loop's commit judges it, and how that differs from the base. */
export type JudgePlan = {
  /** Every file that judges, of the base and of the loop. */
  readonly judge: readonly JudgeFile[];
  /** Differences that nothing has allowed beforehand. */
  readonly changes: readonly JudgeChange[];
  readonly hash: string;
  /** What to put into a checkout of the loop's commit, so that the base judges it. */
  readonly baseJudge: readonly RoomFile[];
  /** What to put into a checkout of the base, so that the loop judges it. */
  readonly ownJudge: readonly RoomFile[];
  readonly addsTests: boolean;
  /** Files of tests differ that may: what they had need not be there any more. */
  readonly allowsTests: boolean;
  readonly changesDependencies: boolean;
  /** Nothing but files that judge differs: no code, no dependency, no product part of a manifest. */
  readonly isOnlyJudge: boolean;
  /** Whether an installed package of that name judges: a runner, or something that the base's tests use. */
  readonly judges: (name: string) => boolean;
  /** Files of the product that the loop added or changed. */
  readonly product: readonly string[];
};

type PlanWish = {
  readonly base: string;
  readonly commit: string;
  /** Changes that count as they are: content by path. */
  readonly accepted?: ReadonlyMap<string, string | null> | undefined;
};

const maxManifestBytes = 1024 * 1024;

export async function planJudge(
  engine: Engine,
  settings: Settings,
  { base, commit, accepted = new Map() }: PlanWish,
  signal: AbortSignal,
): Promise<JudgePlan> {
  const [{ files: judge, used }, differing] = await Promise.all([
    judgeOf(engine, { base, head: commit, settings }, signal),
    engine.project.differing(base, commit, signal),
  ]);
  const kinds = new Map(judge.map((file) => [file.path, file]));
  const judged = differing.flatMap((each) => {
    const file = kinds.get(each.path);
    return file === undefined ? [] : [{ ...each, file }];
  });
  const manifests = judged.filter(({ file }) => isInParts(file));
  const names = manifests.map(({ path }) => path);
  const read = (at: string) => engine.project.readSeveralAt(at, names, maxManifestBytes, signal);
  const [before, after] = await Promise.all([read(base), read(commit)]);
  const revisions = { base, commit, before, after, used };
  const sides = judged.map((each) => sidesOf(each, revisions));
  const isAllowed = ({ path, after: now }: Judged): boolean =>
    matchesAny(path, settings.verify.allow) || (accepted.has(path) && accepted.get(path) === now);
  const open = judged.filter((each) => !isAllowed(each));
  const standing = open.map((each) => sidesOf(each, revisions));
  return {
    // What the check writes is other than before when it has run.
    judge: judge.filter(({ isOutput }) => isOutput !== true),
    changes: standing.filter(({ isChanged }) => isChanged).map(({ change }) => change),
    hash: hashOf(judged),
    baseJudge: standing.flatMap(({ restored }) => restored ?? []),
    ownJudge: sides.flatMap(({ own }) => own),
    addsTests: judged.some(({ file, after: now }) => file.kind === 'test' && now !== null),
    allowsTests: judged.some((each) => each.file.kind === 'test' && isAllowed(each)),
    changesDependencies: sides.some(({ dependencies }) => dependencies),
    isOnlyJudge: judged.length === differing.length && sides.every(({ hasProduct }) => !hasProduct),
    judges: (name) => isRunnerName(name) || usesPackage(used, name),
    product: differing
      .filter(({ path, after: now }) => now !== null && !kinds.has(path))
      .map(({ path }) => path),
  };
}

type Judged = Differing & { readonly file: JudgeFile };
type Texts = ReadonlyMap<string, string | null>;
type Revisions = {
  readonly base: string;
  readonly commit: string;
  readonly before: Texts;
  readonly after: Texts;
  readonly used: UsedNames;
};

type Sides = {
  readonly change: JudgeChange;
  /** False: only what is product in it differs. */
  readonly isChanged: boolean;
  /** As the base has it; null: the loop's is used. */
  readonly restored: RoomFile | null;
  readonly own: RoomFile;
  readonly dependencies: boolean;
  /** Something of it that is no judge differs. */
  readonly hasProduct: boolean;
};

/** Lists of dependencies are the loop's, unless their parts tell more. */
function isInParts({ path, kind }: JudgeFile): boolean {
  return kind === 'manifest' || (kind === 'dependencies' && hasParts(path));
}

function sidesOf(each: Judged, { base, commit, before, after, used }: Revisions): Sides {
  const { path, file } = each;
  const how = each.before === null ? 'added' : each.after === null ? 'removed' : 'changed';
  const change: JudgeChange = { path, kind: file.kind, how };
  const own: RoomFile = { path, revision: commit };
  const whole = { change, isChanged: true, own, dependencies: false, hasProduct: false };
  const isList = file.kind === 'dependencies';
  if (isList && !isInParts(file)) {
    return { ...whole, restored: null, dependencies: true, hasProduct: true };
  }
  if (!isInParts(file)) return { ...whole, restored: { path, revision: base } };
  const [baseText, ownText] = [before.get(path) ?? null, after.get(path) ?? null];
  const { text, restored: keys, dependencies } = restoreManifest(path, baseText, ownText, used);
  return {
    change: keys.length === 0 && isList ? change : { ...change, keys },
    isChanged: keys.length > 0 || isList,
    restored: keys.length === 0 ? null : { path, text },
    own: isList ? own : { path, text: restoreManifest(path, ownText, baseText, used).text },
    dependencies,
    hasProduct: keys.length === 0 || text !== baseText,
  };
}

/** As long as it is the same, so are the changes that a person has seen. */
function hashOf(judged: readonly Judged[]): string {
  const entries = judged.map(({ path, before, after }) => [path, before, after]);
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 16);
}
