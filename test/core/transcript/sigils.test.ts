import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemPrompt } from '../../../src/core/prompt/system-prompt.ts';
import { extractSummary, parseSigils } from '../../../src/core/transcript/sigils.ts';
import { shows } from '../../support/shows.ts';

const nothing = {
  taskDone: null,
  taskFailed: null,
  nextModel: null,
  summary: null,
  failureReport: null,
  learnings: [],
  difficulty: null,
  retrySuggestion: null,
};

const report = (body: string) =>
  parseSigils(`<failure-report>${body}</failure-report>`).failureReport;

const learnings = (message: string) => parseSigils(message).learnings;

describe('parseSigils', () => {
  it('reads a whole final message', () => {
    shows(
      '001.sigil-form',
      '001.fr-fields',
      '001.fr-files-commas',
      '001.learning-attributes',
      '001.learning-several',
      '001.compat-not-versioned',
    );
    const message = `I tried.

<failure-report>
what_tried: Created all tables in one migration
why_failed: The foreign key came before its table
error_category: dependency_error
relevant_files: src/db.ts, src/schema.ts
stack_trace: FOREIGN KEY constraint failed
    at Connection.execute (src/db.ts:45)
</failure-report>

<learning category="pitfall" tags="SQLite, foreign keys">
Create referenced tables first.
</learning>
<learning tags='git' category='tool_usage'>Use worktrees.</learning>

<difficulty-estimate> hard </difficulty-estimate>
<retry-suggestion>
Split the migration.
</retry-suggestion>
<next-model>large</next-model>
<summary>Nothing works yet.</summary>
<task-failed>t-0dfebf01</task-failed>
`;
    expect(parseSigils(message)).toEqual({
      taskDone: null,
      taskFailed: 't-0dfebf01',
      nextModel: 'large',
      summary: 'Nothing works yet.',
      failureReport: {
        whatTried: 'Created all tables in one migration',
        whyFailed: 'The foreign key came before its table',
        errorCategory: 'dependency_error',
        relevantFiles: ['src/db.ts', 'src/schema.ts'],
        stackTrace: 'FOREIGN KEY constraint failed\n    at Connection.execute (src/db.ts:45)',
      },
      learnings: [
        {
          category: 'pitfall',
          tags: ['SQLite', 'foreign keys'],
          content: 'Create referenced tables first.',
        },
        { category: 'tool_usage', tags: ['git'], content: 'Use worktrees.' },
      ],
      difficulty: 'hard',
      retrySuggestion: 'Split the migration.',
    });
  });

  it('finds nothing in ordinary text', () => {
    shows('001.sigil-unknown-ignored');
    expect(parseSigils('')).toEqual(nothing);
    expect(parseSigils('a < b and <b>bold</b> </task-done>')).toEqual(nothing);
  });

  describe('task-done', () => {
    it.each([
      ['alone on its line', 'ok\n<task-done>t-1</task-done>\n', 't-1'],
      ['with blanks around', 'ok\n  <task-done> t-1 </task-done>\t\n', 't-1'],
      ['over several lines', '<task-done>\n  t-1\n</task-done>', 't-1'],
      ['with CRLF', 'ok\r\n<task-done>t-1</task-done>\r\nbye', 't-1'],
      ['with blanks inside the tag', '<task-done >t-1</task-done >', 't-1'],
      ['in a sentence', 'I would say <task-done>t-1</task-done> now', null],
      ['behind a list mark', '- <task-done>t-1</task-done>', null],
      ['quoted', '`<task-done>t-1</task-done>`', null],
      ['in a fence', '```\n<task-done>t-1</task-done>\n```\n', null],
      ['in a tilde fence', '~~~xml\n<task-done>t-1</task-done>\n~~~\n', null],
      [
        'in a fence inside a list',
        '1. so:\n   ```xml\n   <task-done>t-1</task-done>\n   ```',
        null,
      ],
      ['in a fence that is never closed', '```\n<task-done>t-1</task-done>', null],
      ['behind a fence', '```\n<task-done>t-0</task-done>\n```\n<task-done>t-1</task-done>', 't-1'],
      [
        'behind a longer fence',
        '````\n```\n<task-done>t-0</task-done>\n````\n<task-done>t-1</task-done>',
        't-1',
      ],
      ['empty', '<task-done> </task-done>', null],
      ['empty, then valid', '<task-done></task-done>\n<task-done>t-1</task-done>', 't-1'],
      ['with words inside', '<task-done>all of it</task-done>', null],
      ['not closed', '<task-done>t-1', null],
      [
        'mentioned, then meant',
        'I end with <task-done> when ready.\n<task-done>t-1</task-done>',
        't-1',
      ],
      ['twice', '<task-done>t-1</task-done>\n<task-done>t-2</task-done>', 't-1'],
      ['in capitals', '<TASK-DONE>t-1</TASK-DONE>', null],
    ])('%s', (_name, message, id) => {
      expect(parseSigils(message).taskDone).toBe(id);
    });
  });

  it('takes done and failed together as failed', () => {
    const sigils = parseSigils('<task-done>t-1</task-done>\n<task-failed>t-1</task-failed>');
    expect(sigils).toEqual({ ...nothing, taskFailed: 't-1' });
  });

  describe('failure-report', () => {
    it('needs what_tried and why_failed', () => {
      shows('001.fr-required', '001.fr-category-default', '001.fr-empty');
      expect(report('')).toBeNull();
      expect(report('\nwhat_tried: a\n')).toBeNull();
      expect(report('\nwhy_failed: b\n')).toBeNull();
      expect(report('\nwhat_tried: a\nwhy_failed: b\n')).toEqual({
        whatTried: 'a',
        whyFailed: 'b',
        errorCategory: 'unknown',
        relevantFiles: [],
        stackTrace: null,
      });
    });

    it('lets values go on until the next known key', () => {
      shows('001.fr-single-line');
      expect(
        report(`
          why_failed: the first line: with a colon
            the second line
          error: cannot find it
          what_tried:
            one thing
            and another
          relevant_files:
            - src/a.ts
            - src/b.ts, src/c.ts
        `),
      ).toEqual({
        whatTried: 'one thing\n            and another',
        whyFailed:
          'the first line: with a colon\n            the second line\n          error: cannot find it',
        errorCategory: 'unknown',
        relevantFiles: ['src/a.ts', 'src/b.ts', 'src/c.ts'],
        stackTrace: null,
      });
    });

    it('ignores fields it does not know and keeps categories it does not know', () => {
      shows('001.fr-unknown-fields');
      const found = report(
        '\nwhat_tried: a\nconfidence: low\nmore of it\nwhy_failed: b\nerror_category: cosmic_ray\n',
      );
      expect(found).toMatchObject({ whatTried: 'a', whyFailed: 'b', errorCategory: 'cosmic_ray' });
    });

    it('cuts the stack at 500 characters without splitting one', () => {
      const found = report(`\nwhat_tried: a\nwhy_failed: b\nstack_trace: ${'😀'.repeat(600)}\n`);
      expect(found?.stackTrace).toBe('😀'.repeat(500));
    });

    it('takes the first of a repeated key, and reads a list of files as it is written', () => {
      const read = report(
        'what_tried: x\nmore\nwhy_failed: y\nwhat_tried: again\nmore of it\nrelevant_files: ["a.ts", \'b.ts\', `c.ts`]',
      );
      expect(read).toMatchObject({
        whatTried: 'x\nmore',
        whyFailed: 'y',
        relevantFiles: ['a.ts', 'b.ts', 'c.ts'],
      });
    });

    it('takes the first valid one', () => {
      shows('001.sigil-first-wins');
      const message = `<failure-report>what_tried: x</failure-report>
<failure-report>
what_tried: a
why_failed: b
</failure-report>`;
      expect(parseSigils(message).failureReport).toMatchObject({ whatTried: 'a', whyFailed: 'b' });
    });
  });

  describe('learning', () => {
    it('skips what is malformed and goes on', () => {
      shows('001.learning-missing-attribute', '001.learning-empty', '001.learning-malformed');
      const good = '<learning category="pitfall" tags="a">text</learning>';
      expect(
        learnings(`<learning>no attributes</learning>
          <learning category="x">no tags</learning>
          <learning tags="x">no category</learning>
          <learning category="x" tags="y"></learning>
          <learning category=x tags=y>no quotes</learning>
          <learnings category="x" tags="y">other tag</learnings>
          ${good} <learning category="x" tags="y">not closed`),
      ).toEqual([{ category: 'pitfall', tags: ['a'], content: 'text' }]);
    });

    it('keeps categories it does not know, angle brackets in attributes, tags and code in the content', () => {
      shows('001.learning-unknown-category', '001.learning-tags-commas');
      expect(
        learnings(`<learning tags = "Vec<T>, a>b," category="wisdom">
Use <learning> tags like \`x < y\`.
\`\`\`
</learning>
\`\`\`
</learning>`),
      ).toEqual([
        {
          category: 'wisdom',
          tags: ['Vec<T>', 'a>b'],
          content: 'Use <learning> tags like `x < y`.\n```\n</learning>\n```',
        },
      ]);
    });
  });

  it.each([
    ['in a quoted line', '> <learning category="pitfall" tags="a">no</learning>'],
    ['in a comment', '<!-- <learning category="pitfall" tags="a">no</learning> -->'],
    ['in a comment of several lines', '<!--\n<retry-suggestion>no</retry-suggestion>\n-->'],
    ['behind a quotation mark', 'say "<retry-suggestion>no</retry-suggestion>"'],
    ['behind a typographic one', 'say “<retry-suggestion>no</retry-suggestion>”'],
    ['in indented code', 'So:\n\n    <learning category="pitfall" tags="a">no</learning>\n'],
    ['in indented code behind an empty line', 'So:\n\n    x\n\n    <task-done>t-1</task-done>\n'],
    ['in code indented by a tab', '\t<task-done>t-1</task-done>'],
    [
      'in a quote of several lines',
      '> <failure-report>\n> what_tried: a\n> why_failed: b\n> </failure-report>',
    ],
    [
      'in a failure report',
      '<failure-report>what_tried: a <learning category="x" tags="y">no</learning></failure-report>',
    ],
  ])('takes a tag %s for text', (_name, message) => {
    expect(parseSigils(message)).toEqual(nothing);
  });

  it.each([
    ['ends with inline code', 'Run `npm run gen`'],
    ['ends with a quotation', 'Say "please"'],
    ['speaks of its own tag', 'Close it with `</learning>` at the end.'],
    ['has a quoted line and a comment', 'So:\n> quoted\n<!-- x -->\nend'],
    ['has indented code', 'So:\n\n    code()'],
  ])('reads a learning that %s', (_name, content) => {
    const message = `Text.\n<learning category="pitfall" tags="a">${content}</learning>`;
    expect(learnings(message)).toEqual([{ category: 'pitfall', tags: ['a'], content }]);
  });

  it('reads what is indented in a list, behind a paragraph, or behind a comment that is not closed', () => {
    const tag = '<learning category="pitfall" tags="a">yes</learning>';
    for (const before of ['- item\n\n    ', '1. item\n    ', 'a paragraph\n    ', 'see <!-- \n']) {
      expect(learnings(before + tag)).toHaveLength(1);
    }
  });

  it('finds nothing in a message that repeats what the system prompt explains, with or without fences', () => {
    const prompt = systemPrompt({ taskId: 't-1' });
    expect(parseSigils(prompt)).toEqual(nothing);
    const bare = parseSigils(prompt.replaceAll('```', ''));
    // Both claims are there, and failure wins.
    expect(bare).toEqual({ ...nothing, taskFailed: 't-1' });
    expect(extractSummary(prompt.replaceAll('```', ''))).toBeNull();
  });

  it('takes the first valid difficulty', () => {
    shows('001.difficulty-first-valid');
    const message =
      '<difficulty-estimate>super</difficulty-estimate><difficulty-estimate>easy</difficulty-estimate>';
    expect(parseSigils(message).difficulty).toBe('easy');
  });

  it('never throws and is never fooled by code fences', () => {
    shows('001.sigil-malformed-absent');
    const pieces = fc.constantFrom(
      '<learning',
      ' category="',
      " tags='",
      '"',
      "'",
      '>',
      '</learning>',
      '<task-done>',
      't-1',
      '</task-done>',

      '\n',
      '```',
      '~~~',
      '`',
      ' ',
      '=',
      '<failure-report>',
      'what_tried:',
      'why_failed:',
      '</failure-report>',
    );
    const messages = fc
      .array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 5 })))
      .map((all) => all.join(''));
    fc.assert(
      fc.property(messages, (message) => {
        parseSigils(message);
        extractSummary(message);
        const fenced = parseSigils(`~~~~~~~~\n${message}`);
        expect(fenced).toEqual(message.includes('~~~~~~~~') ? fenced : nothing);
      }),
    );
  });

  it.each([
    '<learning',
    '<learning ',
    '<learning category="',
    '<learning category="x" tags=\'y\'>',
    '<learning a="<learning b=\'" c=\'" ',
    '</learning',
    '<task-done>x</task-done>',
    '<task-done> ',
    '<failure-report>what_tried:\n',
    '```\n',
    '`<',
    '`</learning',
    '"<learning',
    '<!--',
    '<!-- -->',
    '<!-- <learning',
    '> <learning ',
    '\n\n    <learning',
    '- item <learning\n',
    '<summary>\n',
    'Summary:\n',
  ])('reads a megabyte of %j in linear time', (piece) => {
    const message = piece.repeat(1_000_000 / piece.length);
    const started = performance.now();
    parseSigils(message);
    extractSummary(message);
    expect(performance.now() - started).toBeLessThan(1500);
  });

  it('reads a megabyte of <learning in milliseconds', () => {
    const message = '<learning'.repeat(1_000_000 / 9);
    parseSigils(message);
    const started = performance.now();
    parseSigils(message);
    expect(performance.now() - started).toBeLessThan(300);
  });
});

