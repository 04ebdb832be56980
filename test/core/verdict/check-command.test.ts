import { describe, expect, it } from 'vitest';
import {
  changedScripts,
  startedCommands,
  toolPaths,
  validatorWords,
} from '../../../src/core/verdict/check-command.ts';

const scripts = (entries: Readonly<Record<string, string>>) => JSON.stringify({ scripts: entries });
const changed = (before: string, after: string | null, ...commands: readonly string[]) =>
  changedScripts([{ path: 'package.json', before, after }], commands).map(({ subject }) => subject);

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
    ['npm test', ['test']],
    ['npm t -- --watch=false', ['test']],
    ['CI=1 pnpm run test', ['test']],
    ['yarn test', ['test']],
    ['npm run build && npm test', ['build', 'test']],
    ['npm ci', []],
    ['node --test', []],
  ])('%s uses the scripts %j', (command, expected) => {
    const before = scripts({ test: 'a', build: 'b' });
    const after = scripts({ test: 'A', build: 'B' });
    expect(changed(before, after, command).toSorted()).toEqual(expected);
  });

  it('see a script that is gone with its manifest, and hooks that are new', () => {
    expect(changed(scripts({ test: 'a' }), null, 'npm test')).toEqual(['test']);
    expect(
      changed(scripts({ test: 'a' }), scripts({ test: 'a', posttest: 'x' }), 'npm test'),
    ).toEqual(['posttest']);
  });

  it('see a changed rule of a makefile, and no other', () => {
    const before = 'test:\n\tgo test\n\nbuild:\n\tgo build\n';
    const file = (after: string) => [{ path: 'Makefile', before, after }];
    expect(changedScripts(file('test:\n\ttrue\n'), ['make test'])).toHaveLength(1);
    expect(changedScripts(file(before.replace('go build', 'true')), ['make test'])).toEqual([]);
    expect(changedScripts(file('test:\n\ttrue\n'), ['make'])).toHaveLength(1);
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
