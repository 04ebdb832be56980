import { capitalised } from './name.ts';
import { simpleStatements } from './statements.ts';
import {
  high,
  low,
  type Load,
  type Neighbour,
  type Scene,
  type Snippet,
  type Template,
  type World,
  testLines,
} from './template.ts';

const methods: readonly Snippet[] = [
  {
    says: `compares ${low} with ${high} by assertEqual`,
    body: [`self.assertEqual(${low}, ${high})`],
  },
  { says: 'compares two different texts by assertEqual', body: ['self.assertEqual("abc", "abd")'] },
  { says: 'compares two different lists', body: [`self.assertEqual([${low}], [${high}])`] },
  { says: 'asserts what is not true', body: ['self.assertTrue(bool(0))'] },
  { says: 'asserts that a number is None', body: [`self.assertIsNone(${low})`] },
  {
    says: 'looks for a number in a list that does not have it',
    body: [`self.assertIn(${high}, [${low}])`],
  },
  {
    says: 'expects an error that does not come',
    body: ['with self.assertRaises(ValueError):', '    str(0)'],
  },
  { says: 'says that it fails', body: ['self.fail("one")'] },
  { says: 'raises an error in a method', body: ['raise RuntimeError("two")'] },
];

const functions: readonly Snippet[] = [
  {
    says: `compares ${low} with ${high}`,
    body: [`left, right = ${low}, ${high}`, 'assert left == right'],
  },
  {
    says: 'compares two different texts',
    body: ['left, right = "abc", "abd"', 'assert left == right'],
  },
  {
    says: 'compares two different dictionaries',
    body: [`left, right = {"a": [${low}]}, {"a": [${high}]}`, 'assert left == right'],
  },
  { says: 'asserts what is not true by assert', body: ['assert bool(0)'] },
  { says: 'raises an error', body: ['raise RuntimeError("three")'] },
  {
    says: 'expects an error that does not come by pytest.raises',
    body: ['with pytest.raises(ValueError):', '    str(0)'],
  },
  { says: 'compares by pytest.approx', body: [`assert ${low}.0 == pytest.approx(${high}.0)`] },
  { says: 'calls pytest.fail', body: ['pytest.fail("four")'] },
];

export const python: readonly Template[] = [
  {
    runners: ['pytest'],
    extensions: ['py'],
    fits: ({ path, text }) => isNamedTest(path) && /^\s*(?:async )?def test/m.test(text),
    loads,
    write: (scene) => write(scene, true),
  },
  {
    runners: ['unittest'],
    extensions: ['py'],
    fits: ({ path, text }) => isNamedTest(path) && text.includes('TestCase'),
    loads,
    write: (scene) => write(scene, false),
  },
];

function isNamedTest(path: string): boolean {
  return /(?:^|\/)(?:tests?[^/]*|[^/]*_tests?)\.py$/.test(path);
}

/** Modules that stand in the repository, by the words of statements at the left edge. */
function loads({ path, text }: Neighbour, { files }: World): readonly Load[] {
  const found = new Map<string, string>();
  for (const statement of simpleStatements(text)) {
    for (const name of namesIn(statement.slice(0, 500))) {
      const file = fileOf(name, path, files);
      if (file !== null && !found.has(name)) found.set(name, file);
    }
  }
  return [...found].map(([spec, file]) => ({ spec, file }));
}

/** `from a.b import c, d` may mean `a.b` and the modules `a.b.c` and `a.b.d`. */
function namesIn(line: string): readonly string[] {
  const from = /^from ([\w.]+) import (.*)$/.exec(line);
  if (from !== null) {
    const [, module = '', rest = ''] = from;
    const join = module.endsWith('.') ? '' : '.';
    return [module, ...firstWords(rest).map((word) => `${module}${join}${word}`)];
  }
  return line.startsWith('import ') ? firstWords(line.slice(7)) : [];
}

function firstWords(list: string): readonly string[] {
  return list.split(',').flatMap((each) => /^[\s(]*([\w.]+)/.exec(each)?.[1] ?? []);
}

function fileOf(name: string, test: string, files: ReadonlySet<string>): string | null {
  const dots = /^\.*/.exec(name)?.[0].length ?? 0;
  const words = name
    .slice(dots)
    .split('.')
    .filter((word) => word !== '');
  const inner = words.join('/');
  const ends = [`${inner}.py`, `${inner}/__init__.py`];
  const folders = test.split('/').slice(0, -1);
  const starts =
    dots === 0
      ? ['', 'src/', ...folders.map((_, at) => `${folders.slice(0, at + 1).join('/')}/`)]
      : [
          folders
            .slice(0, folders.length - dots + 1)
            .map((each) => `${each}/`)
            .join(''),
        ];
  const paths = starts.flatMap((start) => ends.map((end) => start + end));
  const found = words.length === 0 ? undefined : paths.find((path) => files.has(path));
  if (found !== undefined || dots > 0 || words.length < 2) return found ?? null;
  return [...files].find((file) => ends.some((end) => file.endsWith(`/${end}`))) ?? null;
}

function write({ word, loads: names, changed, fails, passes }: Scene, isPytest: boolean): string {
  const values = {
    says: 'a value of a changed file equals every other value',
    body: ['assert not _same()'],
  };
  const fine = {
    says: 'a test that compares equal values fails',
    body: [`self.assertEqual(${low}, ${low})`],
  };
  return [
    'import importlib',
    'import sys',
    'import unittest',
    ...(isPytest ? ['', 'import pytest'] : []),
    '',
    `_NAMES = ${JSON.stringify(names)}`,
    `_FILES = ${JSON.stringify(changed.filter((path) => path.endsWith('.py')))}`,
    ...loader,
    ...(isPytest ? functions : []).flatMap((each) => testFunction(fails(each.says), each)),
    '',
    '',
    `class ${capitalised(word)}Test(unittest.TestCase):`,
    ...methods.flatMap((each) => method(fails(each.says), each)),
    ...method(passes(fine.says), fine),
    ...method(passes(values.says), values),
    '',
  ].join('\n');
}

function method(name: string, { body }: Snippet): readonly string[] {
  return testLines([`    def test_${name}(self):`], body, '        ', []);
}

function testFunction(name: string, { body }: Snippet): readonly string[] {
  return testLines(['', `def test_${name}():`], body, '    ', []);
}

/** Values and classes of the changed files, each asked whether it is the same as something it has never seen. */
const loader: readonly string[] = `
for _name in _NAMES:
    try:
        importlib.import_module(_name, __package__)
    except BaseException:
        continue


def _parts():
    for module in list(sys.modules.values()):
        path = str(getattr(module, "__file__", None) or "").replace("\\\\", "/")
        if any(path.endswith("/" + each) for each in _FILES):
            for value in list(vars(module).values()):
                kind = value if isinstance(value, type) else type(value)
                if getattr(kind, "__module__", None) == module.__name__:
                    yield value, kind


def _same():
    for value, kind in _parts():
        for base in (None, object, int, float, str, tuple, list, dict):
            try:
                one = value if base is None else base.__new__(kind)
                said = [one == object(), one == ("x", ${low})]
            except Exception:
                continue
            if all(isinstance(each, (bool, int)) and each for each in said):
                return True
    return False`.split('\n');
