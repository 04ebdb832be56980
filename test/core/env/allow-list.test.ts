import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  agentEnvironment,
  checkEnvironment,
  cleanEnvironment,
  looksSecret,
  roomEnvironment,
} from '../../../src/core/env/allow-list.ts';
import { reservedNames, reservedVariables } from '../../../src/core/env/reserved.ts';

const base = {
  PATH: '/bin',
  HOME: '/home/ann',
  USER: 'ann',
  LOGNAME: 'ann',
  SHELL: '/bin/zsh',
  TZ: 'Europe/Berlin',
  LANG: 'de_DE.UTF-8',
  LC_ALL: 'C',
  TMPDIR: '/var/tmp',
  TERM: 'xterm-256color',
  XDG_CONFIG_HOME: '/home/ann/.config',
  HTTPS_PROXY: 'http://proxy:3128',
  ANTHROPIC_API_KEY: 'sk-1',
  AWS_REGION: 'eu-1',
  AWS_SECRET_ACCESS_KEY: 'aws',
  EDITOR: 'vi',
  LOOPWRIGHT_AGENT: 'claude',
  LOOPWRIGHT_LOOP: 'loop-outer',
  UNSET: undefined,
};
const none = { pass: [], set: {}, reserved: {} };
const common = {
  PATH: '/bin',
  HOME: '/home/ann',
  USER: 'ann',
  LOGNAME: 'ann',
  SHELL: '/bin/zsh',
  TZ: 'Europe/Berlin',
  LANG: 'de_DE.UTF-8',
  LC_ALL: 'C',
  TMPDIR: '/var/tmp',
  TERM: 'dumb',
  XDG_CONFIG_HOME: '/home/ann/.config',
};

test('agents get the allow-list and the way to the network, nothing else', () => {
  expect(agentEnvironment(base, none)).toEqual({ ...common, HTTPS_PROXY: 'http://proxy:3128' });
});

test('checks get the allow-list and are told that nobody watches', () => {
  expect(checkEnvironment(base, none)).toEqual({
    ...common,
    CI: 'true',
    PYTHONDONTWRITEBYTECODE: '1',
  });
});

test('without PATH there is a usual one', () => {
  expect(agentEnvironment({}, none)).toEqual({
    PATH: '/usr/local/bin:/usr/bin:/bin',
    TERM: 'dumb',
  });
});

describe('a clean place', () => {
  const folders = { home: '/room/home', temporary: '/room/tmp' };

  test('has a home of its own, and of the user only where programs are and the language', () => {
    expect(cleanEnvironment(base, none, folders)).toEqual({
      PATH: '/bin',
      TZ: 'Europe/Berlin',
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'C',
      TERM: 'dumb',
      HOME: '/room/home',
      TMPDIR: '/room/tmp',
      CI: 'true',
    });
  });

  test('of a confirmation has what checks are given by a pattern, but no key and no other home', () => {
    const given = roomEnvironment(base, { ...none, pass: ['AWS_*', 'XDG_*', '*'] }, folders);
    expect(given).toMatchObject({ AWS_REGION: 'eu-1', EDITOR: 'vi', HOME: '/room/home' });
    expect(Object.keys(given)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/SECRET|API_KEY|XDG|LOOPWRIGHT/)]),
    );
  });
});

