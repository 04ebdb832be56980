import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/adapters/sqlite/store.ts';
import {
  defaultMemoryBudget,
  renderMemory,
  type MemoryContext,
} from '../../src/core/memory/render-memory.ts';
import { selectModel, type ModelRequest } from '../../src/core/model/select-model.ts';
import { parseSigils } from '../../src/core/transcript/sigils.ts';
import { memoryCli } from '../cli/memory-cli.ts';
import { attempt, examples, learning, status } from '../core/memory/examples.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';
import { tempDir } from '../support/temp-dir.ts';
import { promptOf, runLoop } from './loop-run.ts';

const storeOf = (repo: GitRepo) => new DatabaseSync(path.join(repo.path, '.loopwright/state.db'));

const rowsOf = (database: DatabaseSync, sql: string) =>
  database
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }));

const learned = (text: string) => `<learning category="pitfall" tags="a">${text}</learning>`;

const suggested = (text: string) => `<retry-suggestion>${text}</retry-suggestion>\n`;

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('the tables of a new store', () => {
  it('have the columns, keys and indexes of the document', async () => {
    shows(
      '001.outcomes-columns',
      '001.outcomes-key',
      '001.outcomes-tokens-nullable',
      '001.outcomes-indexes',
      '001.reports-columns',
      '001.reports-key',
      '001.reports-indexes',
      '001.learnings-columns',
      '001.learnings-task-nullable',
      '001.learnings-indexes',
      '001.metrics-columns',
      '001.metrics-defaults',
      '001.metrics-one-row',
      '001.metrics-indexes',
    );
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    await using _store = await openStore(file);
    using database = new DatabaseSync(file, { readOnly: true });
    const columns = (table: string) =>
      rowsOf(database, `select name, "notnull", dflt_value, pk from pragma_table_info('${table}')`);
    const names = (table: string) => columns(table).map(({ name }) => name);
    const keys = (table: string) =>
      columns(table)
        .filter(({ pk }) => Number(pk) > 0)
        .map(({ name }) => name);
    const indexes = (table: string) =>
      rowsOf(database, `select name from pragma_index_list('${table}') where origin = 'c'`).map(
        ({ name }) =>
          rowsOf(database, `select name from pragma_index_info('${String(name)}')`)
            .map((column) => column['name'])
            .join(),
      );
    expect(names('iteration_outcomes')).toEqual(
      expect.arrayContaining([
        'task_id',
        'attempt_number',
        'model',
        'started_at',
        'duration_ms',
        'tokens_input',
        'tokens_output',
        'outcome',
        'error_type',
      ]),
    );
    expect(keys('iteration_outcomes')).toEqual(['task_id', 'attempt_number']);
    const optional = columns('iteration_outcomes').filter((column) => column['notnull'] === 0);
    expect(optional.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['tokens_input', 'tokens_output', 'error_type']),
    );
    expect(indexes('iteration_outcomes')).toEqual(
      expect.arrayContaining(['task_id', 'started_at', 'model,outcome']),
    );
    expect(names('failure_reports')).toEqual(
      expect.arrayContaining([
        'task_id',
        'attempt_number',
        'what_was_tried',
        'why_it_failed',
        'error_category',
        'relevant_files',
        'stack_trace_snippet',
        'retry_suggestion',
        'created_at',
      ]),
    );
    expect(keys('failure_reports')).toEqual(['task_id', 'attempt_number']);
    expect(indexes('failure_reports')).toEqual(
      expect.arrayContaining(['task_id', 'error_category']),
    );
    expect(names('learnings')).toEqual(
      expect.arrayContaining([
        'id',
        'task_id',
        'category',
        'content',
        'relevance_tags',
        'created_at',
        'pruned_at',
        'superseded_by',
      ]),
    );
    const taskOfLearning = columns('learnings').find(({ name }) => name === 'task_id');
    expect(taskOfLearning?.['notnull']).toBe(0);
    expect(indexes('learnings')).toEqual(
      expect.arrayContaining(['task_id', 'created_at', 'pruned_at', 'category']),
    );
    expect(names('strategy_metrics')).toEqual(
      expect.arrayContaining([
        'task_id',
        'total_attempts',
        'consecutive_failures',
        'last_attempt_at',
        'last_success_at',
        'difficulty_estimate',
        'suggested_model',
        'stuck_flag',
      ]),
    );
    expect(keys('strategy_metrics')).toEqual(['task_id']);
    const defaults = columns('strategy_metrics').filter((column) => column['dflt_value'] !== null);
    expect(defaults.map((column) => [column['name'], column['dflt_value']])).toEqual([
      ['total_attempts', '0'],
      ['consecutive_failures', '0'],
      ['stuck_flag', '0'],
    ]);
    expect(indexes('strategy_metrics')).toEqual(
      expect.arrayContaining(['stuck_flag', 'consecutive_failures']),
    );
  });
});

