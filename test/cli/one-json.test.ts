import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registry } from '../../src/cli/registry.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { greeter, neverPasses } from './agents.ts';
import { memoryCli } from './memory-cli.ts';

let repo: GitRepo;
let taskId = '';
beforeAll(async () => {
  repo = await gitRepo();
  const cli = memoryCli({ cwd: repo.path, env: repo.env });
  const agent = await greeter(repo);
  await cli.run('run', 'greet', ...agent);
  taskId = JSON.parse((await cli.run('task', 'add', 'another', '--json')).out).id;
  await cli.run('memory', 'add', 'tests need the flag --slow', '--tags', 'tests');
  await mkdir(path.join(repo.outside, 'new'), { recursive: true });
  await writeFile(path.join(repo.outside, 'plan.md'), '- [ ] imported\n');
  await writeFile(
    path.join(repo.outside, 'learned.jsonl'),
    '{"category":"other","content":"x y"}\n',
  );
}, 120_000);
afterAll(() => repo[Symbol.asyncDispose]());

/** Prints lines, one JSON object each: that is what it is for. */
const lines: ReadonlySet<string> = new Set(['events']);
/** An array is the result, as documented. */
const arrays: ReadonlySet<string> = new Set(['memory search']);

/** Words that let each command succeed, or fail for a reason of its own. A new command needs its line here. */
const words: Readonly<Record<string, () => readonly string[]>> = {
  'loop list': () => [],
  'loop show': () => ['last'],
  'loop explain': () => ['last'],
  'loop resume': () => ['last'],
  'loop pause': () => ['last'],
  'loop stop': () => ['last'],
  'loop cancel': () => ['last'],
  'loop rebase': () => ['last'],
  'loop clear-progress': () => ['last'],
  'loop delete': () => ['no-such-loop'],
  'loop diff': () => ['last'],
  'loop checkpoints': () => ['last'],
  'loop restore': () => ['last', '1'],
  logs: () => ['last'],
  events: () => ['last'],
  'receipt show': () => ['last'],
  'receipt verify': () => ['last'],
  share: () => ['last', 'a note'],
  query: () => ['last'],
  alert: () => ['last', 'a note'],
  pause: () => ['last'],
  resume: () => ['last'],
  stop: () => ['last'],
  'memory list': () => [],
  'memory journal': () => [],
  'memory show': () => ['no-such-learning'],
  'memory search': () => ['slow tests'],
  'memory stats': () => [],
  'memory add': () => ['something else is true'],
  'memory edit': () => ['no-such-learning', '--status', 'active'],
  'memory import': () => [path.join(repo.outside, 'learned.jsonl')],
  'memory export': () => [],
  'memory prune': () => ['--dry-run'],
  'memory forget': () => ['--loop', 'last'],
  'memory reset': () => [],
  'prompt render': () => [taskId],
  'parse tests': () => [],
  'parse sigils': () => [],
  completion: () => ['bash'],
  'config show': () => [],
  'config get': () => ['limits.max-iterations'],
  'config validate': () => [],
  'config schema': () => [],
  'agents check': () => ['scripted:agent.yml'],
  'agents list': () => [],
  judge: () => [],
  doctor: () => [],
  demo: () => ['--dir', path.join(repo.outside, 'demo')],
  init: () => [],
  'task add': () => ['one more'],
  'task list': () => [],
  'task show': () => [taskId],
  'task tree': () => [],
  'task next': () => [],
  'task edit': () => [taskId, '--priority', 'high'],
  'task deps': () => [taskId],
  'task done': () => [taskId],
  'task fail': () => ['no-such-task'],
  'task reset': () => ['no-such-task'],
  'task delete': () => ['no-such-task'],
  'task decompose': () => ['no-such-task'],
  'task import': () => [path.join(repo.outside, 'plan.md')],
  'task export': () => [],
  run: () => ['another try', ...neverPasses, '--max-iterations', '1'],
  status: () => [],
  approve: () => ['last'],
  reject: () => ['last', '--reason', 'no'],
  merge: () => ['last'],
  'daemon start': () => ['--no-such-option'],
  'daemon stop': () => [],
  'daemon status': () => [],
  guide: () => ['last', 'mind the gap'],
};

/** The words behind `__complete` are another command line's, `--json` among them. */
const names = registry.map((entry) => entry.path.join(' ')).filter((name) => name !== '__complete');

describe('--json', () => {
  it('is tried with every command', () => {
    expect(Object.keys(words).toSorted()).toEqual(names.toSorted());
  });

  it.each(names)(
    '%s prints exactly one object',
    async (name) => {
      const cli = memoryCli({ cwd: repo.path, env: repo.env, stdin: 'ok 1 - a\n1..1\n' });
      const { out } = await cli.run(...name.split(' '), ...(words[name]?.() ?? []), '--json');
      if (lines.has(name)) {
        for (const line of out.trimEnd().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
        return;
      }
      const result: unknown = JSON.parse(out);
      expect(result).toBeTypeOf('object');
      expect(result).not.toBeNull();
      expect(Array.isArray(result)).toBe(arrays.has(name));
      expect(out.endsWith('\n')).toBe(true);
    },
    60_000,
  );

  it.each(names)('%s prints exactly one object for words it does not know', async (name) => {
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const { out, exitCode } = await cli.run(...name.split(' '), '--no-such-option', '--json');
    expect(JSON.parse(out)).toEqual({
      error: { code: expect.any(String), message: expect.any(String), hint: expect.anything() },
      exitCode,
    });
    expect(exitCode).toBe(3);
  });

  it('holds for words that are no command, and for none', async () => {
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    for (const argv of [['no-such-command'], ['loop'], ['loop', 'no-such'], []]) {
      const { out } = await cli.run(...argv, '--json');
      expect([argv, typeof JSON.parse(out)]).toEqual([argv, 'object']);
    }
    for (const argv of [['--help'], ['--version'], ['run', '--help'], ['loop', '--help']]) {
      const { out } = await cli.run(...argv, '--json');
      expect([argv, typeof JSON.parse(out)]).toEqual([argv, 'object']);
    }
  });
});