describe('extractSummary', () => {
  it.each([
    ['the sigil', '## Summary\nno\n<summary>yes</summary>', 'yes'],
    ['a second-level heading', 'x\n## Summary\n\n- one\n- two\n', '- one\n- two'],
    ['a third-level heading', '### Summary\ndone', 'done'],
    ['a label on its own line', 'Summary:\ndone', 'done'],
    ['a label with text behind', 'Summary: done\nmore', 'done\nmore'],
    ['a bold label', '**Summary:** done', 'done'],
    ['at most five lines', '## Summary\n1\n2\n3\n4\n5\n6', '1\n2\n3\n4\n5'],
    ['up to the next heading', '## Summary\n1\n\n## Next\n2', '1'],
    ['up to the sigils', '## Summary\n1\n<task-done>t-1</task-done>', '1'],
    ['the next heading when the first is empty', '## Summary\n## Summary\nyes', 'yes'],
  ])('takes %s', (_name, message, summary) => {
    expect(extractSummary(message)).toBe(summary);
  });

  it('is null without a summary, and blind to code', () => {
    shows('004.summary-absent');
    expect(extractSummary('I made a summary of things')).toBeNull();
    expect(extractSummary('```\n## Summary\nno\n```')).toBeNull();
    expect(extractSummary('')).toBeNull();
  });
});
