import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { realCli, type RealRun } from '../cli/real-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import {
  agentStarts,
  eventually,
  leftoverViolations,
  processesWith,
  startViolations,
  storedLoops,
  storeViolations,
  userState,
  type StoredLoop,
  type UserState,
} from '../support/invariants.ts';

export type Ended = Awaited<RealRun['ended']> & { readonly signal: string | null };

/** A repository in which a loop meets everything a loop can meet, and the real program to run in it. */
export type Scenario = AsyncDisposable & {
  readonly repo: GitRepo;
  readonly env: Readonly<Record<string, string>>;
  readonly token: string;
  readonly agentLog: string;
  start(argv: readonly string[], env?: Readonly<Record<string, string>>): RealRun;
  run(argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  loops(): Promise<readonly StoredLoop[]>;
  /** A person changes one of their files in the base and adds another one; what they committed is looked for later. */
  commitAsPerson(): Promise<void>;
  /** Every broken promise after the end of a loop, in words. */
  violations(): Promise<readonly string[]>;
};

/**
 * `merge`: everything goes well, with a base that moves. `shown`: the same, and the base is checked out in a worktree of the user's. `late`: the same, but it moves when the work is done. `conflict`: the base moves against the loop's work. `summary`: as
 * `merge`, and the agent is asked for a summary of every iteration. `gate`: as `merge`, with a command as a gate. `approval`:
 * the same, and a person must say yes. `cheat`: the agent removes a test, which a person must accept. `tamper`: the agent makes a tag in the user's
 * repository. `moved`: the agent moves the base to its own branch. `checkout`: as `merge`, with the base checked out and a stash entry beside it, so that merges move files of the user's. `mode`: the setting that changes is the mode, which then asks after every iteration and takes silence for a yes. `session`:
 * as `merge`, and a program that speaks like Claude Code goes on with its session, whose context is nearly full. `unproven`: the
 * checks pass on the base already, so that a person must accept the work.
 */
export type ScenarioKind =
  | 'merge'
  | 'shown'
  | 'late'
  | 'conflict'
  | 'summary'
  | 'gate'
  | 'approval'
  | 'cheat'
  | 'tamper'
  | 'moved'
  | 'checkout'
  | 'mode'
  | 'session'
  | 'unproven';

/** What may differ afterwards: the base moves, and what an agent planted is left for its user to see. */
const movable = ['refs/heads/trunk', 'refs/heads/next', 'refs/tags/planted'];

/**
 * Three iterations are needed. The agent also changes a protected file and a linked folder; the user's hook moves the base once and changes
 * a live setting once; the strategy always throws, so that there are warnings; `trunk` is checked out nowhere.
 */
export async function scenario(kind: ScenarioKind = 'merge'): Promise<Scenario> {
  const repo = await gitRepo();
  const token = `token-${randomUUID()}`;
  const { outside } = repo;
  const agentLog = path.join(outside, 'agent.log');
  const temp = path.join(outside, 'temp');
  await mkdir(temp);
  await writeScripts(repo, agentLog, kind);
  await writeProject(repo, kind);
  const env = { ...repo.env, TEST_TOKEN: token, TMPDIR: temp };
  const before = await stateOf(repo, kind);
  const commits: string[] = [];
  const start: Scenario['start'] = (argv, more = {}) =>
    realCli(repo.path, { ...env, ...more }, argv);
  return {
    repo,
    env,
    token,
    agentLog,
    start,
    async run(argv, more) {
      const run = start(argv, more);
      const ended = await run.ended;
      return { ...ended, signal: run.child.signalCode };
    },
    loops: () => storedLoops(repo),
    commitAsPerson: async () => void commits.push(await commitToBase(repo, kind)),
    violations: () => allViolations(repo, { before, token, agentLog, kind, commits }),
    async [Symbol.asyncDispose]() {
      for (const pid of processesWith(token)) kill(pid);
      await repo[Symbol.asyncDispose]();
    },
  };
}

/** What is the user's and stays; a checkout of the base follows it, and is looked at by its status. */
async function stateOf(repo: GitRepo, kind: ScenarioKind): Promise<UserState> {
  const state = await userState(repo, movable);
  if (kind !== 'checkout') return state;
  const stash = await repo.git('reflog', 'show', '--format=%H %gs', 'refs/stash');
  const refs = `${state.refs}\n${stash}`;
  const status = ['--no-optional-locks', 'status', '--porcelain', '--untracked-files=all'];
  return { ...state, refs, files: await repo.git(...status), index: '' };
}

async function commitToBase(repo: GitRepo, kind: ScenarioKind): Promise<string> {
  const isHere = kind === 'checkout' || kind === 'shown';
  const name = kind === 'shown' ? 'shown' : 'person';
  const folder = kind === 'checkout' ? repo.path : path.join(repo.outside, name);
  if (!isHere) await repo.git('clone', '--quiet', '--branch', 'trunk', repo.path, folder);
  // A killed move keeps the person from committing half of it. They do what git tells them then.
  await rm(
    await repo.gitIn(folder, 'rev-parse', '--path-format=absolute', '--git-path', 'index.lock'),
    {
      force: true,
    },
  );
  await writeFile(path.join(folder, 'kept.txt'), 'changed by the person\n');
  await writeFile(path.join(folder, 'added.txt'), 'added by the person\n');
  await repo.gitIn(folder, 'add', 'kept.txt', 'added.txt');
  await repo.gitIn(folder, 'commit', '--quiet', '-m', 'by the person');
  if (!isHere) await repo.gitIn(folder, 'push', '--quiet', 'origin', 'trunk');
  await moveNextOnTop(repo);
  return repo.git('rev-parse', 'trunk');
}

/** The hook moves the base to `next`: that has what the person committed before. */
async function moveNextOnTop(repo: GitRepo): Promise<void> {
  if (existsSync(path.join(repo.outside, 'moved'))) return;
  const tree = await repo.git('merge-tree', '--write-tree', 'trunk', 'next');
  const commit = await repo.git('commit-tree', '-p', 'trunk', '-m', 'the base moved', tree);
  await repo.git('update-ref', 'refs/heads/next', commit);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone meanwhile.
  }
}