/** Fails three times with a report, then passes with a learning. */
const fourTries = [
  'echo x >> n.txt',
  `cat <<'END'
<failure-report>
stack_trace: ${'s'.repeat(600)}
relevant_files: src/a.ts, src/b.ts
why_failed: the reason
what_tried: the approach
</failure-report>
<retry-suggestion>another way</retry-suggestion>
<difficulty-estimate>easy</difficulty-estimate>
<difficulty-estimate>hard</difficulty-estimate>
<learning category="pitfall" tags="src/a.ts, sqlite">Learned from try one to four.</learning>
END`,
].join('; ');

describe('what a real loop leaves in the store', () => {
  it('are rows as the document describes them', async () => {
    shows(
      '001.outcomes-attempt-from-one',
      '001.outcomes-iso-time',
      '001.reports-files-json',
      '001.reports-stack-500',
      '001.learnings-id',
      '001.learnings-tags-json',
      '001.metrics-total-grows',
      '001.metrics-counts-claims',
      '001.metrics-done-resets',
      '001.metrics-last-attempt',
      '001.fr-order-free',
      '001.fr-stored',
      '001.suggestion-stored',
      '001.difficulty-stored',
      '001.grows-with-iterations',
      '001.learning-from-success',
    );
    await using run = await runLoop({
      agent: `command:${fourTries}`,
      validate: 'test "$(wc -l < n.txt)" -ge 4',
      'no-progress-limit': 0,
    });
    expect(run.loop.status).toBe('complete');
    using database = storeOf(run.repo);
    const outcomes = rowsOf(database, 'select * from iteration_outcomes order by attempt_number');
    expect(outcomes.map((row) => [row['attempt_number'], row['outcome']])).toEqual([
      [1, 'no_sigil'],
      [2, 'no_sigil'],
      [3, 'no_sigil'],
      [4, 'done'],
    ]);
    for (const row of outcomes) expect(row['started_at']).toMatch(isoTime);
    const reports = rowsOf(database, 'select * from failure_reports order by attempt_number');
    expect(reports).toHaveLength(3);
    expect(reports[2]).toMatchObject({
      attempt_number: 3,
      what_was_tried: 'the approach',
      why_it_failed: 'the reason',
      relevant_files: '["src/a.ts","src/b.ts"]',
      stack_trace_snippet: 's'.repeat(500),
      retry_suggestion: 'another way',
    });
    const learnings = rowsOf(database, 'select * from learnings');
    expect(learnings).toMatchObject([
      { task_id: run.loop.taskId, relevance_tags: '["src/a.ts","sqlite"]', pruned_at: null },
    ]);
    expect(learnings[0]?.['id']).toMatch(/^l-[0-9a-f]{6}$/);
    const [metrics] = rowsOf(database, 'select * from strategy_metrics');
    expect(metrics).toMatchObject({
      total_attempts: 4,
      consecutive_failures: 0,
      difficulty_estimate: 'easy',
      suggested_model: 'default',
      stuck_flag: 0,
    });
    expect(metrics?.['last_attempt_at']).toMatch(isoTime);
    expect(metrics?.['last_success_at']).toMatch(isoTime);
  });

  it('is stuck at three failures, and says when it was tried', async () => {
    shows('001.metrics-failure-raises', '001.metrics-stuck-at-three', '001.difficulty-absent-null');
    await using run = await runLoop({
      agent: 'command:echo x >> n.txt',
      validate: 'false',
      'max-iterations': 3,
    });
    using database = storeOf(run.repo);
    expect(rowsOf(database, 'select * from strategy_metrics')).toMatchObject([
      {
        total_attempts: 3,
        consecutive_failures: 3,
        stuck_flag: 1,
        last_success_at: null,
        suggested_model: null,
        difficulty_estimate: null,
      },
    ]);
  });

  it('is all of an iteration or nothing of it', async () => {
    shows('001.one-transaction', '001.one-database');
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: `command:${fourTries}`,
      validate: 'false',
      'max-iterations': 1,
    });
    using database = storeOf(repo);
    database.exec(
      "create trigger refuse before insert on learnings begin select raise(abort, 'refused'); end",
    );
    await expect(project.runText('fail to remember')).rejects.toThrow('refused');
    expect(rowsOf(database, 'select 1 from iteration_outcomes')).toEqual([]);
    const types = rowsOf(database, 'select type from events').map(({ type }) => type);
    expect(types).toContain('agent.ended');
    expect(types).not.toContain('iteration.ended');
  });

  it('is what the final message says, not what tools printed', async () => {
    shows('001.sigil-in-result');
    await using repo = await gitRepo();
    const script = path.join(repo.outside, 'agent.yml');
    const step = { run: `echo '${learned('From a tool.')}'; echo x > n.txt` };
    const iterations = [{ steps: [step], final: learned('From the end.') }];
    await writeFile(script, JSON.stringify({ iterations }));
    await using project = await openedProject(repo, {
      agent: `scripted:${script}`,
      validate: 'test -f n.txt',
    });
    await project.runText('talk');
    const learnings = await project.engine.store.read((tx) => tx.learnings.list({}));
    expect(learnings.map(({ content }) => content)).toEqual(['From the end.']);
  });

  it('counts failures without their reports', async () => {
    shows('001.count-from-metrics');
    await using repo = await gitRepo();
    await repo.write(
      'loopwright.yml',
      [
        'agents: { mine: { command: "echo x >> n.txt" } }',
        'models: { mine: { small: tiny, medium: middling, large: huge } }',
        'limits: { max-iterations: 2 }',
        '',
      ].join('\n'),
    );
    await repo.commitAll('configuration');
    await using project = await openedProject(repo, { agent: 'mine', validate: 'false' });
    const first = await project.runText('fail');
    using database = storeOf(repo);
    database.exec('delete from failure_reports');
    const [again] = await project.runTask(first.taskId);
    expect(again?.iterations[0]).toMatchObject({
      model: 'huge',
      modelReason: 'escalated after 2 consecutive failures',
    });
  });
});

