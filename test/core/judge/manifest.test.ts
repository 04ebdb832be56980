import * as fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { restoreManifest } from '../../../src/core/judge/manifest.ts';

const json = (value: unknown) => JSON.stringify(value, null, 2);

function restore(base: unknown, loop: unknown) {
  const found = restoreManifest('web/package.json', json(base), json(loop));
  return { ...found, value: JSON.parse(found.text ?? 'null') };
}

describe('package.json', () => {
  it('keeps the dependencies of the loop and the scripts of the base', () => {
    const base = { name: 'a', scripts: { test: 'vitest run' }, dependencies: { x: '1.0.0' } };
    const loop = {
      name: 'a',
      scripts: { test: 'true', posttest: 'rm -rf test' },
      dependencies: { x: '2.0.0', y: '1.0.0' },
      jest: { testMatch: [] },
    };
    const { value, restored, dependencies } = restore(base, loop);
    expect(value).toEqual({
      name: 'a',
      scripts: { test: 'vitest run' },
      dependencies: { x: '2.0.0', y: '1.0.0' },
    });
    expect(restored).toEqual(['scripts.test', 'scripts.posttest', 'jest']);
    expect(dependencies).toBe(true);
  });

  it.each(
    'scripts jest mocha ava nyc c8 vitest eslintConfig babel browserslist prettier config packageManager volta wireit tap node-options'.split(
      ' ',
    ),
  )('takes %s from the base', (key) => {
    const { value, restored } = restore({ name: 'a' }, { name: 'a', [key]: { on: 'x' } });
    expect(value).toEqual({ name: 'a' });
    expect(restored).toEqual([key === 'scripts' ? 'scripts.on' : key]);
    expect(restore({ [key]: { on: 'x' } }, {}).value).toEqual({ [key]: { on: 'x' } });
  });

  it.each(
    'version description keywords license author files main module type types exports imports engines sideEffects repository private contributes'.split(
      ' ',
    ),
  )('leaves %s to the loop', (key) => {
    const { text, restored, dependencies } = restore({ [key]: 'old' }, { [key]: 'new' });
    expect({ text, restored, dependencies }).toEqual({
      text: json({ [key]: 'new' }),
      restored: [],
      dependencies: false,
    });
  });

  it.each(
    'dependencies devDependencies peerDependencies optionalDependencies overrides resolutions workspaces pnpm'.split(
      ' ',
    ),
  )('says that a changed %s changes dependencies', (key) => {
    const { restored, dependencies } = restore({}, { [key]: { a: '1' } });
    expect({ restored, dependencies }).toEqual({ restored: [], dependencies: true });
  });

  it('does not let something else stand in for a runner', () => {
    const base = { name: 'shop', devDependencies: { vitest: '^3.0.0', chai: '^5.0.0' } };
    const loop = {
      name: 'chai',
      bin: { vitest: './fake.js', shop: './cli.js' },
      devDependencies: {
        vitest: 'file:./fake',
        chai: '^6.0.0',
        jest: 'npm:evil@1',
        tap: 'link:../x',
      },
    };
    const { value, restored } = restore(base, loop);
    expect(value).toEqual({
      name: 'shop',
      bin: { shop: './cli.js' },
      devDependencies: { vitest: '^3.0.0', chai: '^6.0.0' },
    });
    expect(restored).toEqual([
      'name',
      'bin.vitest',
      'devDependencies.vitest',
      'devDependencies.jest',
      'devDependencies.tap',
    ]);
  });

  it('is returned as it is when the judge is untouched', () => {
    const base = '{"name":"a","scripts":{"test":"x"},"version":"1"}';
    const loop = '\uFEFF{ "version": "2",\r\n"name":"a","scripts":{"test":"x"} }';
    const unchanged = { text: loop, restored: [], dependencies: false };
    expect(restoreManifest('package.json', base, loop)).toEqual(unchanged);
  });

  it('does not mind keys of the prototype, and the last of doubled keys counts', () => {
    const loop =
      '{"__proto__":{"scripts":{"test":"x"}},"constructor":1,"scripts":{"test":"a"},"scripts":{"test":"b"}}';
    const { text, restored } = restoreManifest('package.json', '{"scripts":{"test":"a"}}', loop);
    expect(text).toBe('{\n  "scripts": {\n    "test": "a"\n  }\n}\n');
    expect(restored).toEqual(['__proto__', 'constructor', 'scripts.test']);
    expect(({} as { scripts?: unknown }).scripts).toBeUndefined();
  });

  it.each([
    ['no JSON', '{"scripts": '],
    ['a list', '[1]'],
    ['nested without end', '{"a":'.repeat(200_000)],
    ['deeply nested', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('that is %s is the one of the base', (_what, loop) => {
    const base = '{"scripts":{"test":"a"}}';
    const whole = { text: base, restored: ['package.json'], dependencies: true };
    expect(restoreManifest('package.json', base, loop)).toEqual(whole);
    expect(restoreManifest('package.json', null, loop).text).toBeNull();
  });

  it('that the loop added has no scripts, and one that it removed is back', () => {
    const loop = json({ name: 'b', type: 'module', scripts: { test: 'true' } });
    expect(JSON.parse(restoreManifest('package.json', null, loop).text ?? '')).toEqual({
      name: 'b',
      type: 'module',
    });
    const base = json({ name: 'b', scripts: { test: 'vitest' } });
    const { text, restored } = restoreManifest('package.json', base, null);
    expect({ text, restored }).toEqual({ text: base, restored: ['scripts.test'] });
  });
});

describe('pyproject.toml', () => {
  const base = `[project]
name = "shop"
version = "1.0"
dependencies = ["a"]

[tool.pytest.ini_options]
addopts = "-q"
minversion = 7.0

[tool.ruff]
line-length = 100
`;

  it('keeps packaging and dependencies of the loop and the tools of the base', () => {
    const loop = `[project]
name = "shop"
version = "2.0"
released = 2026-01-02
dependencies = ["a", "b"]
[project.scripts]
shop = "shop:main"
pytest = "shop:fake"
[project.entry-points.pytest11]
quiet = "shop.quiet"
[tool.pytest.ini_options]
addopts = "-q --ignore=tests"
[tool.poetry.dependencies]
c = "^1"
[tool.setuptools]
packages = ["shop"]
[tool.coverage.run]
omit = ["*"]
`;
    const { text, restored, dependencies } = restoreManifest('pyproject.toml', base, loop);
    expect(restored).toEqual([
      'project.scripts.pytest',
      'project.entry-points.pytest11',
      'tool.pytest',
      'tool.coverage',
      'tool.ruff',
    ]);
    expect(dependencies).toBe(true);
    const value = parse(text ?? '');
    expect(value).toMatchObject({
      project: { version: '2.0', dependencies: ['a', 'b'], scripts: { shop: 'shop:main' } },
      tool: {
        pytest: { ini_options: { addopts: '-q' } },
        poetry: { dependencies: { c: '^1' } },
        setuptools: { packages: ['shop'] },
        ruff: { 'line-length': 100 },
      },
    });
    expect(text).toContain('released = 2026-01-02');
    expect(text).toContain('minversion = 7.0');
    expect(text).toContain('line-length = 100\n');
    expect(text).not.toContain('pytest11');
  });

  it('sees tables however they are written', () => {
    const loop = `tool.pytest.ini_options = { addopts = "-q --co", minversion = 7.0 }\ntool.ruff.line-length = 100\n[project]\nname = "shop"\nversion = "1.0"\ndependencies = ["a"]\n`;
    expect(restoreManifest('pyproject.toml', base, loop).restored).toEqual(['tool.pytest']);
  });
});

describe('Cargo.toml', () => {
  it('keeps what is built and takes what is tested from the base', () => {
    const base = `[package]\nname = "a"\nversion = "0.1.0"\n[dependencies]\nx = "1"\n[[test]]\nname = "it"\npath = "tests/it.rs"\n`;
    const loop = `[package]\nname = "a"\nversion = "0.2.0"\nautotests = false\n[lib]\npath = "src/lib.rs"\ntest = false\n[dependencies]\nx = "2"\n[dev-dependencies]\npretty_assertions = { path = "fake" }\nrstest = "0.20"\n[features]\nfast = []\n[profile.test]\ndebug-assertions = false\n[[bin]]\nname = "b"\npath = "src/b.rs"\n[lints.rust]\nunused = "allow"\n`;
    const { text, restored, dependencies } = restoreManifest('Cargo.toml', base, loop);
    expect(restored.toSorted()).toEqual([
      'dev-dependencies.pretty_assertions',
      'lib.test',
      'lints.rust',
      'package.autotests',
      'profile.test',
      'test',
    ]);
    expect(dependencies).toBe(true);
    expect(parse(text ?? '')).toEqual({
      package: { name: 'a', version: '0.2.0' },
      lib: { path: 'src/lib.rs' },
      dependencies: { x: '2' },
      'dev-dependencies': { rstest: '0.20' },
      features: { fast: [] },
      bin: [{ name: 'b', path: 'src/b.rs' }],
      test: [{ name: 'it', path: 'tests/it.rs' }],
    });
  });
});

describe('setup.cfg', () => {
  it('is put together by section', () => {
    const base = '[metadata]\nname = a\n\n[tool:pytest]\naddopts = -q\n';
    const loop =
      '[metadata]\r\nname = a\r\nversion = 2\r\n[options]\r\ninstall_requires = b\r\n[tool:pytest]\r\naddopts = --co\r\n[flake8]\r\nignore = E\r\n';
    const { text, restored, dependencies } = restoreManifest('setup.cfg', base, loop);
    expect(text).toBe(
      '[metadata]\r\nname = a\r\nversion = 2\r\n[options]\r\ninstall_requires = b\r\n[tool:pytest]\naddopts = -q\n',
    );
    expect({ restored, dependencies }).toEqual({
      restored: ['tool:pytest', 'flake8'],
      dependencies: true,
    });
  });

  it.each(['[metadata]\n[metadata]\n', '[metadata]\na = b\n [tool:pytest]\naddopts = --co\n'])(
    'that readers disagree about is the one of the base: %j',
    (loop) => {
      expect(restoreManifest('setup.cfg', '[metadata]\n', loop).text).toBe('[metadata]\n');
    },
  );
});

describe('pom.xml', () => {
  const base = `<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <!-- <build> in a comment -->
  <version>1</version>
  <properties>
    <java.version>21</java.version>
    <lib.version>1.0</lib.version>
  </properties>
  <dependencies><dependency><version>\${lib.version}</version></dependency></dependencies>
  <build><plugins/></build>
</project>
`;

  it('keeps dependencies with their versions and takes the build from the base', () => {
    const loop = base
      .replace('<version>1<', '<version>2<')
      .replace('>1.0<', '>2.0<')
      .replace('</properties>', '<skipTests>true</skipTests></properties>')
      .replace('<plugins/>', '<plugins><plugin>surefire</plugin></plugins>')
      .replace('</project>', '<profiles><profile/></profiles></project>');
    const { text, restored, dependencies } = restoreManifest('pom.xml', base, loop);
    expect(restored).toEqual(['properties.skipTests', 'build', 'profiles']);
    // The version of a dependency stands among the properties.
    expect(dependencies).toBe(true);
    expect(text).toContain('<version>2</version>');
    expect(text).toContain('<lib.version>2.0</lib.version>');
    expect(text).toContain('<build><plugins/></build>');
    expect(text).not.toContain('skipTests');
    expect(text).not.toContain('<profiles>');
  });

  it.each(['<project>', '<!DOCTYPE x [<!ENTITY a "b">]><project></project>', '<project></other>'])(
    'that is not well formed is the one of the base: %s',
    (loop) => {
      expect(restoreManifest('pom.xml', base, loop).text).toBe(base);
    },
  );

  it('does the same for a project of .NET', () => {
    const project = `<Project Sdk="Microsoft.NET.Sdk">\n<PropertyGroup><TargetFramework>net9.0</TargetFramework></PropertyGroup>\n</Project>\n`;
    const loop = project
      .replace(
        '</Project>',
        '<ItemGroup><PackageReference Include="A"/></ItemGroup>\n<Target Name="VSTest"/>\n</Project>',
      )
      .replace('Microsoft.NET.Sdk', 'Evil.Sdk');
    const { text, restored, dependencies } = restoreManifest('Shop/Shop.csproj', project, loop);
    expect(restored).toEqual(['Project', 'Target']);
    expect(dependencies).toBe(true);
    expect(text).toContain('<ItemGroup><PackageReference Include="A"/></ItemGroup>');
    expect(text).toContain('Sdk="Microsoft.NET.Sdk"');
    expect(text).not.toContain('VSTest');
  });
});

describe('composer.json and deno.json', () => {
  it('keep dependencies and take scripts and tasks from the base', () => {
    const composer = restoreManifest(
      'composer.json',
      json({ scripts: { test: 'phpunit' }, require: { php: '8' } }),
      json({ scripts: { test: 'true' }, require: { php: '9' }, config: { 'bin-dir': 'x' } }),
    );
    expect(composer.restored).toEqual(['scripts.test', 'config']);
    const deno = restoreManifest(
      'deno.json',
      json({ tasks: { test: 'deno test' } }),
      json({ tasks: { test: 'true' }, imports: { a: 'jsr:a' }, test: { exclude: ['**'] } }),
    );
    expect(deno.restored).toEqual(['tasks.test', 'test']);
    expect(JSON.parse(deno.text ?? '')).toEqual({
      tasks: { test: 'deno test' },
      imports: { a: 'jsr:a' },
    });
  });
});

describe('files of builds', () => {
  const base =
    'CC = gcc\nSRCS = main.c \\\n  list.c\nTESTS = tests/a.c\n\ncheck: app\n\t./app --check\n';

  it.each(['Makefile', 'GNUmakefile'])(
    'take the lists of sources of a %s from the loop',
    (path) => {
      const loop = base.replace('list.c', 'list.c map.c');
      expect(restoreManifest(path, base, loop)).toEqual({
        text: loop,
        restored: [],
        dependencies: false,
      });
      const cheat = loop.replace('./app --check', 'true').replace('tests/a.c', 'tests/b.c');
      const { text, restored } = restoreManifest(path, base, cheat);
      expect(text).toBe(loop);
      expect(restored).toHaveLength(1);
    },
  );

  it('do not take anything but sources for a list of them', () => {
    for (const line of [
      'SRCS = main.c $(shell true)',
      'SRCS = tests/a.c',
      'SRCS = main.c\nSRCS = x.c',
    ]) {
      const loop = base.replace('SRCS = main.c \\\n  list.c', line);
      expect(restoreManifest('Makefile', base, loop).text).toBe(base);
    }
  });

  it('let sources join a list that has tests, and nothing else', () => {
    const cmake = 'enable_testing()\nadd_executable(calc_test tests/calc_test.c calc.c)\n';
    const restored = (list: string) =>
      restoreManifest('CMakeLists.txt', cmake, cmake.replace('tests/calc_test.c calc.c', list));
    expect(restored('tests/calc_test.c calc.c minus.c').restored).toEqual([]);
    expect(restored('tests/calc_test.c minus.c calc.c').restored).toEqual([]);
    for (const list of [
      'calc.c',
      'tests/calc_test.c',
      'other.c calc.c',
      'tests/calc_test.c calc.c tests/more.c',
    ])
      expect(restored(list).text).toBe(cmake);
    const make = 'FILES = tests/t.c calc.c\nall:\n\tcc $(FILES)\n';
    const loop = make.replace('calc.c', 'calc.c minus.c');
    expect(restoreManifest('Makefile', make, loop)).toMatchObject({ text: loop, restored: [] });
  });

  it('do the same for CMake', () => {
    const cmake = 'project(a)\nadd_library(a STATIC\n  a.cpp)\nadd_test(NAME t COMMAND t)\n';
    const loop = cmake.replace('a.cpp', 'a.cpp b.cpp');
    expect(restoreManifest('CMakeLists.txt', cmake, loop)).toMatchObject({
      text: loop,
      restored: [],
    });
    const cheat = loop.replace('COMMAND t', 'COMMAND true');
    expect(restoreManifest('lib/CMakeLists.txt', cmake, cheat).text).toBe(loop);
  });

  it('that the loop added are away', () => {
    expect(restoreManifest('GNUmakefile', null, base).text).toBeNull();
  });
});

describe('any manifest', () => {
  const key = fc.constantFrom(
    'name',
    'version',
    'scripts',
    'jest',
    'dependencies',
    'bin',
    'type',
    '__proto__',
    'test',
    'tool',
    'pytest',
    '',
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 3 }, fc.string(), fc.integer(), fc.boolean(), tie('table')),
    table: fc.dictionary(key, tie('any'), { maxKeys: 5 }),
  })).table;

  it('restored from itself is itself, and restored twice is restored once', () => {
    fc.assert(
      fc.property(value, value, (base, loop) => {
        const [old, now] = [json(base), json(loop)];
        expect(restoreManifest('package.json', old, old)).toMatchObject({
          text: old,
          restored: [],
        });
        const once = restoreManifest('package.json', old, now);
        const twice = restoreManifest('package.json', old, once.text);
        expect(twice.restored).toEqual([]);
        expect(twice.text).toBe(once.text);
        // The judge of the result is the base's, the product is the loop's.
        expect(restoreManifest('package.json', once.text, old).restored).toEqual([]);
        expect(JSON.parse(once.text ?? '{}').version).toEqual(JSON.parse(now).version);
      }),
    );
  });

  it('of whatever text never throws', () => {
    const names = [
      'package.json',
      'pyproject.toml',
      'Cargo.toml',
      'setup.cfg',
      'pom.xml',
      'a.csproj',
      'composer.json',
      'other',
      'Makefile',
      'CMakeLists.txt',
    ];
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('{}', '<a></a>', '[a]\n', 'a = 1\n', '<a b="'),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.option(text),
        fc.option(text),
        (name, base, loop) => {
          restoreManifest(name, base, loop);
        },
      ),
    );
  });
});