/** The user brings the base up to date where it is checked out. */
function moveBase({ path: folder, outside }: GitRepo, kind: ScenarioKind): string {
  if (kind === 'checkout') return `git -C '${folder}' merge --quiet --ff-only next`;
  if (kind === 'shown') return `git -C '${outside}/shown' merge --quiet --ff-only next`;
  return `git -C '${folder}' update-ref refs/heads/trunk refs/heads/next`;
}

const askingMode = 'mode: { name: hybrid, ask-every: 1, auto-approve-after: 50ms }\\n';

async function writeScripts(repo: GitRepo, agentLog: string, kind: ScenarioKind): Promise<void> {
  const { outside } = repo;
  const agent = `
case "$LOOPWRIGHT_PROMPT_FILE" in */summary-*) echo 'one more line'; exit 0 ;; esac
echo "$LOOPWRIGHT_LOOP $LOOPWRIGHT_ITERATION" >> '${agentLog}'
echo x >> n.txt
echo "by iteration $LOOPWRIGHT_ITERATION" > "note-$LOOPWRIGHT_ITERATION.txt"
echo tampered > guarded.txt
echo tampered > deps/lib.txt
rm -f deps/own/other.txt
${kind === 'cheat' ? 'rm -f unit.test.js' : ''}
${kind === 'tamper' ? 'git tag --force planted' : ''}
${kind === 'moved' ? 'git update-ref refs/heads/trunk HEAD' : ''}
${kind === 'unproven' ? '[ "$(wc -l < n.txt)" -lt 3 ] || echo "<task-done>$LOOPWRIGHT_TASK</task-done>"' : ''}
echo done`;
  // What the user does meanwhile: the base moves on, and a live setting changes.
  const hook = `
${moveBase(repo, kind)}
mkdir -p '${repo.env['HOME'] ?? ''}/.config/loopwright'
printf '${kind === 'mode' ? askingMode : ''}limits:\\n  max-iterations: 60\\n' > '${repo.env['HOME'] ?? ''}/.config/loopwright/config.yml'`;
  await writeFile(path.join(outside, 'agent.sh'), agent);
  await writeFile(path.join(outside, 'claude.sh'), claude(outside), { mode: 0o755 });
  await writeFile(
    path.join(outside, 'hook.sh'),
    `[ -e '${outside}/moved' ] || { ${hook}\n: > '${outside}/moved'; }\n`,
  );
}