describe('memory in the prompt of a real loop', () => {
  it('warns after as many failures as are configured', async () => {
    shows('001.stuck-configurable');
    await using run = await runLoop(
      { agent: 'command:echo x >> n.txt', validate: 'false', 'max-iterations': 2 },
      'memory: { stuck-after: 1 }\n',
    );
    expect(await run.prompt(1)).not.toContain('Stuck loop detected');
    expect(await run.prompt(2)).toContain('This task has failed 1+ times consecutively.');
  });

  it('stays within the configured budget', async () => {
    shows('001.budget-configurable');
    const agent = `command:echo x >> n.txt; echo '<failure-report>'; echo 'what_tried: ${'try '.repeat(100)}'; echo 'why_failed: ${'why '.repeat(100)}'; echo '</failure-report>'`;
    const sizeWith = async (config: string) => {
      await using run = await runLoop({ agent, validate: 'false', 'max-iterations': 2 }, config);
      const text = await run.prompt(2);
      const from = text.indexOf('### Previous Attempts');
      return text.indexOf('## Previous Iterations', from) - from;
    };
    expect(await sizeWith('memory: { budget-chars: 600 }\n')).toBeLessThanOrEqual(602);
    expect(await sizeWith('')).toBeGreaterThan(700);
  });

  it('has at most five learnings, the most relevant of many', async () => {
    shows('001.learnings-max-five', '001.learnings-top-n');
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const lessons = [
      'Quotes nest in src/parser.ts, count their depth.',
      'A backslash before quotes is kept by src/parser.ts until the end.',
      'Single quotes never close double ones in src/parser.ts.',
      'The walrus token of src/parser.ts ends quotes early, escape it first.',
      'Unicode quotes reach src/parser.ts as three bytes.',
      'Empty quotes make src/parser.ts return null instead of text.',
      'Tests of src/parser.ts read quotes from fixtures, not from code.',
      'Line breaks inside quotes reset the column counter of src/parser.ts.',
    ];
    for (const text of lessons) {
      const added = await cli.run(
        'memory',
        'add',
        text,
        '--category',
        'pitfall',
        '--tags',
        'parser',
      );
      expect(added.exitCode).toBe(0);
    }
    await using project = await openedProject(repo, {
      agent: 'command:echo x >> n.txt',
      validate: 'false',
      'max-iterations': 1,
      holdout: 0,
    });
    const loop = await project.runText('fix quotes of the walrus token in src/parser.ts');
    const lines = (await promptOf(project, loop, 1)).match(/^- \*\*\[pitfall\]\*\* .*$/gm) ?? [];
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.length).toBeLessThanOrEqual(5);
    expect(lines[0]).toContain('walrus');
  });

  it('says unlimited without a maximum, and counts the session alone', async () => {
    shows('001.status-unlimited', '001.status-two-hours');
    await using repo = await gitRepo();
    const flags = { agent: 'command:echo x >> n.txt', validate: 'false' };
    const first = await openedProject(repo, { ...flags, 'max-iterations': 2 });
    const failed = await first.runText('count');
    expect(await promptOf(first, failed, 2)).toContain('**Run success rate:** 0/1 iterations');
    await first[Symbol.asyncDispose]();
    await using second = await openedProject(repo, {
      ...flags,
      validate: 'test -f n.txt',
      'max-iterations': 0,
    });
    const [loop] = await second.runTask(failed.taskId);
    const text = await promptOf(second, loop!, 1);
    expect(text).toContain('- **Iteration:** 1 of unlimited');
    expect(text).toContain('- **This task:** attempt #3, 2 consecutive failure(s)');
    expect(text).toContain('**Run success rate:** 0/0 iterations');
  });
});