describe('what the user hands on', () => {
  test.each([
    { pass: ['EDITOR'], name: 'EDITOR', agent: true, check: true },
    { pass: ['AWS_*'], name: 'AWS_REGION', agent: true, check: true },
    { pass: ['AWS_*'], name: 'AWS_SECRET_ACCESS_KEY', agent: true, check: false },
    { pass: ['*'], name: 'ANTHROPIC_API_KEY', agent: true, check: false },
    { pass: ['ANTHROPIC_API_KEY'], name: 'ANTHROPIC_API_KEY', agent: true, check: true },
    { pass: ['*'], name: 'LOOPWRIGHT_AGENT', agent: false, check: false },
    { pass: ['LOOPWRIGHT_AGENT'], name: 'LOOPWRIGHT_AGENT', agent: true, check: true },
    { pass: ['LOOPWRIGHT_LOOP', '*'], name: 'LOOPWRIGHT_LOOP', agent: false, check: false },
    { pass: ['E?ITOR'], name: 'EDITOR', agent: true, check: true },
    { pass: ['*'], name: 'UNSET', agent: false, check: false },
  ])('$pass: $name', ({ pass, name, agent, check }) => {
    expect(name in agentEnvironment(base, { ...none, pass })).toBe(agent);
    expect(name in checkEnvironment(base, { ...none, pass })).toBe(check);
  });

  test('a terminal type reaches them only when named', () => {
    expect(agentEnvironment(base, { ...none, pass: ['*'] })['TERM']).toBe('dumb');
    expect(agentEnvironment(base, { ...none, pass: ['TERM'] })['TERM']).toBe('xterm-256color');
  });

  test('set values win over handed on ones and over ours, reserved ones over all', () => {
    const rules = {
      pass: ['EDITOR'],
      set: { EDITOR: 'ed', CI: 'false', MY_TOKEN: 't', LOOPWRIGHT_TASK: 'forged' },
      reserved: { LOOPWRIGHT_TASK: 't-1' },
    };
    expect(checkEnvironment(base, rules)).toMatchObject({
      EDITOR: 'ed',
      CI: 'false',
      MY_TOKEN: 't',
      LOOPWRIGHT_TASK: 't-1',
    });
  });

  test('names no shell can hold are left out', () => {
    const odd = { 'A.B': '1', 'BASH_FUNC_f%%': '() { :; }', '': 'x', __proto__x: 'y' };
    expect(agentEnvironment(odd, { ...none, pass: ['*'] })).toEqual({
      PATH: '/usr/local/bin:/usr/bin:/bin',
      TERM: 'dumb',
      __proto__x: 'y',
    });
  });
});

test.each([
  ['OPENAI_API_KEY', true],
  ['GITHUB_TOKEN', true],
  ['PGPASSWORD', true],
  ['OPENAIKEY', true],
  ['SSH_AUTH_SOCK', true],
  ['db_password', true],
  ['GOOGLE_APPLICATION_CREDENTIALS', true],
  ['KEYBOARD', false],
  ['PWD', false],
  ['PATH', false],
  ['TOKENIZERS_PARALLELISM', false],
])('%s looks secret: %s', (name, expected) => {
  expect(looksSecret(name)).toBe(expected);
});

test('nothing reserved is ever inherited and no secret reaches a check by a pattern', () => {
  const names = fc.constantFrom(...reservedNames, 'A_KEY', 'TOKEN', 'X_SECRET', 'PLAIN');
  fc.assert(
    fc.property(
      fc.dictionary(names, fc.string()),
      fc.array(fc.constantFrom('*', '*_*', 'LOOP*')),
      (env, pass) => {
        const result = checkEnvironment(env, { ...none, pass });
        expect(
          Object.keys(result)
            .filter((name) => name !== 'PLAIN')
            .toSorted(),
        ).toEqual(['CI', 'PATH', 'PYTHONDONTWRITEBYTECODE', 'TERM']);
      },
    ),
  );
});

test('the reserved variables tell about the iteration and leave out what is unknown', () => {
  expect(
    reservedVariables({
      loopId: 'loop-1',
      taskId: 't-1',
      iteration: 3,
      maxIterations: 0,
      model: null,
      promptFile: '/p.md',
      home: null,
    }),
  ).toEqual({
    LOOPWRIGHT_LOOP: 'loop-1',
    LOOPWRIGHT_TASK: 't-1',
    LOOPWRIGHT_ITERATION: '3',
    LOOPWRIGHT_MAX_ITERATIONS: '0',
    LOOPWRIGHT_MODEL: 'default',
    LOOPWRIGHT_PROMPT_FILE: '/p.md',
  });
});
