import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProgressStrategy } from '../../src/core/progress/registry.ts';
import { entry } from '../core/progress/entry.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';
import { filesBelow, promptOf, runLoop } from './loop-run.ts';

const addLine = 'echo x >> n.txt';
const validate =
  'echo "lines: $(wc -l < n.txt)"; echo "to stderr" >&2; test "$(wc -l < n.txt)" -ge 3';

describe('progress of a real loop', () => {
  it('has an entry for every iteration, the passing one too, with what the engine measured', async () => {
    shows(
      '000.in-the-loop',
      '000.entry-fields',
      '000.record-every-iteration',
      '000.recorded-after-validation',
      '000.stored-after-each-iteration',
    );
    await using run = await runLoop({ agent: `command:${addLine}`, validate });
    const { engine } = run.project;
    const stored = await engine.store.read((tx) => tx.loops.get(run.loop.id));
    expect(
      stored?.progress.map(({ durationMs, errorSummary: _error, ...rest }) => [
        durationMs >= 0,
        rest,
      ]),
    ).toEqual(
      [1, 2, 3].map((iteration) => [
        true,
        {
          iteration,
          command: validate,
          exitCode: iteration === 3 ? 0 : 1,
          filesChanged: ['n.txt'],
          stdout: `lines: ${iteration}\n`,
          stderr: 'to stderr\n',
        },
      ]),
    );
    // One fact per iteration carries its entry: none waits for a later one.
    const events = await engine.store.read((tx) => tx.loops.events(run.loop.id, 0, 1000));
    const ended = events.flatMap(({ event }) =>
      event.type === 'iteration.ended' ? [event.progress?.iteration] : [],
    );
    expect(ended).toEqual([1, 2, 3]);
  });

  it('is in the next prompt, and in no file of the worktree or beside the store', async () => {
    shows('000.output-in-next-prompt', '000.no-file', '000.check-real-loop');
    await using run = await runLoop({
      agent: `command:${addLine}`,
      validate: `${validate}; false`,
      'max-iterations': 2,
    });
    expect(await run.prompt(1)).not.toContain('## Previous Iterations');
    const second = await run.prompt(2);
    expect(second).toContain('## Iteration 1\n**Command:**');
    expect(second).toMatch(/\*\*Output:\*\*\n```\nlines: 1\nto stderr\n```/);
    expect(await filesBelow(run.loop.workspace.path)).toEqual([
      'README.md',
      'n.txt',
      'src',
      'src/app.js',
    ]);
    const state = await readdir(path.join(run.repo.path, '.loopwright'), { recursive: true });
    expect(state.filter((name) => name.includes('progress'))).toEqual([]);
  });

  it('asks no model: one start of the agent per iteration, and one more with llm-summary', async () => {
    shows('000.no-extra-call', '000.system-captured-default');
    const agent = `command:echo started >> "$HOME/starts"; ${addLine}`;
    const startsWith = async (config: string) => {
      await using run = await runLoop(
        { agent, validate: 'false', 'max-iterations': 2, 'pass-env': 'HOME' },
        config,
      );
      const text = await readFile(path.join(run.repo.env['HOME'] ?? '', 'starts'), 'utf8');
      return text.trim().split('\n').length;
    };
    expect(await startsWith('')).toBe(2);
    expect(await startsWith('progress: { strategy: llm-summary }\n')).toBe(4);
  });

  it('goes on after the process is gone, with every earlier iteration', async () => {
    shows('000.persisted-with-iteration', '000.restore-clears');
    await using repo = await gitRepo();
    const stop = `test "$LOOPWRIGHT_ITERATION" = 2 && echo '{"action":"stop","reason":"for now"}'`;
    await repo.write('loopwright.yml', `hooks: { post-iteration: [${JSON.stringify(stop)}] }\n`);
    await repo.commitAll('configuration');
    const flags = {
      agent: `command:${addLine}`,
      validate: `${validate}; false`,
      'max-iterations': 3,
    };
    const first = await openedProject(repo, flags);
    const loop = await first.runText('count');
    expect(loop).toMatchObject({ status: 'stopped' });
    await first[Symbol.asyncDispose]();
    await using second = await openedProject(repo, flags);
    await second.resume(loop.id);
    const third = await promptOf(second, loop, 3);
    expect(third.match(/## Iteration \d/g)).toEqual(['## Iteration 1', '## Iteration 2']);
    expect(third).toContain('lines: 1');
    expect(third).toContain('lines: 2');
  });

  it('keeps as many entries and characters as configured', async () => {
    shows('000.limits-from-config');
    await using run = await runLoop(
      {
        agent: `command:${addLine}`,
        validate: 'echo aaaaaaaaaabbbbbbbbbb; false',
        'max-iterations': 4,
      },
      'progress: { max-entries: 2, max-chars: 10 }\n',
    );
    const fourth = await run.prompt(4);
    expect(fourth.match(/## Iteration \d/g)).toEqual(['## Iteration 2', '## Iteration 3']);
    expect(fourth).toContain('```\n...[truncated]...\nbbbbbbbbbb\n```');
  });
});

describe('a progress strategy as the document tests it', () => {
  it('keeps five entries of 500 characters unless told otherwise', () => {
    shows('000.five-entries', '000.five-hundred-chars', '000.default-without-name');
    const progress = createProgressStrategy();
    for (const iteration of [1, 2, 3, 4, 5, 6]) {
      progress.record(entry({ iteration, stdout: `${'a'.repeat(10)}${'b'.repeat(500)}` }));
    }
    expect(progress.name).toBe('system-captured');
    expect(progress.get().match(/## Iteration \d/g)).toHaveLength(5);
    expect(progress.get()).not.toContain('a\n');
    expect(progress.get().split(`...[truncated]...\n${'b'.repeat(500)}\n`)).toHaveLength(6);
  });

  it('contains number, exit code and output of what was recorded, also when read back', () => {
    shows('000.check-records', '000.check-persisted');
    const progress = createProgressStrategy();
    const text = progress.record(entry({ stdout: 'FAILED: test_foo' }));
    for (const part of ['Iteration 1', '**Exit code:** 1', 'FAILED: test_foo']) {
      expect(text).toContain(part);
    }
    expect(progress.length).toBe(1);
    const restored = createProgressStrategy();
    restored.restore(progress.serialise());
    expect(restored.get()).toBe(text);
  });

  it('is indented JSON of all entries when it is structured', () => {
    shows('000.structured-text');
    const progress = createProgressStrategy({ name: 'structured' });
    for (const iteration of [1, 2]) progress.record(entry({ iteration }));
    const parsed = JSON.parse(progress.get());
    expect(parsed).toHaveLength(2);
    expect(progress.get()).toBe(JSON.stringify(parsed, null, 2));
  });
});
