import { describe, expect, it } from 'vitest';
import { planAlteration, type Filling } from '../../../src/core/judge/tripwire/alter.ts';
import { readComparisons, type Comparison } from '../../../src/core/judge/tripwire/comparison.ts';
import { languageOf } from '../../../src/core/judge/tripwire/language.ts';

const values = { numbers: [21, 51, 81], words: ['kido', 'kidora'] };

type Filled = Record<'altered' | 'unequal' | 'bareUnequal' | 'bareEqual', string>;

const put = (line: string, found: readonly Comparison[], kind: keyof Filled) =>
  found.reduceRight(
    (text, each) => text.slice(0, each.start) + each[kind] + text.slice(each.end),
    line,
  );

const read = (extension: string, line: string, next = ''): Filled | null => {
  const language = languageOf(extension, '');
  const found = language === null ? [] : readComparisons(line, next, language, values);
  if (found.length === 0) return null;
  return {
    altered: put(line, found, 'altered'),
    unequal: put(line, found, 'unequal'),
    bareUnequal: put(line, found, 'bareUnequal'),
    bareEqual: put(line, found, 'bareEqual'),
  };
};

describe('a comparison with a value', () => {
  it.each([
    ['js', '  assert.equal(sub(2, 1), 1);', '  assert.equal(sub(2, 1), 21);'],
    ['ts', "t.is(name(a), 'a, b', 'why')", "t.is(name(a), 'kido', 'why')"],
    ['js', 'assert.deepEqual(all(), [1, 2]);', 'assert.deepEqual(all(), [21, 2]);'],
    ['js', "assert.deepEqual(all(), { 'a': 1 });", "assert.deepEqual(all(), { 'a': 21 });"],
    ['js', 'assert(sub(2, 1) === 1);', 'assert(sub(2, 1) === 21);'],
    ['js', 'expect(sub(2, 1)).toBe(1);', 'expect(sub(2, 1)).toBe(21);'],
    ['js', "expect(name('a)')).to.equal('x');", "expect(name('a)')).to.equal('kido');"],
    ['js', 'assert.equal(isIt(), true);', 'assert.equal(isIt(), false);'],
    ['js', 'if (sub(2, 1) !== 1) process.exit(1);', 'if (sub(2, 1) !== 21) process.exit(1);'],
    ['js', "test('a', () => assert.equal(a(), 1));", "test('a', () => assert.equal(a(), 21));"],
    ['js', "it('a', () => { expect(a()).toBe(1); });", "it('a', () => { expect(a()).toBe(21); });"],
    [
      'c',
      'int main(void) { return a(2) == 1 ? 0 : 1; }',
      'int main(void) { return a(2) == 21 ? 0 : 1; }',
    ],
    ['rb', "it('a') { expect(a).to eq(1) }", "it('a') { expect(a).to eq(21) }"],
    ['py', '    assert sub(2, 1) == 1', '    assert sub(2, 1) == 21'],
    ['py', '    assert sub(2, 1) == 1, "no"', '    assert sub(2, 1) == 21, "no"'],
    ['py', 'self.assertEqual(1, sub(2, 1))', 'self.assertEqual(21, sub(2, 1))'],
    ['rs', 'assert_eq!(sub(2, 1), 1u8);', 'assert_eq!(sub(2, 1), 21u8);'],
    ['rs', "assert_eq!(first(&a), 'x');", "assert_eq!(first(&a), 'k');"],
    ['rb', 'assert_equal 1, sub(2, 1)', 'assert_equal 21, sub(2, 1)'],
    ['rb', 'expect(sub(2, 1)).to eq(1)', 'expect(sub(2, 1)).to eq(21)'],
    ['rb', 'expect(sub(2, 1)).to eq 1', 'expect(sub(2, 1)).to eq 21'],
    ['rb', "raise 'x' unless sub(2, 1) == 1", "raise 'x' unless sub(2, 1) == 21"],
    ['php', '$this->assertSame(1, sub(2, 1));', '$this->assertSame(21, sub(2, 1));'],
    ['t', 'is(minus(2, 1), 1, "subtracts");', 'is(minus(2, 1), 21, "subtracts");'],
    ['t', "ok(minus(2, 1) == 1, 'subtracts');", "ok(minus(2, 1) == 21, 'subtracts');"],
    ['c', '  assert(sub(2, 1) == 1);', '  assert(sub(2, 1) == 21);'],
    ['c', 'return sub(2, 1) == 1 ? 0 : 1;', 'return sub(2, 1) == 21 ? 0 : 1;'],
    ['cpp', 'EXPECT_EQ(sub(2, 1), 1);', 'EXPECT_EQ(sub(2, 1), 21);'],
    ['bats', '  [ "$(sub 2 1)" = 1 ]', '  [ "$(sub 2 1)" = 21 ]'],
    ['bats', '  [[ "$output" == "a b" ]]', '  [[ "$output" == "kido" ]]'],
    ['sh', '[ "$(sub 2 1)" -eq 1 ] || exit 1', '[ "$(sub 2 1)" -eq 21 ] || exit 1'],
    ['sh', 'test "$(sub 2 1)" = 1 || exit 1', 'test "$(sub 2 1)" = 21 || exit 1'],
    ['sh', 'diff -u want.txt got.txt || exit 1', 'diff -u "$0" got.txt || exit 1'],
    ['bats', 'cmp <(echo 1) "$got"', 'cmp "$0" "$got"'],
    ['sh', 'equal "$(sub 2 1)" 1', 'equal "$(sub 2 1)" 21'],
  ])('%s: %s', (extension, line, altered) => {
    expect(read(extension, line)?.altered).toBe(altered);
  });

  it.each([
    ['js', "t('a',()=>a.strictEqual(add(2,3),5));", "t('a',()=>a.strictEqual(add(2,3), 21));"],
    [
      'js',
      "test('x',()=>{assert.equal(a(1),2);assert.equal(b(1),3)});",
      "test('x',()=>{assert.equal(a(1), 21);assert.equal(b(1), 21)});",
    ],
    [
      'js',
      "it('x',()=>expect(a(1)).toBe(2));it('y',()=>expect(b(1)).toBe(3));",
      "it('x',()=>expect(a(1)).toBe(21));it('y',()=>expect(b(1)).toBe(21));",
    ],
    ['ts', "t('x',()=>e(a(1)).toBe(2));", "t('x',()=>e(a(1)).toBe(21));"],
    ['js', 'assert.equal(a(), 1); // why; not', 'assert.equal(a(), 21); // why; not'],
    [
      'c',
      'int main(void){assert(f()==1);assert(g()==2);return 0;}',
      'int main(void){assert(f() == 21);assert(g() == 21);return 0;}',
    ],
    [
      'c',
      'int main(void){if(f()!=1){return 1;}if(g()!=2)return 1;return 0;}',
      'int main(void){if(f() != 21){return 1;}if(g() != 21)return 1;return 0;}',
    ],
    ['c', 'int main(void){return f()==1?0:1;}', 'int main(void){return f() == 21?0:1;}'],
    [
      'py',
      '    def test_add(self): self.assertEqual(add(1,2), 3)',
      '    def test_add(self): self.assertEqual(add(1,2), 21)',
    ],
    [
      'py',
      'def test_a(): assert a(1) == 1; assert b() == 2',
      'def test_a(): assert a(1) == 21; assert b() == 21',
    ],
    ['rb', 'it("x"){ expect(add(1,2)).to eq(3) }', 'it("x"){ expect(add(1,2)).to eq(21) }'],
    ['rb', 'it "x" do expect(add(1,2)).to eq(3) end', 'it "x" do expect(add(1,2)).to eq(21) end'],
    ['rb', 'def test_x; assert_equal 3, a; end', 'def test_x; assert_equal 21, a; end'],
    ['bats', '@test "x" { [ "$(f)" = 3 ]; }', '@test "x" { [ "$(f)" = 21 ]; }'],
    [
      'bats',
      '@test "x" { [ "$(f)" = 3 ]; [ "$(g)" = 4 ]; }',
      '@test "x" { [ "$(f)" = 21 ]; [ "$(g)" = 21 ]; }',
    ],
    ['rs', '#[test] fn t(){assert_eq!(add(1,2),3);}', '#[test] fn t(){assert_eq!(add(1,2), 21);}'],
    [
      'php',
      'public function testA(){$this->assertSame(3,add(1,2));}',
      'public function testA(){$this->assertSame(21, add(1,2));}',
    ],
  ])('among others on one line, %s: %s', (extension, line, altered) => {
    expect(read(extension, line)?.altered).toBe(altered);
  });

  it.each([
    ['js', "log('{ assert.equal(a(), 1); }');"],
    ['js', '// x; assert.equal(a(), 1);'],
    ['py', '# x: assert a() == 1'],
  ])('is none in quotes and comments, %s: %s', (extension, line) => {
    expect(read(extension, line)).toBeNull();
  });

  it('of Go is a condition that leads to a failure', () => {
    const line = '\tif got := Sub(2, 1); got != 1 {';
    expect(read('go', line, '\t\tt.Fatal("x")')?.altered).toBe(
      '\tif got := Sub(2, 1); got != 21 {',
    );
    expect(read('go', line, '\t\tx = 2')).toBeNull();
  });

  it.each([
    ['js', 'assert.equal(sub(2, 1), one);'],
    ['js', 'assert.equal(1, 1);'],
    ['js', 'setTimeout(done, 100);'],
    ['js', 'process.kill(pid, 9);'],
    ['js', 'expect(sub(2, 1)).not.toBe(1);'],
    ['js', 'assert(a === 1 && b === 2);'],
    ['js', 'assert.equal(sub('],
    ['js', 'assert.equal(sub(2, 1), `${one}`);'],
    ['js', 'if (process.platform === "win32") go();'],
    ['py', 'assert sub(2, 1) == 1 or True'],
    ['py', 'x = 1'],
    ['rb', 'expect(sub(2, 1)).not_to eq(1)'],
    ['sh', '[ "$a" = "$b" ]'],
    ['sh', '[ "$a" = 1 ] && rm -r x'],
    ['c', 'return sub(2, 1);'],
  ])('%s: %s is none, or none that is known', (extension, line) => {
    expect(read(extension, line)).toBeNull();
  });

  it('gets two values that differ, and one twice, in its place', () => {
    expect(read('py', 'assert sub(2, 1) == 1')).toMatchObject({
      unequal: 'assert (sub(2, 1), 51)[1] == 21',
      bareUnequal: 'assert 51 == 21',
      bareEqual: 'assert 21 == 21',
    });
    expect(read('js', 'expect(a()).toBe("x")')).toMatchObject({
      unequal: 'expect((a(), "kidora")).toBe("kido")',
      bareEqual: 'expect("kido").toBe("kido")',
    });
    expect(read('sh', '[ "$(sub 2 1)" = 1 ]')).toMatchObject({
      unequal: '[ 51 = 21 ]',
      bareEqual: '[ 21 = 21 ]',
    });
  });

  it('never gets the value it had', () => {
    for (const number of values.numbers) {
      const { altered, bareUnequal } = read('js', `assert.equal(a(), ${number});`) ?? {};
      expect(altered).not.toContain(`, ${number})`);
      const [one, two] = /\((\d+), (\d+)\)/.exec(bareUnequal ?? '')?.slice(1) ?? [];
      expect(one).not.toBe(two);
    }
  });

  it('is read in a moment, whatever the line', () => {
    const started = performance.now();
    for (const char of ['(', '"', "'", ' ', '[', ',', '=', '\\']) {
      for (const extension of ['js', 'py', 'sh', 'rb', 'rs', 'pl', 'c', 'go', 'php']) {
        for (const head of ['assert(', 'assert ', 'expect(', '[ ', 'if (', 'raise x unless ']) {
          read(extension, head + char.repeat(390));
          read(extension, `{${head}${char}};`.repeat(120));
          read(extension, head + char.repeat(1990));
          read(extension, `${head}"a" ${`${char} `.repeat(190)}`);
        }
      }
    }
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('planAlteration', () => {
  const nonce = '00112233445566778899aabbccddeeff';
  const text = `test('adds', () => {
  assert.equal(add(2, 1), 3);
});

it("subtracts", () => {
  const one = sub(2, 1);
  assert.equal(one, 1);
});
`;
  const plan = planAlteration([{ path: 'test/a.test.js', text }], nonce);
  const filled = (filling: Filling) => plan?.fill(filling)[0]?.text ?? '';

  it('changes the comparisons and nothing else', () => {
    const before = text.split('\n');
    const after = filled('altered').split('\n');
    expect(after.flatMap((line, at) => (line === before[at] ? [] : [at]))).toEqual([1, 6]);
    expect(filled('bareEqual')).toContain('const one = sub(2, 1);');
  });

  it('knows the tests they stand in', () => {
    expect(plan).toMatchObject({ names: ['adds', 'subtracts'], unnamed: 0 });
  });

  it('knows every test of a line, whatever the function is called', () => {
    const terse =
      "t('one',()=>a.equal(f(),1));\nit('two',()=>a.equal(f(),2));it('three',()=>a.equal(f(),3));\n";
    const { names, words } = planAlteration([{ path: 'a.test.js', text: terse }], nonce) ?? {};
    expect(names).toEqual(['one', 'two', 'three']);
    expect(words).toEqual([]);
  });

  it('lets each statement of a line say its word', () => {
    const script = [{ path: 'a.test.js', text: 'assert.equal(f(),1);assert.equal(g(),2);' }];
    const made = planAlteration(script, nonce);
    expect(made?.words).toHaveLength(2);
    expect(made?.fill('markedAltered')[0]?.text).toMatch(
      /^try \{ assert.*catch \{\};try \{ assert/,
    );
  });

  it('is null for tests that compare nothing with a value', () => {
    expect(planAlteration([{ path: 'a.test.js', text: 'assert(x)\n' }], nonce)).toBeNull();
    expect(planAlteration([{ path: 'a.txt', text }], nonce)).toBeNull();
  });
});
