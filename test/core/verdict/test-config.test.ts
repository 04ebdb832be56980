import { describe, expect, it } from 'vitest';
import { isTestConfig, weakenedConfig } from '../../../src/core/verdict/test-config.ts';

const texts = (path: string, before: string | null, after: string | null) =>
  weakenedConfig({ path, before, after }).map(({ text }) => text);

describe('configuration of runners', () => {
  it.each([
    [
      'vitest.config.ts',
      'thresholds: { lines: 80 }',
      'thresholds: { lines: 10 }',
      'vitest.config.ts lowers the threshold for `lines` from 80 to 10',
    ],
    [
      '.nycrc',
      '{ "branches": 90 }',
      '{}',
      '.nycrc has no threshold for `branches` any more (it was 90)',
    ],
    [
      'jest.config.js',
      '({})',
      "({ testPathIgnorePatterns: ['a'] })",
      'jest.config.js has a new `testPathIgnorePatterns`',
    ],
    [
      'jest.config.js',
      "({ testMatch: ['**/*.js'] })",
      "({ testMatch: ['a.js'] })",
      'jest.config.js has another `testMatch`',
    ],
    [
      'pyproject.toml',
      'fail_under = 95',
      '# fail_under = 95',
      'pyproject.toml has no threshold for `fail_under` any more (it was 95)',
    ],
    [
      'pytest.ini',
      '[pytest]\naddopts = -ra',
      '[pytest]\naddopts = -ra -k fast',
      'pytest.ini has another `addopts`',
    ],
    [
      'conftest.py',
      '',
      'def pytest_collection_modifyitems(items): pass',
      'conftest.py has a new `pytest_collection_modifyitems`',
    ],
    ['Cargo.toml', '[lib]', '[lib]\ntest = false', 'Cargo.toml has a new `test = false`'],
    [
      'package.json',
      '{"jest":{"coverageThreshold":{"global":{"lines":80}}}}',
      '{"jest":{"coverageThreshold":{"global":{"lines":8}}}}',
      'package.json lowers the threshold for `lines` from 80 to 8',
    ],
    ['packages/a/.npmrc', null, 'script-shell=./x', 'packages/a/.npmrc has a new `script-shell`'],
  ])('%s: %s → %s', (path, before, after, expected) => {
    expect(texts(path, before, after)).toEqual([expected]);
  });

  it.each([
    ['vitest.config.ts', 'lines: 80', 'lines: 90'],
    ['package.json', '{"version":"1.0.0"}', '{"version":"1.0.1","dependencies":{"exclude":"1"}}'],
    ['package.json', '{"jest":{}}', '{ not json'],
    ['pyproject.toml', 'name = "a"', 'name = "b"'],
    ['src/app.ts', 'lines: 80', ''],
  ])('%s may change from %s to %s', (path, before, after) => {
    expect(texts(path, before, after)).toEqual([]);
  });

  it('is told from other files by name', () => {
    expect(['a/Makefile', 'x/package.json', 'vitest.config.mts'].every(isTestConfig)).toBe(true);
    expect(['src/make.ts', 'config.ts', 'package.jsonc'].some(isTestConfig)).toBe(false);
  });
});
