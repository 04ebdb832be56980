import type { Pattern } from './pattern.ts';

const ofCi = 'configuration of CI';
const ofLoopwright = 'configuration of Loopwright';

/** Reasons of files that judge and load nothing into a check: their commands are the checks themselves, or run elsewhere. */
export const unread: ReadonlySet<string> = new Set([ofCi, ofLoopwright]);

/** Programs that were installed into the repository: they run in front of everything else. */
export const installed: readonly Pattern[] = [
  {
    kind: 'config',
    reason: 'installed dependencies',
    folders: 'node_modules .bin site-packages .venv venv .pnp .yarn',
  },
  {
    kind: 'config',
    reason: 'installed dependencies',
    names: '.pnp.cjs .pnp.js .pnp.loader.mjs *.pth *.egg-link',
    paths: '*.egg-info/* *.dist-info/*',
  },
];

export const data: readonly Pattern[] = [
  {
    kind: 'data',
    reason: 'snapshots of tests',
    folders: '__snapshots__ __image_snapshots__ __file_snapshots__ .snapshots',
    names: '*.snap *.snap.new *.snapshot *.snap.* *.ambr *.approved.* *.verified.*',
  },
  {
    kind: 'data',
    reason: 'data of tests',
    folders:
      'fixtures __fixtures__ testdata test-data test_data testfixtures test-fixtures test_fixtures cassettes goldens golden __golden__ golden-files',
    names: '*.golden *.expected *.golden.* *.expected.*',
  },
];

export const dependencies: readonly Pattern[] = [
  {
    kind: 'dependencies',
    reason: 'lock file',
    names:
      'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock poetry.lock uv.lock pdm.lock pylock.toml pylock.*.toml Pipfile.lock conda-lock.yml pixi.lock Cargo.lock go.sum go.work.sum Gemfile.lock gems.locked composer.lock gradle.lockfile buildscript-gradle.lockfile packages.lock.json paket.lock mix.lock pubspec.lock Package.resolved Podfile.lock conan.lock vcpkg-lock.json flake.lock stack.yaml.lock cabal.project.freeze MODULE.bazel.lock Manifest.toml symfony.lock',
  },
  {
    kind: 'dependencies',
    reason: 'list of dependencies',
    names:
      'requirements.txt requirements*.txt *-requirements.txt *_requirements.txt requirements*.in constraints.txt constraints*.txt Pipfile environment.yml environment.yaml pixi.toml setup.py go.mod Gemfile gems.rb *.gemspec Directory.Packages.props packages.config paket.dependencies libs.versions.toml pubspec.yaml Podfile conanfile.txt conanfile.py vcpkg.json flake.nix shell.nix cpanfile pnpm-workspace.yaml',
  },
  {
    kind: 'dependencies',
    reason: 'list of dependencies',
    paths: 'requirements/*.txt requirements/*.in',
  },
  {
    kind: 'dependencies',
    reason: 'vendored dependencies',
    folders: 'third_party third-party bower_components',
    paths: 'vendor/modules.txt vendor/autoload.php',
  },
];

export const testFolders: readonly Pattern[] = [
  {
    kind: 'test',
    reason: 'in a folder of tests',
    folders:
      'test tests __tests__ __test__ spec specs e2e __e2e__ __mocks__ androidtest integrationtest functionaltest unittest unittests integrationtests functionaltests commontest jvmtest jstest nativetest uitests xtests test-utils test-helpers test-support test_utils test_helpers test_support testutils testutil testkit test-kit',
  },
  {
    kind: 'test',
    reason: 'in a folder of tests',
    outsideSources: true,
    folders: 'cypress playwright selenium testing',
    paths: 't/lib/*',
  },
];

