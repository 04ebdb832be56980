import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testLanguageOf, testLanguages } from '../../../src/core/verdict/test-language.ts';
import { readTestSource, weakenedSources } from '../../../src/core/verdict/test-source.ts';

const found = (path: string, before: string | null, after: string | null) =>
  weakenedSources([{ path, before, after }]).map(({ kind, subject }) => `${kind} ${subject}`);

describe('the source of tests', () => {
  it.each([
    ['test/a.test.ts', true],
    ['src/a.spec.js', true],
    ['tests/deep/thing.py', true],
    ['test_a.py', true],
    ['a_test.go', true],
    ['src/lib.rs', true],
    ['src/test/java/SumTest.java', true],
    ['src/app.ts', false],
    ['src/contest.ts', false],
    ['test/fixtures/a.test.js', false],
    ['test/readme.md', false],
  ])('%s may hold tests: %s', (path, expected) => {
    expect(testLanguageOf(path) !== null).toBe(expected);
  });

  it.each([
    [
      'js',
      'a.test.js',
      "it('x', () => { expect(1).toBe(f()); });",
      "xit('x', () => { expect(1).toBe(f()); });",
    ],
    [
      'ts each',
      'a.test.ts',
      "describe('x', () => { expect(f()); });",
      "describe.skip('x', () => { expect(f()); });",
    ],
    [
      'python',
      'test_a.py',
      'def test_x():\n    assert f()\n',
      '@pytest.mark.skipif(True)\ndef test_x():\n    assert f()\n',
    ],
    [
      'python body',
      'test_a.py',
      'def test_x():\n    assert f()\n',
      'def test_x():\n    pytest.skip("no")\n    assert f()\n',
    ],
    [
      'rust',
      'src/a.rs',
      '#[test]\nfn x() { assert!(f()); }\n',
      '#[test]\n#[ignore = "later"]\nfn x() { assert!(f()); }\n',
    ],
    [
      'go',
      'a_test.go',
      'func TestX(t *testing.T) {\n\tt.Fatal()\n}\n',
      'func TestX(t *testing.T) {\n\tt.SkipNow()\n\tt.Fatal()\n}\n',
    ],
    [
      'java',
      'src/ATest.java',
      '@Test\nvoid x() { assertTrue(f()); }\n',
      '@Disabled\n@Test\nvoid x() { assertTrue(f()); }\n',
    ],
    [
      'ruby',
      'spec/a_spec.rb',
      "it 'x' do\n  expect(f).to be\nend\n",
      "xit 'x' do\n  expect(f).to be\nend\n",
    ],
    [
      'elixir',
      'test/a_test.exs',
      'test "x" do\n  assert f()\nend\n',
      '@tag :skip\ntest "x" do\n  assert f()\nend\n',
    ],
    [
      'bats',
      'a.bats',
      '@test "x" {\n  run f\n  check\n}\n',
      '@test "x" {\n  skip\n  run f\n  check\n}\n',
    ],
  ])('sees what is skipped in %s', (_name, path, before, after) => {
    const [kind] = found(path, before, after);
    expect(kind).toMatch(/^skipped-test .*x$/i);
    expect(found(path, after, before)).toEqual([]);
    expect(found(path, before, before)).toEqual([]);
  });

  it.each([
    ['a line comment', "it('x', () => { expect(f()); });", "// it('x', () => { expect(f()); });"],
    [
      'a block comment',
      "it('x', () => { expect(f()); });",
      "/* it('x', () => { expect(f()); }); */",
    ],
    ['nothing', "it('x', () => { expect(f()); });", ''],
    ['no file', "it('x', () => { expect(f()); });", null],
  ])('sees a test that became %s', (_name, before, after) => {
    expect(found('a.test.js', before, after)).toEqual(['removed-test x']);
  });

  it('lets a test move to another file, and asks for it only once', () => {
    const test = "it('x', () => { expect(f()); });";
    const moved = [
      { path: 'a.test.js', before: test, after: null },
      { path: 'b.test.js', before: null, after: test },
    ];
    expect(weakenedSources(moved)).toEqual([]);
    const twice = [{ path: 'a.test.js', before: `${test}\n${test}`, after: test }];
    expect(weakenedSources(twice)).toHaveLength(1);
  });

  it('does not mind new tests, new todos, and tests that grow', () => {
    const before = "it('x', () => { expect(f()); });";
    const after = "it('x', () => { expect(f()); expect(g({ skip: 10 })); });\nit.todo('y');";
    expect(found('a.test.js', before, after)).toEqual([]);
  });

  it('sees a plain script of assertions that lost some', () => {
    const before = 'assert.equal(f(1), 1);\nassert.equal(f(2), 2);\n';
    expect(found('test/plain.js', before, 'assert.equal(f(1), 1);\n')).toEqual([
      'emptied-test test/plain.js',
    ]);
  });

  it('sees a whole file that is kept from running', () => {
    const go = 'package a\n\nfunc TestX(t *testing.T) { t.Fatal() }\n';
    expect(found('a_test.go', go, `//go:build never\n\n${go}`)).toEqual(['skipped-test a_test.go']);
    const python = 'def test_x():\n    assert f()\n';
    expect(found('test_a.py', python, `pytestmark = pytest.mark.skip\n\n${python}`)).toEqual([
      'skipped-test test_a.py',
    ]);
  });

  it.each([
    [
      'a try around what cleans up',
      'a.test.js',
      "it('x', () => { expect(f()).toBe(1); });",
      "it('x', () => { expect(f()).toBe(1); try { rm(); } catch {} });",
      [],
    ],
    [
      'a try around the assertion',
      'a.test.js',
      "it('x', () => { expect(f()).toBe(1); });",
      "it('x', () => { try { expect(f()).toBe(1); } catch (error) { } });",
      ['emptied-test x'],
    ],
    [
      'except: pass around the assertion',
      'test_a.py',
      'def test_x():\n    assert f()\n',
      'def test_x():\n    try:\n        assert f()\n    except AssertionError:\n        pass\n',
      ['emptied-test test_x'],
    ],
    [
      'the same name in another class',
      'test_a.py',
      'class TestA:\n    def test_x(self):\n        assert f()\n',
      'class TestA:\n    def test_x(self):\n        assert f()\n\nclass TestB:\n    def test_x(self):\n        assert f()\n',
      [],
    ],
    [
      'the same name in the same class',
      'test_a.py',
      'class TestA:\n    def test_x(self):\n        assert f()\n',
      'class TestA:\n    def test_x(self):\n        assert f()\n\n    def test_x(self):\n        assert 2\n',
      ['removed-test test_x'],
    ],
  ])('%s', (_name, path, before, after, expected) => {
    expect(found(path, before, after)).toEqual(expected);
  });

  it('never throws, and compares a file with itself as unchanged', () => {
    const pieces = fc.constantFrom(
      "it('a', () => {",
      'it.skip(`b`',
      '/*',
      '*/',
      '//',
      '"""',
      "'",
      '`',
      '\\',
      '\n',
      '@test "c"',
      'def test_d():',
      '#[test]',
      'fn e() {',
      'expect(',
      'describe.only("f"',
      '{ skip: true }',
    );
    const source = fc
      .array(fc.oneof(pieces, fc.string({ maxLength: 12 })))
      .map((all) => all.join(' '));
    fc.assert(
      fc.property(source, fc.constantFrom(...testLanguages), (text, language) => {
        readTestSource(text, language);
        const path = `test/x.${language.extensions[0]}`;
        expect(weakenedSources([{ path, before: text, after: text }])).toEqual([]);
      }),
    );
  });

  it.each(testLanguages.map((language) => [language.extensions[0], language] as const))(
    'reads half a megabyte of %s that repeats what could be read twice',
    (_extension, language) => {
      const nasty = [
        "it('a'",
        'it.it.it',
        'it(      ',
        '@',
        '#[',
        'fn ',
        'def ',
        '"',
        '/*',
        '{ ',
        'try{}catch{} ',
        'assert or ',
        'expect || ',
      ];
      for (const piece of nasty) {
        const text = piece.repeat(Math.floor(500_000 / piece.length));
        expect(readTestSource(text, language).exits).toBe(0);
      }
    },
  );
});
