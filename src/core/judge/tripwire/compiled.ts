import { capitalised } from './name.ts';
import {
  high,
  low,
  testLines,
  type Neighbour,
  type Scene,
  type Snippet,
  type Template,
} from './template.ts';

const goTraps: readonly Snippet[] = [
  {
    says: `compares ${low} with ${high}`,
    body: [
      `got, want := ${low}, ${high}`,
      'if got != want {',
      '\tt.Errorf("got %d, want %d", got, want)',
      '}',
    ],
  },
  {
    says: 'compares two different texts',
    body: [
      'got, want := "abc", "abd"',
      'if got != want {',
      '\tt.Fatalf("got %s, want %s", got, want)',
      '}',
    ],
  },
  {
    says: 'compares two different slices',
    body: [`if !reflect.DeepEqual([]int{${low}}, []int{${high}}) {`, '\tt.Error("other")', '}'],
  },
  {
    says: 'has a part that fails',
    body: [
      't.Run("part", func(t *testing.T) {',
      '\tok := false',
      '\tif !ok {',
      '\t\tt.FailNow()',
      '\t}',
      '})',
    ],
  },
  { says: 'says that it fails', body: ['t.Fail()'] },
];

const go: Template = {
  runners: ['go test'],
  extensions: ['go'],
  fits: ({ path, text }) => path.endsWith('_test.go') && packageOf(text) !== null,
  loads: () => [],
  write: writeGo,
  perFolder: true,
  isWhole: true,
};

function packageOf(text: string): string | null {
  return /^package (\w+)/m.exec(text)?.[1] ?? null;
}

function writeGo({ neighbour: { text }, fails, passes }: Scene): string {
  const tags = text.split('\n').filter((line) => line.startsWith('//go:build '));
  const fine = [`if got := ${low}; got != ${low} {`, '\tt.Error("other")', '}'];
  return [
    ...(tags.length === 0 ? [] : [...tags, '']),
    `package ${packageOf(text)}`,
    '',
    'import (',
    '\t"reflect"',
    '\t"testing"',
    ')',
    ...goTraps.flatMap(({ says, body }) => goTest(fails(says), body)),
    ...goTest(passes('a test that compares equal values fails'), fine),
    '',
  ].join('\n');
}

function goTest(name: string, body: readonly string[]): readonly string[] {
  return testLines([`func Test${capitalised(name)}(t *testing.T) {`], body, '\t', ['}']);
}

const rustTraps: readonly Snippet[] = [
  {
    says: `compares ${low} with ${high}`,
    body: [`let (left, right) = (${low}, ${high});`, 'assert_eq!(left, right);'],
  },
  {
    says: 'compares two different texts',
    body: ['let (left, right) = ("abc", "abd");', 'assert_eq!(left, right);'],
  },
  {
    says: 'says that a value differs from itself',
    body: [`let left = ${low};`, `assert_ne!(left, ${low});`],
  },
  {
    says: 'asserts what is not true',
    body: [`let (left, right) = (${low}, ${high});`, 'assert!(left == right);'],
  },
  { says: 'panics', body: ['panic!("one");'] },
];

/** Of a crate's own tests first those in `tests/`: tests inside of a source file are the loop's to change. */
const rust: Template = {
  runners: ['cargo'],
  extensions: ['rs'],
  fits: ({ path, text }) => /(?:^|\/)tests\/[^/]+\.rs$/.test(path) && text.includes('#[test]'),
  loads: () => [],
  write: ({ neighbour, fails, passes }) =>
    [quiet, '', ...headOf(neighbour), ...rustTests({ fails, passes }), ''].join('\n'),
  stopsEarly: true,
  isWhole: true,
};

/** Behind everything that the file defines, macros included. */
const rustInside: Template = {
  runners: ['cargo'],
  extensions: ['rs'],
  fits: ({ text }) => text.includes('#[cfg(test)]'),
  loads: () => [],
  write: ({ word, neighbour, fails, passes }) => {
    const inner = ['use super::*;', ...rustTests({ fails, passes })].map((line) =>
      line === '' ? '' : `    ${line}`,
    );
    const attributes = ['#[cfg(test)]', quiet.replace('#!', '#')];
    return [neighbour.text, ...attributes, `mod ${word} {`, ...inner, '}', ''].join('\n');
  },
  inside: true,
  isWhole: true,
};

const quiet = '#![allow(unused_imports, unused_macros, dead_code)]';

function rustTests({ fails, passes }: Pick<Scene, 'fails' | 'passes'>): readonly string[] {
  const fine = [`let left = ${low};`, `assert_eq!(left, ${low});`];
  return [
    ...rustTraps.flatMap(({ says, body }) => rustTest(fails(says), body)),
    ...rustTest(
      fails('expects a panic that does not come'),
      [`let _ = ${low};`],
      ['#[should_panic]'],
    ),
    ...rustTest(passes('a test that compares equal values fails'), fine),
  ];
}

function rustTest(
  name: string,
  body: readonly string[],
  more: readonly string[] = [],
): readonly string[] {
  return testLines(['#[test]', ...more, `fn ${name}() {`], body, '    ', ['}']);
}

/** What the neighbour takes in, word by word: with it comes whatever the crate puts in the place of the language's own. */
function headOf({ text }: Neighbour): readonly string[] {
  const lines: string[] = [];
  let isOpen = false;
  for (const line of text.split('\n')) {
    const isStart = /^(?:pub )?(?:use|extern crate|mod) /.test(line) && !/^mod \w+ *\{/.test(line);
    if (isStart || isOpen || line.startsWith('#[macro_use]')) lines.push(line);
    isOpen = (isStart || isOpen) && !line.includes(';');
  }
  return lines.slice(0, 200);
}

export const compiled: readonly Template[] = [go, rust, rustInside];
