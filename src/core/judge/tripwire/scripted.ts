import { capitalised } from './name.ts';
import { phpLoads, rubyLoads } from './scripted-loads.ts';
import { simpleStatements } from './statements.ts';
import {
  high,
  low,
  testLines,
  type Neighbour,
  type Scene,
  type Snippet,
  type Template,
} from './template.ts';

const minitestTraps: readonly Snippet[] = [
  { says: `compares ${low} with ${high}`, body: [`assert_equal ${low}, ${high}`] },
  { says: 'compares two different texts', body: ["assert_equal 'abc', 'abd'"] },
  { says: 'compares two different lists', body: [`assert_equal [${low}], [${high}]`] },
  { says: 'asserts what is not true', body: [`assert ${low} == ${high}`] },
  { says: 'refutes what is true', body: [`refute ${low} == ${low}`] },
  {
    says: 'expects an error that does not come',
    body: ['assert_raises(ArgumentError) { 0.to_s }'],
  },
  { says: 'says that it fails', body: ["flunk 'one'"] },
  { says: 'raises an error', body: ["raise 'two'"] },
];

const rspecTraps: readonly Snippet[] = [
  { says: `compares ${low} with ${high}`, body: [`expect(${low}).to eq(${high})`] },
  { says: 'compares two different texts', body: ["expect('abc').to eq('abd')"] },
  { says: 'compares two different lists', body: [`expect([${low}]).to match_array([${high}])`] },
  { says: 'asserts what is not true', body: [`expect(${low} == ${high}).to be(true)`] },
  { says: 'says that a value differs from itself', body: [`expect(${low}).not_to eq(${low})`] },
  {
    says: 'expects an error that does not come',
    body: ['expect { 0 }.to raise_error(ArgumentError)'],
  },
  { says: 'raises an error', body: ["raise 'two'"] },
];

const phpTraps: readonly Snippet[] = [
  { says: `compares ${low} with ${high}`, body: [`$this->assertSame(${low}, ${high});`] },
  { says: 'compares two different texts', body: ["$this->assertEquals('abc', 'abd');"] },
  { says: 'compares two different lists', body: [`$this->assertEquals([${low}], [${high}]);`] },
  { says: 'asserts what is not true', body: [`$this->assertTrue(${low} === ${high});`] },
  { says: 'asks for another count', body: [`$this->assertCount(2, [${low}]);`] },
  {
    says: 'expects an error that does not come',
    body: ['$this->expectException(\\LogicException::class);'],
  },
  { says: 'says that it fails', body: ["$this->fail('one');"] },
  { says: 'throws an error', body: ["throw new \\RuntimeException('two');"] },
];

const fine = 'a test that compares equal values fails';

const minitest: Template = {
  runners: ['minitest'],
  extensions: ['rb'],
  fits: ({ text }) => /<\s*(?:Minitest::Test|ActiveSupport::TestCase)\b/.test(text),
  loads: rubyLoads,
  write: ({ word, neighbour, fails, passes }) => {
    const parent = /<\s*(Minitest::Test|ActiveSupport::TestCase)\b/.exec(neighbour.text)?.[1];
    return [
      ...head(neighbour, /^(?:require|require_relative|\$LOAD_PATH|\$:|# frozen)\b/),
      '',
      `class ${capitalised(word)}Test < ${parent}`,
      ...minitestTraps.flatMap(({ says, body }) => method(fails(says), body)),
      ...method(passes(fine), [`assert_equal ${low}, ${low}`]),
      'end',
      '',
    ].join('\n');
  },
};

const rspec: Template = {
  runners: ['rspec'],
  extensions: ['rb'],
  fits: ({ path, text }) => path.endsWith('_spec.rb') && /\bdescribe\b/.test(text),
  loads: rubyLoads,
  write: ({ word, neighbour, fails, passes }) => {
    return [
      ...head(neighbour, /^(?:require|require_relative|\$LOAD_PATH|\$:|# frozen)\b/),
      '',
      `RSpec.describe '${word}' do`,
      ...rspecTraps.flatMap(({ says, body }) => example(fails(says), body)),
      ...example(passes(fine), [`expect(${low}).to eq(${low})`]),
      'end',
      '',
    ].join('\n');
  },
};

const phpunit: Template = {
  runners: ['phpunit'],
  extensions: ['php'],
  fits: ({ path, text }) => path.endsWith('Test.php') && / extends [\w\\]*TestCase\b/.test(text),
  loads: phpLoads,
  write: writePhp,
};

function writePhp({ word, neighbour, fails, passes }: Scene): string {
  const parent = / extends ([\w\\]*TestCase)\b/.exec(neighbour.text)?.[1] ?? 'TestCase';
  const uses = phpHead(neighbour, /^use [\w\\]+$/);
  const names = uses.flatMap((line) => /^use ([\w\\]+);/.exec(line)?.[1] ?? []);
  return [
    '<?php',
    ...phpHead(neighbour, /^declare\(/),
    '',
    ...phpHead(neighbour, /^namespace [\w\\]+$/),
    '',
    ...uses,
    ...phpHead(neighbour, /^(?:require|require_once|include_once)\b/),
    '',
    ...names.map((name) => `class_exists('${name}');`),
    '',
    `final class ${capitalised(word)}Test extends ${parent}`,
    '{',
    ...phpTraps.flatMap(({ says, body }) => phpMethod(fails(says), body)),
    ...phpMethod(passes(fine), [`$this->assertSame(${low}, ${low});`]),
    '}',
    '',
  ].join('\n');
}

function method(name: string, body: readonly string[]): readonly string[] {
  return testLines([`  def test_${name}`], body, '    ', ['  end']);
}

function example(name: string, body: readonly string[]): readonly string[] {
  return testLines([`  it '${name}' do`], body, '    ', ['  end']);
}

function phpMethod(name: string, body: readonly string[]): readonly string[] {
  const opening = [`    public function test${capitalised(name)}(): void`, '    {'];
  return testLines(opening, body, '        ', ['    }']);
}

/** Statements of the neighbour that load what its tests need. */
function head({ text }: Neighbour, pattern: RegExp): readonly string[] {
  return simpleStatements(text)
    .filter((line) => pattern.test(line))
    .slice(0, 50);
}

function phpHead({ path, text }: Neighbour, pattern: RegExp): readonly string[] {
  return head({ path, text: text.replace('<?php', '').trimStart() }, pattern).map(
    (each) => `${each};`,
  );
}

export const scripted: readonly Template[] = [minitest, rspec, phpunit];
