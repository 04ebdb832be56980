/** Packages that judge: runners, assertion libraries, compilers and linters that checks run. */
const runners: ReadonlySet<string> = new Set(
  `
  vitest jest mocha chai ava tap tape uvu qunit jasmine karma cypress playwright playwright-core sinon supertest
  expect assert should power-assert nyc c8 node tsx ts-node typescript tsc eslint oxlint biome prettier fast-check nock
  testdouble jsdom happy-dom babel-jest ts-jest cross-env npm-run-all concurrently turbo nx lerna tsd
  pytest unittest unittest2 nose nose2 hypothesis tox nox coverage mock pluggy iniconfig pytest-cov pytest-xdist mypy
  ruff flake8 pylint black pyright assertpy
  rstest proptest quickcheck insta pretty_assertions assert_cmd mockall test-case trybuild criterion nextest libtest-mimic
  rspec minitest test-unit cucumber rubocop rake phpunit pest codeception mockery phpstan psalm
  junit testng mockito assertj hamcrest surefire xunit nunit mstest testify gomega ginkgo
  googletest gtest gmock catch2 doctest unity bats bats-core bats-assert bats-support sh bash npm npx yarn pnpm make
`
    .trim()
    .split(/\s+/),
);
const scopes = [
  '@vitest',
  '@jest',
  '@playwright',
  '@testing-library',
  '@types',
  '@typescript-eslint',
];

/** Whether a package of that name judges, so that something else under its name is another judge. */
export function isRunnerName(name: string): boolean {
  const slash = name.indexOf('/');
  const scope = slash === -1 ? '' : name.slice(0, slash);
  return runners.has(name.toLowerCase()) || scopes.includes(scope) || scope === 'phpunit';
}
