import { describe, expect, it } from 'vitest';
import type { JudgeKind } from '../../../src/core/judge/judge.ts';
import { judgeOf, kindsOf } from './find.ts';

/** Paths by what they are, one list per ecosystem. */
const table: Readonly<Record<string, Partial<Record<JudgeKind | 'product', string>>>> = {
  'JavaScript and TypeScript': {
    test: 'test/a.test.ts src/a.test.ts src/a.spec.tsx src/__tests__/a.js a_test.js test.js test-a.mjs src/a.cy.ts e2e/login.ts test/helpers/render.ts src/setupTests.ts src/test-utils.tsx __mocks__/fs.js src/types.test-d.ts packages/a/tests/b.js FooSpec.js',
    data: 'src/__snapshots__/a.snap test/fixtures/a.json src/__fixtures__/x.ts out.snap',
    config:
      'jest.config.js vitest.config.mts vitest.workspace.ts vite.config.ts .mocharc.json .mocharc.cjs ava.config.js karma.conf.js playwright.config.ts cypress.config.ts tsconfig.json packages/a/tsconfig.build.json babel.config.js .babelrc .swcrc .eslintrc.json eslint.config.mjs .eslintignore biome.json .prettierrc .nycrc .c8rc.json .npmrc .yarnrc.yml .pnpmfile.cjs bunfig.toml nx.json turbo.json lerna.json webpack.config.js rollup.config.mjs .nvmrc .node-version .env.test node_modules/.bin/vitest node_modules/chai/index.js patches/jest+29.patch node.config.json',
    manifest: 'package.json packages/a/package.json deno.json',
    dependencies:
      'package-lock.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock npm-shrinkwrap.json',
    product:
      'src/index.ts src/latest.ts src/contest.js lib/testing.ts src/test-runner.ts src/commands/test.ts src/config.ts index.js README.md docs/how-to-test.md src/app.config.ts tailwind.config.js src/specification.ts public/index.html src/inspector.ts src/failing-test.ts src/workspace-spec.ts app/attestation.ts src/features/cart/index.ts LICENSE .gitignore',
  },
  Python: {
    test: 'tests/test_a.py test_a.py pkg/test_b.py pkg/b_test.py app/tests.py tests/helpers.py tests/conftest.py',
    data: 'tests/data/testdata/a.csv testdata/x.json tests/cassettes/a.yaml tests/__snapshots__/a.ambr',
    config:
      'conftest.py pytest.ini tox.ini noxfile.py .coveragerc sitecustomize.py usercustomize.py pytest.py _pytest/__init__.py unittest/__init__.py random.py hack.pth mypy.ini .flake8 ruff.toml .python-version pyrightconfig.json manage.py .pylintrc',
    manifest: 'pyproject.toml setup.cfg',
    dependencies:
      'requirements.txt requirements-dev.txt requirements/dev.txt poetry.lock uv.lock Pipfile Pipfile.lock setup.py constraints.txt',
    product:
      'pkg/__init__.py pkg/random.py app.py calendar.py src/pkg/testing.py pkg/contest.py tasks.py app/tasks.py docs/testing.rst',
  },
  Go: {
    test: 'a_test.go pkg/b/b_test.go internal/testutil.go',
    data: 'pkg/testdata/golden.txt a.golden',
    config: 'go.work .golangci.yml vendor/github.com/stretchr/testify/assert/assertions.go',
    dependencies: 'go.mod go.sum vendor/github.com/x/y/y.go vendor/modules.txt',
    product: 'main.go pkg/b/b.go cmd/test.go internal/latest/latest.go',
  },
  Rust: {
    test: 'tests/it.rs src/tests.rs src/parser/tests.rs src/parser_test.rs crates/a/tests/x.rs',
    data: 'src/snapshots/a.snap tests/fixtures/a.toml',
    config:
      '.cargo/config.toml build.rs clippy.toml rustfmt.toml rust-toolchain.toml .config/nextest.toml',
    manifest: 'Cargo.toml crates/a/Cargo.toml',
    dependencies: 'Cargo.lock',
    product: 'src/lib.rs src/main.rs src/testimony.rs examples/a.rs',
  },
  Ruby: {
    test: 'spec/a_spec.rb test/a_test.rb spec/spec_helper.rb spec/support/x.rb features/login.feature',
    config: '.rspec Rakefile .rubocop.yml .ruby-version',
    dependencies: 'Gemfile Gemfile.lock foo.gemspec',
    product: 'lib/a.rb app/models/spec_sheet.rb spec/openapi.yaml spec/README.md',
  },
  PHP: {
    test: 'tests/ATest.php src/FooTest.php',
    config:
      'phpunit.xml phpunit.xml.dist phpstan.neon vendor/phpunit/phpunit/src/Framework/Assert.php',
    manifest: 'composer.json',
    dependencies: 'composer.lock',
    product: 'src/A.php src/Contest.php public/index.php',
  },
  JVM: {
    test: 'src/test/java/ATest.java src/test/resources/x.properties src/main/java/FooTests.java app/src/androidTest/A.kt',
    config:
      'build.gradle build.gradle.kts settings.gradle gradle.properties gradlew mvnw .mvn/maven.config gradle/wrapper/gradle-wrapper.properties checkstyle.xml',
    manifest: 'pom.xml module/pom.xml',
    product: 'src/main/java/A.java src/main/java/Contest.java src/main/resources/application.yml',
  },
  '.NET': {
    test: 'Shop.Tests/CartTests.cs tests/Shop.UnitTests/x.json Shop.Tests/Shop.Tests.csproj',
    config: 'Directory.Build.props ci.runsettings global.json NuGet.config xunit.runner.json',
    manifest: 'Shop/Shop.csproj',
    dependencies: 'Directory.Packages.props packages.lock.json',
    product: 'Shop/Cart.cs Shop.sln Shop/appsettings.json',
  },
  'C and C++': {
    test: 'tests/main.c test_list.c src/list_test.cc src/list_unittest.cpp tests/CMakeLists.txt',
    config:
      'rules.mk CTestTestfile.cmake CMakePresets.json cmake/flags.cmake third_party/googletest/src/gtest.cc .clang-tidy meson.build configure.ac',
    manifest: 'Makefile GNUmakefile makefile CMakeLists.txt',
    product: 'src/list.c include/list.h list.c src/latest.cc',
  },
  'shell and others': {
    test: 'test/a.bats a.bats t/basic.t tests/lib.sh',
    config:
      'Justfile Taskfile.yml .shellcheckrc .gitlab-ci.yml .github/workflows/ci.yml loopwright.yml mix.exs Package.swift .tool-versions',
    product: 'install.sh bin/tool.sh docs/a.md',
  },
};

const cases = Object.entries(table).flatMap(([ecosystem, kinds]) =>
  Object.entries(kinds).flatMap(([kind, paths]) =>
    paths.split(' ').map((path) => [ecosystem, path, kind] as const),
  ),
);

describe('what a path tells', () => {
  it.each(cases)('%s: %s is %s', (_ecosystem, path, kind) => {
    expect(kindsOf(judgeOf({ [path]: '' }))[path] ?? 'product').toBe(kind);
  });
});