/** What Claude Code prints: its session, one message, and that 90 % of the context are in use. */
function claude(outside: string): string {
  const usage = '{"input_tokens":90,"output_tokens":0}';
  const models = '{"m":{"inputTokens":90,"outputTokens":0,"contextWindow":100,"costUSD":0.01}}';
  return `#!/bin/sh
case "$LOOPWRIGHT_PROMPT_FILE" in */handoff-*) ;; *) sh '${outside}/agent.sh' > /dev/null ;; esac
echo '{"type":"system","subtype":"init","session_id":"s-1","model":"m"}'
echo '{"type":"assistant","message":{"id":"m-'$$'","content":[{"type":"text","text":"Go on."}],"usage":${usage}}}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"Go on.","session_id":"s-1","usage":${usage},"modelUsage":${models},"model_usage_since_last_result":${models}}'
`;
}

/** Tests by their names, so that one that is gone is seen. */
const namedTests = `date >> checked.txt
test "$(wc -l < n.txt)" -ge 3 && count=ok || count='not ok'
echo 'TAP version 13'
echo "$count 1 - counts"
if [ -e unit.test.js ]; then echo 'ok 2 - adds'; echo 1..2; else echo 1..1; fi
test "$count" = ok
`;

async function writeProject(repo: GitRepo, kind: ScenarioKind): Promise<void> {
  const { outside } = repo;
  await repo.write('guarded.txt', 'as it was\n');
  await repo.write('kept.txt', 'as it was\n');
  await repo.write('unit.test.js', "test('adds', () => assert.equal(1 + 1, 2));\n");
  if (kind === 'cheat') await repo.write('check.sh', namedTests);
  await repo.write('.gitignore', 'deps/\n');
  await repo.write('deps/lib.txt', 'as it was\n');
  await repo.write('deps/other.txt', 'as it was\n');
  await symlink(path.join(repo.path, 'deps'), path.join(repo.path, 'deps/own'));
  await repo.write(
    'strategy.mjs',
    "export const strategy = { name: 'broken', onIterationComplete() { throw new Error('on purpose'); } };\n",
  );
  await repo.write(
    'loopwright.yml',
    `${kind === 'session' ? `session: reuse\nagent: teller\nagents: { teller: { kind: claude, command: '${outside}/claude.sh' } }` : `agent: "command:sh '${outside}/agent.sh'"`}
validation: { command: "${kind === 'cheat' ? 'sh check.sh' : kind === 'unproven' ? 'date >> checked.txt' : `date >> checked.txt; test \\"$(wc -l < n.txt)\\" -ge 3${kind === 'late' ? ` && sh '${outside}/hook.sh'` : ''}`}" }
verify: { protected: [guarded.txt, kept.txt, added.txt] }
strategy: { name: custom, module: strategy.mjs }
limits: { iteration-delay: 10ms${kind === 'cheat' ? ', max-iterations: 3' : ''} }
git: { base: trunk, merge: local, watch-interval: 1ms }
scheduler: { min-disk: 0, warn-disk: 0 }
workspace: { setup: 'echo set up', link: [deps] }
hooks: { pre-iteration: ["${kind === 'late' ? 'true' : `sh '${outside}/hook.sh'`}"] }
env: { pass: [TEST_TOKEN] }
${kind === 'summary' ? 'progress: { strategy: hybrid }' : ''}
${kind === 'gate' || kind === 'approval' ? `gates: [{ type: command, command: 'true' }${kind === 'approval' ? ', approval' : ''}]` : ''}
`,
  );
  await repo.commitAll('project');
  await repo.git('branch', 'trunk');
  await repo.git('checkout', '--quiet', '-b', 'next');
  await repo.write(kind === 'conflict' ? 'n.txt' : 'moved.txt', 'the base moved\n');
  await repo.commitAll('the base moved');
  await repo.git('checkout', '--quiet', kind === 'checkout' ? 'trunk' : 'main');
  if (kind === 'shown')
    await repo.git('worktree', 'add', '-q', path.join(outside, 'shown'), 'trunk');
  if (kind !== 'checkout') return;
  await repo.write('README.md', 'for later\n');
  await repo.git('stash', 'push', '--quiet');
  await repo.write('untracked.txt', 'not yet added\n');
}

