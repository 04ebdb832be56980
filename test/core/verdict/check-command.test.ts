import { describe, expect, it } from 'vitest';
import {
  startedCommands,
  toolPaths,
  validatorWords,
} from '../../../src/core/verdict/check-command.ts';

const scripts = (entries: Readonly<Record<string, string>>) => JSON.stringify({ scripts: entries });

describe('commands of the checks', () => {
  it('start scripts, and scripts of scripts', () => {
    const packageJson = scripts({
      test: 'npm run -s unit && make lint',
      unit: 'node --test',
      preunit: 'sh prepare.sh',
      other: 'true',
    });
    const makefile = '.PHONY: lint\nlint: deps\n\toxlint .\n\nother:\n\ttrue\n';
    expect(startedCommands(['npm test'], { packageJson, makefile })).toEqual([
      'npm test',
      'npm run -s unit && make lint',
      'sh prepare.sh',
      'node --test',
      'lint: deps\n\toxlint .',
    ]);
  });

  it.each([
    ['npm test', ['a']],
    ['npm t -- --watch=false', ['a']],
    ['CI=1 pnpm run test', ['a']],
    ['yarn test', ['a']],
    ['npm run build && npm test', ['b', 'a']],
    ['npm ci', []],
    ['node --test', []],
  ])('%s starts the scripts %j', (command, expected) => {
    const packageJson = scripts({ test: 'a', build: 'b' });
    const started = startedCommands([command], { packageJson, makefile: null });
    expect(started.slice(1)).toEqual(expected);
  });

  it.each([
    ['sh check.sh', ['check.sh']],
    ['./scripts/verify.mjs --all', ['scripts/verify.mjs']],
    ['bash test/run.sh', ['test/run.sh']],
    ['sh ./greet.sh | grep -q world', []],
    ['node src/checkout.js', []],
    ['node --test test/a.test.js', []],
    ['sh ../check.sh; sh /opt/check.sh', []],
  ])('%s is judged by the files %j', (command, expected) => {
    expect(validatorWords([command])).toEqual(expected);
  });

  it('name programs by a path into a folder of tools', () => {
    const commands = [
      '.venv/bin/pytest -q',
      './gradlew test',
      './greet.sh',
      'node_modules/.bin/vitest run',
    ];
    expect(toolPaths(commands)).toEqual([
      '.venv/bin/pytest',
      'gradlew',
      'node_modules/.bin/vitest',
    ]);
  });
});
