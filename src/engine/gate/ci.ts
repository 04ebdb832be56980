import { agentEnvironment } from '../../core/env/allow-list.ts';
import { lastIteration } from '../../core/loop/loop.ts';
import { readGitHub, readGitLab, type CiState } from '../../core/verdict/ci-state.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { failed, type LookAt } from './look.ts';

const lookMs = 60_000;
const keptBytes = 1024 * 1024;

/** Names of variables that sign the forge's CLI in; no check and no agent gets them. */
const signIn = ['GH_*', 'GITHUB_*', 'GLAB_*', 'GITLAB_*'];

type Forge = {
  argv(commit: string): readonly [string, ...string[]];
  read(json: string): CiState | null;
};

const forges: readonly Forge[] = [
  {
    argv: (commit) => [
      ...(['gh', 'run', 'list', '--commit', commit, '--limit', '100'] as const),
      '--json',
      'name,status,conclusion,url',
    ],
    read: readGitHub,
  },
  {
    argv: (commit) => ['glab', 'api', `projects/:fullpath/pipelines?sha=${commit}&per_page=100`],
    read: readGitLab,
  },
];

/**
 * What the forge says about the commit, through its own CLI in the user's checkout. Nothing is pushed here: that is a
 * hook's work. Runs that have not begun are waited for like those under way.
 */
export const lookAtCi: LookAt<'ci'> = async (engine, owner, gate) => {
  const { loop } = owner;
  if (loop.head === null) return failed('there is no commit to ask the forge about');
  const problems: string[] = [];
  for (const forge of forges) {
    const asked = await ask(engine, owner, forge, loop.head);
    if (asked === null) return { kind: 'cut' };
    if ('problem' in asked) {
      problems.push(asked.problem);
      continue;
    }
    const { state, command } = asked;
    if (state.kind === 'passed' || state.kind === 'failed') {
      return { kind: 'judged', passed: state.kind === 'passed', reason: state.text, command };
    }
    const text = state.kind === 'none' ? 'the forge knows no run for the commit yet' : state.text;
    const { now } = owner;
    const since = lastIteration(loop)?.ciSince ?? now;
    if (now - since >= gate.timeout) return failed(`not finished in time: ${text}`);
    return { kind: 'wait', until: now + gate['poll-interval'], text };
  }
  return failed(`the forge could not be asked: ${problems.join('; ')}`, problems.join('\n'));
};

type Asked = { readonly state: CiState; readonly command: string } | { readonly problem: string };

/** Null when it was cut short. */
async function ask(
  engine: Engine,
  { loop, cut }: LoopOwner,
  forge: Forge,
  commit: string,
): Promise<Asked | null> {
  const { pass, set } = loop.settings.env;
  const argv = forge.argv(commit);
  const { end, stdoutTail, stderrTail } = await engine.supervisor.run(
    {
      argv,
      cwd: engine.project.root,
      env: agentEnvironment(engine.env, { pass: [...pass, ...signIn], set, reserved: {} }),
      stdin: null,
      stdoutFile: null,
      stderrFile: null,
      tailBytes: keptBytes,
      timeoutMs: lookMs,
      graceMs: 2000,
    },
    {},
    cut,
  );
  const [program] = argv;
  if (end.kind === 'cancelled') return null;
  if (end.kind === 'not-started') return { problem: `${program} is not there` };
  if (end.kind !== 'exited' || end.code !== 0) {
    const said = stderrTail.trim().split('\n').at(-1) ?? '';
    return { problem: `${program} failed${said === '' ? '' : `: ${said}`}` };
  }
  const state = forge.read(stdoutTail);
  if (state === null) return { problem: `${program} said something unreadable` };
  return { state, command: argv.join(' ') };
}