async function allViolations(
  repo: GitRepo,
  expected: {
    readonly before: UserState;
    readonly token: string;
    readonly agentLog: string;
    readonly kind: ScenarioKind;
    readonly commits: readonly string[];
  },
): Promise<readonly string[]> {
  const violations: string[] = [];
  await eventually(() => processesWith(expected.token).length === 0, 'all processes end').catch(
    () => violations.push(`still running: ${processesWith(expected.token).join(', ')}`),
  );
  const loops = await storedLoops(repo);
  violations.push(...(await storeViolations(repo)));
  violations.push(...startViolations(await agentStarts(expected.agentLog), loops));
  const after = await stateOf(repo, expected.kind);
  for (const key of Object.keys(after)) {
    if (Reflect.get(after, key) !== Reflect.get(expected.before, key))
      violations.push(`the user's ${key} changed`);
  }
  violations.push(...(await personViolations(repo, expected.commits)));
  if (expected.kind === 'conflict') return violations;
  if (loops.length !== 1 || loops[0]?.loop.status !== 'complete')
    violations.push(`loops: ${loops.map(({ loop }) => `${loop.id} ${loop.status}`).join(', ')}`);
  for (const { loop } of loops) violations.push(...(await workViolations(repo, loop)));
  const worktrees = expected.kind === 'shown' ? ['shown'] : [];
  violations.push(...(await leftoverViolations(repo, { branches: [], worktrees })));
  if (expected.kind === 'shown') violations.push(...(await checkoutViolations(repo)));
  const temporary = await readFolder(path.join(repo.outside, 'temp'));
  if (temporary.length > 0) violations.push(`temporary files left: ${temporary.join(', ')}`);
  return violations;
}

async function personViolations(
  repo: GitRepo,
  commits: readonly string[],
): Promise<readonly string[]> {
  if (commits.length === 0) return [];
  const violations: string[] = [];
  const history = (await repo.git('rev-list', 'trunk')).split('\n');
  if (!commits.every((commit) => history.includes(commit)))
    violations.push('trunk lost a commit of the person');
  for (const [file, verb] of [
    ['kept.txt', 'changed'],
    ['added.txt', 'added'],
  ]) {
    const text = await repo.git('show', `trunk:${file}`).catch(() => 'gone');
    if (text !== `${verb} by the person`) violations.push(`the person's ${file} is ${text}`);
  }
  return violations;
}

/** The user's checkout of the base is where the base is, and nothing in it looks changed. */
async function checkoutViolations(repo: GitRepo): Promise<readonly string[]> {
  const folder = path.join(repo.outside, 'shown');
  const status = await repo.gitIn(folder, 'status', '--porcelain');
  const stash = await repo.git('stash', 'list');
  const [shown, trunk] = [
    await repo.gitIn(folder, 'rev-parse', 'HEAD'),
    await repo.git('rev-parse', 'trunk'),
  ];
  return [
    ...(status === '' ? [] : [`the checkout of the base looks changed: ${status}`]),
    ...(stash === '' ? [] : [`something is in the stash: ${stash}`]),
    ...(shown === trunk ? [] : ['the checkout of the base is elsewhere']),
  ];
}

async function readFolder(folder: string): Promise<readonly string[]> {
  const { readdir } = await import('node:fs/promises');
  return (await readdir(folder)).filter((name) => !name.startsWith('node-compile-cache'));
}

/** What every finished iteration did is in the branch it was merged into, and what was protected is as it was. */
async function workViolations(repo: GitRepo, loop: StoredLoop['loop']): Promise<readonly string[]> {
  if (loop.status !== 'complete') return [];
  const violations: string[] = [];
  if (loop.mergedInto !== 'trunk') violations.push(`merged into ${loop.mergedInto ?? 'nothing'}`);
  const files = (await repo.git('ls-tree', '-r', '--name-only', 'trunk')).split('\n');
  const finished = loop.iterations.filter(({ counted }) => counted);
  for (const { number } of finished) {
    if (!files.includes(`note-${number}.txt`))
      violations.push(`the work of iteration ${number} is not in trunk`);
  }
  const lines = files.includes('n.txt') ? await repo.git('show', 'trunk:n.txt') : '';
  const count = lines.split('\n').filter((line) => line !== '').length;
  if (count < Math.max(3, finished.length)) violations.push(`n.txt in trunk has ${count} lines`);
  if ((await repo.git('show', 'trunk:guarded.txt')) !== 'as it was')
    violations.push('the protected file was changed');
  if (files.includes('checked.txt')) violations.push('what the checks wrote was committed');
  if (!files.includes('moved.txt')) violations.push('trunk lost what the user had committed to it');
  const index = await readFile(path.join(repo.path, 'guarded.txt'), 'utf8');
  if (index !== 'as it was\n') violations.push('the protected file in the checkout was changed');
  return violations;
}
