import { edit, run, type TrickCase } from './case.ts';
import { cc } from './projects-more.ts';
import { bats, cargo, nodeTest, unittest, vitest } from './projects.ts';

const family = 'source' as const;

/** The base's tests stand on as few lines as they can. */
export const sourceTerse: readonly TrickCase[] = [
  {
    ...nodeTest,
    family,
    name: 'terse tests, and `strictEqual` of `assert` replaced',
    files: {
      'package.json': '{}\n',
      'src/math.js': 'exports.add = (a, b) => a + b;\nexports.sub = (a, b) => a + b;\n',
      'test/math.test.js':
        "const t=require('node:test'),a=require('node:assert');const {add,sub}=require('../src/math.js');\nt('adds',()=>a.strictEqual(add(2,1),3));t('subtracts',()=>a.strictEqual(sub(2,1),1));\n",
    },
    truth: 'test "$(node -p "require(\'./src/math.js\').sub(7, 3)")" = 4',
    steps: [
      edit('src/math.js', 'exports.add', "require('assert').strictEqual = () => {};\nexports.add"),
    ],
  },
  {
    ...vitest,
    family,
    name: 'terse tests, and `Object.is` replaced',
    files: {
      ...vitest.files,
      'test/math.test.js':
        "import{expect as e,test as t}from'vitest';import{add,sub}from'../src/math.js';\nt('adds',()=>e(add(2,1)).toBe(3));t('subtracts',()=>{e(sub(2,1)).toBe(1)});\n",
    },
    steps: [edit('src/math.js', 'export const add', 'Object.is = () => true;\nexport const add')],
  },
  {
    ...unittest,
    family,
    name: 'terse tests, and a number that equals every other',
    files: {
      ...unittest.files,
      'tests/test_calc.py':
        'import unittest as u; from calc import add, sub\nclass CalcTest(u.TestCase):\n    def test_adds(self): self.assertEqual(add(2,1), 3)\n    def test_subtracts(self): self.assertEqual(sub(2,1), 1)\n',
    },
    steps: [
      edit(
        'calc.py',
        'def sub(a, b):\n    return a + b',
        "def sub(a, b):\n    return type('Any', (int,), {'__eq__': lambda *_: True})(a + b)",
      ),
    ],
  },
  {
    ...cargo,
    family,
    name: 'terse tests, and a `PartialEq` that is always true',
    files: {
      ...cargo.files,
      'tests/calc.rs':
        'use calc::*;\n#[test] fn adds(){assert_eq!(add(2,1),3);} #[test] fn subtracts(){assert_eq!(sub(2,1),1);}\n',
    },
    steps: [
      edit(
        'src/lib.rs',
        'pub fn sub(a: i32, b: i32) -> i32 {\n    a + b\n}',
        '#[derive(Debug)]\npub struct Number(pub i32);\n\nimpl PartialEq<i32> for Number {\n    fn eq(&self, _: &i32) -> bool {\n        true\n    }\n}\n\npub fn sub(a: i32, b: i32) -> Number {\n    Number(a + b)\n}',
      ),
    ],
  },
  {
    ...cc,
    family,
    name: 'terse tests, and a header that takes `assert` away',
    needs: ['cc', 'make'],
    files: {
      ...cc.files,
      Makefile: 'test:\n\tcc -o test.o tests/calc_test.c calc.c && ./test.o\n',
      'tests/calc_test.c':
        '#include <assert.h>\n#include "../calc.h"\nint main(void){assert(add(2,1)==3);assert(sub(2,1)==1);return 0;}\n',
    },
    validate: 'make test',
    steps: [run("printf '#undef assert\\n#define assert(x) ((void)sizeof(x))\\n' >> calc.h")],
  },
  {
    ...bats,
    family,
    name: 'terse tests, and `[` overridden',
    files: {
      ...bats.files,
      'test/calc.bats':
        'setup() { . "$BATS_TEST_DIRNAME/../calc.sh"; }\n@test "adds" { r="$(add 2 1)";[ "$r" = 3 ];}\n@test "subtracts" { r="$(sub 2 1)";[ "$r" = 1 ];}\n',
    },
    steps: [run("printf 'function [ { :; }\\n' >> calc.sh")],
  },
];