export const tests: readonly Pattern[] = [
  {
    kind: 'test',
    reason: 'file of tests',
    names:
      '*.test.* *.spec.* *.tests.* *.specs.* *.cy.* *.e2e.* *.e2e-spec.* *.test-d.* *.spec-d.* *_test.* *_tests.* *_spec.* *_specs.* *_unittest.* *.bats *.feature *.Tests.ps1',
  },
  { kind: 'test', reason: 'file of pytest', names: 'test_*.py test.py tests.py' },
  { kind: 'test', reason: 'tests of a crate', names: 'tests.rs' },
  {
    kind: 'test',
    reason: 'file of tests',
    names: `*Test.java *Tests.java *TestCase.java Test*.java *IT.java *ITCase.java *Test.kt *Tests.kt *Spec.kt *Test.scala *Tests.scala *Spec.scala
      *Suite.scala *Test.groovy *Tests.groovy *Spec.groovy *Test.php *Tests.php *TestCase.php *Cest.php *Cept.php *Test.cs *Tests.cs *Test.fs
      *Tests.fs *Test.vb *Tests.vb *Test.swift *Tests.swift *Tests.m *Test.m *Tests.mm *Test.cpp *Tests.cpp *Test.cc *Tests.cc *Test.c *Spec.hs
      *Test.hs *Test.dart *Test.hx`,
  },
  {
    kind: 'test',
    reason: 'help for tests',
    names: `test-util.* test-utils.* test-helper.* test-helpers.* test-setup.* test-support.* test-fixtures.* test_util.* test_utils.* test_helper.*
      test_helpers.* test_setup.* test_support.* testutil.go testutils.go testhelper.go testhelpers.go testing_util.* testing_utils.* testing-utils.* testing-util.*
      testUtils.* testUtil.* testHelper.* testHelpers.* testSetup.* setupTests.* setupTest.* setup-tests.* setup-test.* setup_tests.* setup_test.*
      jest.setup.* jest-setup.* vitest.setup.* vitest-setup.* vitest.global-setup.* rails_helper.rb spec_helper.rb`,
  },
  {
    kind: 'test',
    reason: 'file of tests',
    outsideSources: true,
    names:
      '*-test.* *-tests.* *-spec.* test-*.* test_*.* test.* tests.* spec.js spec.ts spec.mjs spec.cjs spec.rb *Spec.js *Spec.mjs *Spec.ts *Test.js *Test.mjs *Test.ts *Tests.js *Tests.ts *.t run-tests.* run_tests.* runtests.* runtests run-tests run_tests',
  },
];

