import { chmod, mkdir, mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Plan, PlannedTask } from './plan.ts';
import { run, type Done, type Environment } from './shell.ts';

export const baseBranch = 'trunk';

/** A repository with tasks, agents and a person's belongings, and all that is needed to run and judge it. */
export type Ground = {
  readonly folder: string;
  /** The checkout in which the program is started. */
  readonly repo: string;
  /** Where it has been, its place of now included. */
  readonly places: readonly string[];
  /** Where the person commits to the base; null when it is checked out nowhere. */
  readonly checkout: string | null;
  readonly outside: string;
  readonly agentLog: string;
  /** In the environment of everything the program starts, but for its git; followed by `-first` or `-second`. */
  readonly token: string;
  /** The person's: without the token and with the real git. */
  readonly env: Environment;
  readonly engineEnv: Environment;
  /** Task id by planned task. */
  readonly ids: ReadonlyMap<string, PlannedTask>;
  readonly git: (...args: readonly string[]) => Promise<Done>;
};

/** The program under test. */
export type Program = { readonly entry: string };

export async function prepareGround(plan: Plan, { entry }: Program): Promise<Ground> {
  const folder = await realpath(
    await mkdtemp(path.join(tmpdir(), `loopwright-torture-${plan.scenario}-${plan.seed}-`)),
  );
  const [repo, outside, home] = ['repo', 'outside', 'home'].map((name) => path.join(folder, name));
  if (repo === undefined || outside === undefined || home === undefined)
    throw new Error('no names');
  for (const each of [repo, home, `${outside}/plan`, `${outside}/temp`, `${outside}/bin`]) {
    await mkdir(each, { recursive: true });
  }
  await writeFile(`${home}/.gitconfig`, '[user]\n\tname = Ada\n\temail = ada@example.org\n');
  const token = `torture-${path.basename(folder).slice(-6)}-token`;
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    LC_ALL: 'C',
    TMPDIR: `${outside}/temp`,
  };
  const git = (...args: readonly string[]) => run('git', args, { cwd: repo, env });
  const engineEnv = { ...env, PATH: `${outside}/bin:${env.PATH}`, TORTURE_TOKEN: `${token}-first` };
  const checkout = plan.base === 'here' ? repo : plan.base === 'linked' ? `${folder}/linked` : null;
  const ground = { folder, repo, places: [repo], checkout, outside, token, env, engineEnv, git };
  await writeScripts(ground, await realGit(env));
  await writeRepository(plan, ground);
  const titles = plan.tasks.map(({ name }) => ({ title: name }));
  await writeFile(`${outside}/tasks.json`, JSON.stringify(titles));
  const argv = [entry, 'task', 'import', `${outside}/tasks.json`];
  const added = await run(process.execPath, argv, { cwd: repo, env });
  if (added.code !== 0) throw new Error(`tasks could not be added: ${added.out}${added.err}`);
  const ids = await planAgents(plan, repo, outside);
  return { ...ground, ids, agentLog: `${outside}/agent.log` };
}

async function realGit(env: Environment): Promise<string> {
  const { out } = await run('/bin/sh', ['-c', 'command -v git'], { cwd: '/', env });
  return out.trim();
}

/**
 * The agent says when it starts and ends, in a log outside of the repository and in a file of its task. It leaves half of
 * its work when it is ended in between.
 */
function agentScript(outside: string): string {
  return `
id="$LOOPWRIGHT_LOOP $LOOPWRIGHT_ITERATION"
echo "start $id $LOOPWRIGHT_TASK $PWD" >> '${outside}/agent.log'
. "${outside}/plan/$LOOPWRIGHT_TASK"
mkdir -p work
echo "begin $id" >> "work/$name.txt"
sleep "$pause"
i=0
while [ $i -lt "$files" ]; do
  echo "$id" > "work/$name-$LOOPWRIGHT_ITERATION-$i.txt"
  i=$((i + 1))
done
if [ "$big" = 1 ]; then head -c 300000 /dev/zero | tr '\\0' x > "work/$name-big.txt"; fi
if [ "$shared" = 1 ]; then
  kept=$(mktemp "${outside}/temp/shared-XXXXXX")
  sed "s/^$name: .*/$name: $id/" shared.txt > "$kept" && chmod 644 "$kept" && mv "$kept" shared.txt
fi
sleep "$pause"
echo "end $id" >> "work/$name.txt"
echo "end $id $LOOPWRIGHT_TASK $PWD" >> '${outside}/agent.log'
`;
}