/** Memory with one learning of this text. */
function context(text: string): MemoryContext {
  const learnings = [{ ...learning('l-000001'), content: text }];
  return { attempts: [], learnings, status, budget: defaultMemoryBudget };
}

describe('the budget', () => {
  it('has the numbers of the document', () => {
    shows('001.budget-total', '001.budget-attempts', '001.budget-learnings', '001.budget-status');
    expect(defaultMemoryBudget).toMatchObject({
      total: 5000,
      attempts: 3000,
      learnings: 1500,
      status: 500,
      minAttempts: 500,
      minLearnings: 300,
      minStatus: 200,
    });
  });

  it('reserves the minimum of each section', () => {
    shows('001.budget-overflow');
    const long = { whatTried: 'a'.repeat(900), whyFailed: 'b'.repeat(900) };
    const attempts = [1, 2, 3, 4].map((number) => attempt(number, long));
    const { text, injected } = renderMemory({
      attempts,
      learnings: [learning('l-000001')],
      status,
      budget: { ...defaultMemoryBudget, total: 1500 },
    });
    expect(injected).toContain('l-000001');
    expect(text).toContain('### Loop Status');
    expect(text).toContain('#### Attempt 4');
  });

  it('counts characters, not bytes', () => {
    shows('001.budget-chars');
    expect(renderMemory(context('é'.repeat(1200))).injected).toEqual(['l-000001']);
    expect(renderMemory(context('e'.repeat(1600))).injected).toEqual([]);
  });
});