export const configs: readonly Pattern[] = [
  {
    kind: 'config',
    reason: 'configuration of a test runner',
    names: `jest.config.* jest.*.config.* jest-*.config.* jest.preset.* jest.projects.* vitest.config.* vitest.*.config.* vitest.workspace.* vitest.projects.*
      vite.config.* vite.*.config.* .mocharc .mocharc.* mocha.opts ava.config.* .taprc .taprc.* tap.config.* karma.conf.* karma.*.conf.* wdio.conf.*
      wdio.*.conf.* playwright.config.* playwright.*.config.* playwright-ct.config.* cypress.config.* cypress.json cypress.env.json jasmine.json
      .jasmine.json jasmine.*.json nightwatch.conf.* nightwatch.json testcafe.config.* .testcaferc.* web-test-runner.config.* wtr.config.* uvu.config.*
      qunit.config.* testem.js testem.json testem.cjs .testem.json poku.config.* codecept.conf.* cucumber.js cucumber.cjs cucumber.mjs cucumber.json cucumber.yml
      cucumber.yaml stryker.conf.* stryker.config.* bunfig.toml .nycrc .nycrc.* nyc.config.* .c8rc .c8rc.* .istanbul.yml .istanbul.js
      monocart.config.* tsd.json japa.config.* node.config.json`,
  },
  {
    kind: 'config',
    reason: 'configuration of a build or compiler',
    names: `tsconfig.json tsconfig.*.json tsconfig-*.json jsconfig.json jsconfig.*.json babel.config.* .babelrc .babelrc.* .swcrc .swcrc.* swc.config.*
      webpack.config.* webpack.*.js webpack.*.config.* rollup.config.* rollup.*.config.* rolldown.config.* esbuild.config.* esbuild.js esbuild.mjs
      tsup.config.* tsdown.config.* unbuild.config.* build.config.* rspack.config.* rsbuild.config.* rslib.config.* rstest.config.* parcel.config.*
      .parcelrc metro.config.* snowpack.config.* next.config.* nuxt.config.* svelte.config.* astro.config.* vue.config.* remix.config.* angular.json
      craco.config.* gulpfile.* Gulpfile.* Gruntfile.* gruntfile.* moon.yml nx.json project.json turbo.json turbo.jsonc lerna.json rush.json .wireit.json
      wireit.json import_map.json import-map.json`,
  },
  {
    kind: 'config',
    reason: 'configuration of a linter or formatter',
    names: `.eslintrc .eslintrc.* .eslintignore eslint.config.* .eslint-todo.* eslint-suppressions.json biome.json biome.jsonc .oxlintrc.json oxlint.json oxlint.config.* .oxfmtrc.json
      .oxfmtrc.jsonc .prettierrc .prettierrc.* .prettierignore prettier.config.* .stylelintrc .stylelintrc.* .stylelintignore stylelint.config.* tslint.json
      .markdownlint.* .markdownlint-cli2.* .markdownlintignore .editorconfig .jshintrc .jshintignore .jscsrc .xo-config.* xo.config.* dprint.json .dprint.json
      knip.json knip.jsonc knip.config.* .knip.json .dependency-cruiser.* .commitlintrc .commitlintrc.* commitlint.config.* .lintstagedrc .lintstagedrc.*
      lint-staged.config.* .yamllint .yamllint.* .hadolint.yaml .shellcheckrc .codespellrc .typos.toml typos.toml _typos.toml .cspell.json cspell.json
      cspell.config.* .size-limit.* .bundlewatch.config.* lighthouserc.* .lighthouserc.* .pre-commit-config.yaml lefthook.yml lefthook.yaml .lefthook.yml .spectral.yaml .sqlfluff
      sonar-project.properties .codecov.yml codecov.yml .codecov.yaml codecov.yaml .coveralls.yml`,
  },
  {
    kind: 'config',
    reason: 'configuration of a package manager or runtime',
    names: `.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs pnpmfile.js .node-version .nvmrc .python-version .ruby-version .java-version .php-version
      .tool-versions mise.toml .mise.toml .volta rust-toolchain rust-toolchain.toml global.json .sdkmanrc .bazelversion .bazelrc WORKSPACE WORKSPACE.bazel
      MODULE.bazel .env .env.local .env.test .env.testing .env.ci .env.*.test .env.test.* .envrc pip.conf .pip.conf .condarc NuGet.Config nuget.config NuGet.config
      .terraform-version .swift-version .sdkmanrc uv.toml poetry.toml pdm.toml .pypirc .pdbrc .noderc .buckconfig devbox.json`,
  },
  {
    kind: 'config',
    reason: 'patches of dependencies',
    outsideSources: true,
    folders: 'patches',
  },
  {
    kind: 'config',
    reason: 'configuration of Python tests or tools',
    names: `conftest.py pytest.ini .pytest.ini pytest.toml .pytest.toml tox.ini tox.toml noxfile.py .coveragerc .coveragerc.* coverage.toml .flake8 .pylintrc pylintrc .pylintrc.toml pylintrc.toml mypy.ini .mypy.ini
      ruff.toml .ruff.toml pyrightconfig.json pyre.json .pyre_configuration .isort.cfg .bandit bandit.yaml .pydocstyle .pycodestyle .style.yapf
      hatch.toml behave.ini .behaverc nose.cfg .noserc nose2.cfg unittest.cfg robot.toml asv.conf.json sitecustomize.py usercustomize.py manage.py dodo.py pavement.py
      fabfile.py buildout.cfg .hypothesis.toml`,
    folders: '.hypothesis',
  },
  {
    kind: 'config',
    reason: 'configuration of Cargo, rustc or a Rust runner',
    names:
      'build.rs clippy.toml .clippy.toml rustfmt.toml .rustfmt.toml deny.toml tarpaulin.toml .tarpaulin.toml nextest.toml insta.yaml cargo-generate.toml Makefile.toml Cross.toml',
    paths: '.cargo/* .config/nextest.toml .config/insta.yaml',
  },
  {
    kind: 'config',
    reason: 'configuration of Go tools',
    names:
      'go.work .golangci.yml .golangci.yaml .golangci.toml .golangci.json golangci.yml staticcheck.conf .testcoverage.yml .mockery.yaml .mockery.yml magefile.go',
    folders: 'magefiles',
  },
  {
    kind: 'config',
    reason: 'configuration of Ruby tests or tools',
    names:
      '*.rake .rspec .rspec-local .rspec_parallel Rakefile rakefile Rakefile.rb rakefile.rb .rubocop.yml .rubocop_todo.yml .simplecov .standard.yml .reek.yml .mutant.yml Guardfile Appraisals .minitest .irbrc .ruby-gemset Steepfile',
    paths: '.bundle/config config/environments/test.rb',
  },
  {
    kind: 'config',
    reason: 'configuration of PHP tests or tools',
    names:
      'phpunit.xml phpunit.xml.* phpunit.*.xml phpunit.dist.xml pest.php Pest.php codeception.yml codeception.*.yml codeception.yaml behat.yml behat.yml.dist behat.yaml behat.php phpspec.yml phpspec.yml.dist phpstan.neon phpstan.neon.dist phpstan.dist.neon phpstan-baseline.neon phpstan-baseline.php psalm.xml psalm.xml.dist psalm-baseline.xml phpcs.xml phpcs.xml.dist .phpcs.xml .php-cs-fixer.php .php-cs-fixer.dist.php .php_cs .php_cs.dist infection.json infection.json5 infection.json.dist grumphp.yml rector.php artisan php.ini .user.ini kahlan-config.php captainhook.json',
  },
  {
    kind: 'config',
    reason: 'configuration of a JVM build or its tests',
    names:
      'build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradlew gradlew.bat init.gradle mvnw mvnw.cmd maven.config jvm.config junit-platform.properties testng.xml testng-*.xml checkstyle.xml checkstyle-*.xml pmd.xml ruleset.xml spotbugs*.xml detekt.yml detekt.yaml .scalafmt.conf .scalafix.conf build.sbt build.sc build.mill project.clj deps.edn tests.edn shadow-cljs.edn build.xml ivy.xml lombok.config',
    folders: '.mvn buildsrc build-logic .gradle',
    paths: 'gradle/* gradle/wrapper/* project/*.sbt project/build.properties project/*.scala',
  },
  {
    kind: 'config',
    reason: 'configuration of a .NET build or its tests',
    names:
      'Directory.Build.props Directory.Build.targets Directory.Build.rsp Directory.Solution.props Directory.Solution.targets *.runsettings *.testsettings xunit.runner.json *.xunit.runner.json testconfig.json *.testconfig.json .runsettings stylecop.json .globalconfig *.globalconfig *.ruleset *.props *.targets build.cake dotnet-tools.json coverlet.json coverlet.runsettings',
  },
  {
    kind: 'config',
    reason: 'configuration of make, CMake or another build',
    names:
      '*.mk *.mak Makefile.* GNUmakefile.* makefile.* CTestTestfile.cmake CTestConfig.cmake CTestCustom.cmake CTestCustom.cmake.in *.cmake CMakePresets.json CMakeUserPresets.json meson.build meson_options.txt meson.options configure configure.ac configure.in Makefile.am Makefile.in SConstruct SConscript wscript premake5.lua xmake.lua build.ninja BUCK .clang-tidy .clang-format .cppcheck .valgrindrc *.supp gtest.ini tup.config Tupfile build.zig build.zig.zon',
  },
  {
    kind: 'config',
    reason: 'configuration of a task runner',
    names:
      'Justfile justfile .justfile *.just Taskfile.yml Taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml taskfile.yml taskfile.yaml Earthfile .earthly Tiltfile .batsrc .shellspec .shellspec-local .bashrc .bash_profile .profile .zshenv .zshrc .inputrc .proverc .perlcriticrc .perltidyrc dist.ini Makefile.PL Build.PL mix.exs .formatter.exs .credo.exs .dialyzer_ignore.exs coveralls.json rebar.config rebar.config.script elvis.config .busted .luacheckrc .luacov Package.swift .swiftlint.yml .swiftformat analysis_options.yaml dart_test.yaml build.yaml stack.yaml cabal.project cabal.project.local hie.yaml .hlint.yaml .hspec dune-project dune dune-workspace project.godot .lintr .Rprofile .Renviron',
    paths: 'config/test.exs config/runtime.exs',
  },
  {
    kind: 'config',
    reason: ofCi,
    names:
      '.gitlab-ci.yml .gitlab-ci.yaml .travis.yml appveyor.yml .appveyor.yml azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml Jenkinsfile Jenkinsfile.* .drone.yml .drone.yaml .cirrus.yml .woodpecker.yml wercker.yml cloudbuild.yaml buildspec.yml .semaphore.yml',
    folders: '.circleci .buildkite .woodpecker .semaphore',
    paths:
      '.github/workflows/* .github/actions/*/* .forgejo/workflows/* .gitea/workflows/* .gitlab/ci/*',
  },
  {
    kind: 'config',
    reason: ofLoopwright,
    names: 'loopwright.yml loopwright.yaml',
    folders: '.loopwright',
    paths: 'loopwright/types/* loopwright/prompts/*',
  },
];