function checkScript(outside: string): string {
  return `
# Clean checkouts have no variable that says which task it is.
LOOPWRIGHT_TASK=$1
. "${outside}/plan/$LOOPWRIGHT_TASK"
n=$(grep -c '^end ' "work/$name.txt")
[ "\${n:-0}" -ge "$needs" ]
`;
}

/**
 * A git before the real one. It does what `git-plan` orders for the N-th command of a kind: dies before it, dies after some
 * time, or may write nothing or only small files. The order also says whether it only dies itself, or waits for the saboteur to
 * end everybody.
 */
function gitScript(outside: string, checkout: string | null, real: string): string {
  return `#!/bin/sh
plan='${outside}/git-plan'
[ -e "$plan" ] || exec '${real}' "$@"
read -r command nth cut delay whom < "$plan" || exec '${real}' "$@"
case $command in
  any) ;;
  move)
    case "$GIT_WORK_TREE  $* " in
      '${checkout ?? 'nowhere'} '*" read-tree "* | '${checkout ?? 'nowhere'} '*"-index "*) ;;
      *" update-ref "*"refs/heads/${baseBranch} "*) ;;
      *) exec '${real}' "$@" ;;
    esac ;;
  *) case " $* " in *" $command "*) ;; *) exec '${real}' "$@" ;; esac ;;
esac
n=1
until mkdir "$plan-$command-$n" 2> /dev/null; do n=$((n + 1)); done
[ "$n" = "$nth" ] || exec '${real}' "$@"
rm -f "$plan"
exec 3<&0
case $cut in
  before) ;;
  starved) (ulimit -f 0; exec '${real}' "$@" <&3) ;;
  limited) (ulimit -f 200; exec '${real}' "$@" <&3) ;;
  meanwhile)
    '${real}' "$@" <&3 &
    sleep "$delay"
    [ "$whom" = git ] && kill -9 $! 2> /dev/null ;;
esac
echo hit > '${outside}/git-hit'
[ "$whom" = git ] && kill -9 $$
wait
while kill -0 $PPID 2> /dev/null; do sleep 0.05; done
`;
}

async function writeScripts(
  { outside, checkout }: Pick<Ground, 'outside' | 'checkout'>,
  real: string,
): Promise<void> {
  await writeFile(`${outside}/agent.sh`, agentScript(outside));
  await writeFile(`${outside}/check.sh`, checkScript(outside));
  await writeFile(`${outside}/bin/git`, gitScript(outside, checkout, real));
  await chmod(`${outside}/bin/git`, 0o755);
}

function configuration(plan: Plan, outside: string): string {
  return `agent: "command:sh '${outside}/agent.sh'"
validation: { command: "sh '${outside}/check.sh' $LOOPWRIGHT_TASK" }
${plan.protects ? "verify: { protected: ['person/**'] }" : ''}
mode: { max-changed-files: ${plan.mostFiles} }
git: { base: ${baseBranch}, merge: local, watch-interval: 1ms }
limits: { iteration-delay: 0ms }
scheduler: { min-disk: 0, warn-disk: 0 }
env: { pass: [TORTURE_TOKEN] }
`;
}

/** One line for each task and for the person, far enough apart not to conflict. */
export function sharedFile(plan: Plan): string {
  const names = [...plan.tasks.map(({ name }) => name), 'person'];
  return names.map((name) => `# ${name}\n#\n${name}: nothing\n#\n#\n`).join('');
}