describe('the memory of a stuck task', () => {
  const stuck = examples.find(({ name }) => name === 'stuck')!;
  const { text } = renderMemory(stuck.memory);

  it('tells of earlier attempts in the words of the document', () => {
    shows(
      '001.attempts-heading',
      '001.attempts-count-line',
      '001.attempt-heading',
      '001.attempt-approach',
      '001.attempt-why',
      '001.attempt-type',
      '001.attempt-files',
      '001.attempt-output',
      '001.attempts-oldest-first',
      '001.attempts-suggestion',
    );
    const [attempts = ''] = text.split('### Learnings');
    expect(attempts).toMatch(/^### Previous Attempts\n/);
    expect(attempts).toContain(
      'This task has been attempted 3 time(s) before. **Do not repeat these approaches.**',
    );
    expect(attempts.match(/^#### .*$/gm)).toEqual([
      '#### Attempt 1 (sonnet, failed)',
      '#### Attempt 2 (sonnet, failed)',
      '#### Attempt 3 (opus, failed)',
    ]);
    expect(attempts.slice(attempts.indexOf('#### Attempt 3'))).toBe(`#### Attempt 3 (opus, failed)

- **Approach:** Went section by section and followed every reference
- **Why it failed:** A code sample does not compile
- **Error type:** test_failure
- **Files involved:** specs/memory.md
- **Error output:**
  \`\`\`
  running spec_samples
  spec_samples::all_compile ... FAILED
  \`\`\`

**Suggested approach for this retry:**
Leave the prose alone; extract the samples and compile each of them.

`);
  });

  it('lists learnings and the state of the loop, each under its heading', () => {
    shows(
      '001.sections-apart',
      '001.learnings-heading',
      '001.learnings-line',
      '001.status-heading',
      '001.status-iteration',
      '001.status-task',
      '001.status-rate',
      '001.status-model',
      '001.status-stuck',
    );
    expect(text.match(/^### .*$/gm)).toEqual([
      '### Previous Attempts',
      '### Learnings from Previous Iterations',
      '### Loop Status',
    ]);
    expect(text).toContain(
      '\n- **[pitfall]** Samples in the specification are compiled by its own test.\n',
    );
    const state = text.slice(text.indexOf('### Loop Status'));
    expect(state.match(/^- .*$/gm)).toEqual([
      '- **Iteration:** 12 of 20',
      '- **This task:** attempt #4, 3 consecutive failure(s)',
      '- **Run success rate:** 6/11 iterations succeeded (55%)',
      '- **Current model:** opus (escalated after 3 consecutive failures)',
    ]);
    expect(state).toContain('> ⚠️ **Stuck loop detected.** This task has failed 3+ times');
    const alone = renderMemory({ ...stuck.memory, attempts: [] }).text;
    expect(alone.match(/^### .*$/gm)).toEqual([
      '### Learnings from Previous Iterations',
      '### Loop Status',
    ]);
  });

  it('has no suggestion when the newest attempt made none', () => {
    shows('001.suggestion-absent');
    const attempts = [attempt(1, { retrySuggestion: 'old' }), attempt(2)];
    const rendered = renderMemory({ ...stuck.memory, attempts }).text;
    expect(rendered).toContain('#### Attempt 2');
    expect(rendered).not.toContain('Suggested approach');
  });
});

function choose(change: Partial<ModelRequest>, name: ModelRequest['strategy']['name']) {
  const strategy = { name, 'allow-next-model': true, allowed: [] };
  const tiers = { small: 'haiku', medium: 'sonnet', large: 'opus' };
  const run = { total: 0, successes: 0 };
  const plain = { strategy, tiers, run, iteration: 1, consecutiveFailures: 0 };
  const { model, reason } = selectModel({ ...plain, ...change });
  return { model, reason };
}

/** The model for a task like one that ended so. */
function similar(isDone: boolean, difficulty: 'easy' | 'hard', model: string | null) {
  const tasks = [{ id: 't-1', isDone, difficulty, model }];
  return choose({ similar: tasks }, 'cost-optimized').model;
}

describe('the model of the next iteration', () => {
  it('is chosen from the counters of the task and the run', () => {
    shows(
      '001.metrics-choose-model',
      '001.good-run-smaller-model',
      '001.reason-default',
      '001.reason-escalated',
    );
    expect(choose({}, 'cost-optimized')).toEqual({
      model: 'sonnet',
      reason: 'default, cost-optimized strategy',
    });
    expect(choose({ consecutiveFailures: 2 }, 'cost-optimized')).toEqual({
      model: 'opus',
      reason: 'escalated after 2 consecutive failures',
    });
    const good = choose({ run: { total: 10, successes: 9 } }, 'cost-optimized');
    expect(good.model).toBe('haiku');
  });

  it('may be hinted, or follow a plan', () => {
    shows('001.reason-hinted', '001.reason-plan');
    expect(choose({ hint: 'large' }, 'cost-optimized')).toEqual({
      model: 'opus',
      reason: 'hinted by previous iteration',
    });
    expect(choose({ iteration: 2 }, 'plan-then-execute')).toEqual({
      model: 'sonnet',
      reason: 'plan-then-execute: execution phase',
    });
  });

  it('takes the difficulty of similar tasks into account', () => {
    shows('001.difficulty-informs-model', '001.hard-by-smaller', '001.hard-failed-escalates');
    expect(similar(true, 'hard', null)).toBe('opus');
    expect(similar(true, 'hard', 'haiku')).toBe('haiku');
    expect(similar(false, 'easy', null)).toBe('sonnet');
  });
});

describe('a difficulty', () => {
  it.each([
    ['trivial', 'trivial'],
    ['easy', 'easy'],
    ['moderate', 'moderate'],
    [' hard\n', 'hard'],
    ['blocked', 'blocked'],
    ['super-hard', null],
    ['', null],
  ])('of %j is %s', (text, expected) => {
    shows(
      '001.difficulty-values',
      '001.difficulty-invalid',
      '001.difficulty-empty',
      '001.sigil-whitespace',
    );
    const message = `<difficulty-estimate>${text}</difficulty-estimate>`;
    expect(parseSigils(message).difficulty).toBe(expected);
  });
});

describe('a suggestion', () => {
  it('is free text, the first one that says something', () => {
    shows('001.suggestion-text', '001.suggestion-empty', '001.suggestion-first');
    expect(parseSigils(suggested(' \n')).retrySuggestion).toBeNull();
    const message = `${suggested('')}${suggested('\nSplit it: first a, then b.\n')}${suggested('other')}`;
    expect(parseSigils(message).retrySuggestion).toBe('Split it: first a, then b.');
  });
});