/** Half product: put back by key. */
export const manifests: readonly Pattern[] = [
  {
    kind: 'manifest',
    reason: 'scripts and tool sections of a manifest',
    names:
      'package.json deno.json deno.jsonc composer.json pyproject.toml setup.cfg Cargo.toml pom.xml *.csproj *.fsproj *.vbproj',
  },
  {
    kind: 'manifest',
    reason: 'rules of a build',
    names: 'GNUmakefile makefile Makefile CMakeLists.txt',
  },
];

/** Modules that Python takes from the folder it runs in before its own: at the root such a name has no other use. */
export const shadowingModules: ReadonlySet<string> = new Set(
  `pytest _pytest py pluggy iniconfig unittest nose nose2 hypothesis coverage doctest mock tox nox xdist pytest_cov
   site os sys builtins importlib inspect traceback types typing io abc functools collections contextlib dataclasses enum
   re argparse ast warnings tempfile shutil pathlib difflib linecache tokenize dis encodings codecs json random math
   subprocess threading signal time operator copy copyreg weakref pprint decimal fractions struct runpy pkgutil logging
   asyncio socket datetime textwrap keyword stat genericpath posixpath ntpath fnmatch glob zipfile configparser getopt
   optparse hashlib locale gettext bdb pdb atexit gc itertools heapq bisect reprlib opcode _collections_abc
   typing_extensions attr packaging tomli tomllib pygments colorama numpy`.split(/\s+/),
);