/** What the person has lying about: a stash entry, a tag, a hook, ignored, untracked and half-finished files. */
async function writeRepository(
  plan: Plan,
  ground: Pick<Ground, 'repo' | 'folder' | 'outside' | 'checkout' | 'git'>,
): Promise<void> {
  const { repo, folder, outside, git } = ground;
  const must = async (...args: readonly string[]) => {
    const done = await git(...args);
    if (done.code !== 0) throw new Error(`git ${args.join(' ')}: ${done.err}`);
  };
  await must('init', '--quiet', '--initial-branch', baseBranch);
  await mkdir(`${repo}/person`);
  for (let index = 0; index < 10; index++) {
    await writeFile(`${repo}/person/${index}.txt`, `person ${index}, first\n`);
  }
  await writeFile(`${repo}/shared.txt`, sharedFile(plan));
  await writeFile(`${repo}/loopwright.yml`, configuration(plan, outside));
  await writeFile(`${repo}/.gitignore`, 'private/\n');
  await must('add', '--all');
  await must('commit', '--quiet', '-m', 'first');
  await must('tag', 'v1');
  await must('branch', 'other');
  await writeFile(`${repo}/person/0.txt`, 'for the stash\n');
  await must('stash', 'push', '--quiet', '-m', 'for later');
  await writeFile(`${repo}/.git/hooks/post-merge`, '#!/bin/sh\nexit 0\n');
  await mkdir(`${repo}/private`);
  await writeFile(`${repo}/private/diary.txt`, 'dear diary\n');
  if (plan.scenario === 'in-place') return;
  await mkdir(`${repo}/notes`);
  await writeFile(`${repo}/notes/untracked.txt`, 'not yet added\n');
  if (plan.base === 'here') return;
  await must('checkout', '--quiet', '-b', 'mine');
  if (plan.base === 'linked') {
    await must('worktree', 'add', '--quiet', `${folder}/linked`, baseBranch);
    await writeFile(`${folder}/linked/untracked.txt`, 'nor this\n');
  }
  await writeFile(`${repo}/person/1.txt`, 'half finished\n');
  await writeFile(`${repo}/staged.txt`, 'staged\n');
  await must('add', 'staged.txt');
}

/** What each task's agent does, under the id that the program has given the task. */
async function planAgents(
  plan: Plan,
  repo: string,
  outside: string,
): Promise<ReadonlyMap<string, PlannedTask>> {
  const ids = new Map<string, PlannedTask>();
  using database = new DatabaseSync(`${repo}/.loopwright/state.db`, { readOnly: true });
  for (const { id, title } of database.prepare('select id, title from tasks').all()) {
    const task = plan.tasks.find(({ name }) => name === title);
    if (task === undefined || typeof id !== 'string') continue;
    ids.set(id, task);
    const { name, needs, pauseMs, files, shared, big } = task;
    const lines = `name=${name}\nneeds=${needs}\npause=${pauseMs / 1000}\nfiles=${files}\n`;
    const flags = `shared=${Number(shared)}\nbig=${Number(big)}\n`;
    await writeFile(`${outside}/plan/${id}`, lines + flags);
  }
  return ids;
}

/** The same ground with the repository in another place. */
export function groundAt(ground: Ground, repo: string, places: readonly string[]): Ground {
  const { env, checkout } = ground;
  return {
    ...ground,
    repo,
    places,
    checkout: checkout === ground.repo ? repo : checkout,
    git: (...args) => run('git', args, { cwd: repo, env }),
  };
}

/** A line of the agents' own log. */
export type AgentLine = {
  readonly word: 'start' | 'end';
  readonly loop: string;
  readonly iteration: number;
};

/** What the agents of this checkout wrote down themselves, in its order; those of a copy of it do not count. */
export async function readAgentLog({
  agentLog,
  places,
}: Pick<Ground, 'agentLog' | 'places'>): Promise<readonly AgentLine[]> {
  const text = await readFile(agentLog, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [word, loop = '', iteration, , folder = ''] = line.split(' ');
    const isHere = places.some((place) => folder === place || folder.startsWith(`${place}/`));
    if (!isHere || (word !== 'start' && word !== 'end')) return [];
    return [{ word, loop, iteration: Number(iteration) }];
  });
}
