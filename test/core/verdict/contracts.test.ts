import { describe, expect, it } from 'vitest';
import { noChanges } from '../../../src/core/loop/changes.ts';
import {
  judgeForbidden,
  judgeNaming,
  judgeRequired,
  judgeRule,
  writtenPaths,
  type ContentRule,
} from '../../../src/core/verdict/contracts.ts';
import { defaultSettings } from '../../../src/core/config/schema.ts';
import { schemaProblems } from '../../../src/core/verdict/json-schema.ts';

const matches = (pattern: string, text: string) => new RegExp(pattern).test(text);
const { forbidden } = defaultSettings().verify.contracts;

describe('required files', () => {
  it('are paths or globs, and each needs one file', () => {
    const files = ['src/a.ts', 'docs/guide/x.md'];
    expect(judgeRequired(['src/a.ts', 'docs/**/*.md'], files).passed).toBe(true);
    expect(judgeRequired(['src/b.ts', 'docs/**'], files)).toMatchObject({
      passed: false,
      reason: '1 required file is missing: src/b.ts',
      output: 'missing: src/b.ts',
    });
  });
});

describe('forbidden files', () => {
  it('are secrets by default, wherever they are', () => {
    for (const file of ['.env', 'app/.env.local', 'tls/server.pem', 'a/secrets/x', 'id.key'])
      expect({ file, passed: judgeForbidden(forbidden, [], [file]).passed }).toEqual({
        file,
        passed: false,
      });
  });

  it('leave examples and what is allowed alone', () => {
    expect(judgeForbidden(forbidden, [], ['.env.example', 'src/env.ts']).passed).toBe(true);
    expect(judgeForbidden(forbidden, ['test/**'], ['test/tls/ca.pem']).passed).toBe(true);
  });

  it('count only as the loop left them', () => {
    const changes = { ...noChanges, deleted: ['.env'], renamed: [{ from: '.env', to: 'x.ts' }] };
    expect(writtenPaths(changes)).toEqual(['x.ts']);
  });
});

describe('naming', () => {
  it('is about the last part of the path', () => {
    const naming = [{ files: 'src/**', pattern: '^[a-z-]+\\.ts$' }];
    expect(judgeNaming(naming, ['src/A/good-name.ts', 'lib/Bad.ts'], matches).passed).toBe(true);
    expect(judgeNaming(naming, ['src/Bad.ts'], matches)).toMatchObject({
      passed: false,
      reason: 'src/Bad.ts: its name does not match ^[a-z-]+\\.ts$',
    });
  });

  it('fails when matching takes too long', () => {
    const naming = [{ files: 'src/**', pattern: 'x' }];
    expect(judgeNaming(naming, ['src/x'], () => null).passed).toBe(false);
  });
});

describe('rules for content', () => {
  const data = { name: 'x', list: [{ on: true }], none: null };
  const judge = (rule: ContentRule, text: string | null = JSON.stringify(data)) =>
    judgeRule(rule, 0, {
      text,
      data,
      problem: null,
      matches,
      schemaProblems: () => schemaProblems({ type: 'object', required: ['id'] }, data),
    });
  const file = 'package.json';

  it.each([
    [{ rule: 'has_field', file, field: 'list.0.on' }, null],
    [{ rule: 'has_field', file, field: 'list.1' }, 'has no field list.1'],
    [{ rule: 'has_field', file, field: '__proto__' }, 'has no field __proto__'],
    [{ rule: 'field_type', file, field: 'list', type: 'array' }, null],
    [{ rule: 'field_type', file, field: 'none', type: 'null' }, null],
    [
      { rule: 'field_type', file, field: 'name', type: 'number' },
      'the field name is string, not number',
    ],
    [{ rule: 'matches_regex', file, pattern: '"name":"x"' }, null],
    [{ rule: 'matches_regex', file, field: 'name', pattern: '^y$' }, 'does not match ^y$'],
    [{ rule: 'json_schema', file, schema: 's.json' }, 'the value has no field id'],
  ] as readonly (readonly [ContentRule, string | null])[])('%o gives %s', (rule, problem) => {
    const check = judge(rule);
    expect(check.passed).toBe(problem === null);
    if (problem !== null) expect(check.reason).toBe(`${file}: ${problem}`);
  });

  it('fail for a file that is gone', () => {
    const rule: ContentRule = { rule: 'has_field', file, field: 'name' };
    expect(judge(rule, null).reason).toBe('package.json: does not exist');
  });
});
