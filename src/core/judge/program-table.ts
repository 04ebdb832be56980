function set(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Programs that run the program named after them, with the options of theirs that take a value. */
export const wrappers: ReadonlyMap<
  string,
  { readonly options: ReadonlySet<string>; readonly skip: number }
> = new Map(
  (
    [
      ['env', '-u -C --chdir --unset', 0],
      ['sudo', '-u -g', 0],
      ['nice', '-n', 0],
      ['ionice', '-c -n', 0],
      ['timeout', '-k -s --signal --kill-after', 1],
      ['gtimeout', '-k -s', 1],
      ['time', '-f -o', 0],
      ['exec', '', 0],
      ['command', '', 0],
      ['builtin', '', 0],
      ['nohup', '', 0],
      ['stdbuf', '-i -o -e', 0],
      ['setsid', '', 0],
      ['unbuffer', '', 0],
      ['xvfb-run', '-s -n', 0],
      ['catchsegv', '', 0],
      ['valgrind', '', 0],
      ['strace', '-o -e', 0],
      ['xargs', '-n -I -P -L -d -a -s', 0],
      ['parallel', '-j', 0],
      ['cross-env', '', 0],
      ['cross-env-shell', '', 0],
      ['dotenv', '-e', 0],
      ['npx', '-p --package --node-options', 0],
      ['pnpx', '', 0],
      ['bunx', '', 0],
      ['c8', '-r --reporter --include --exclude --check-coverage', 0],
      ['nyc', '-r --reporter', 0],
      ['watch', '-n', 0],
      ['doas', '-u', 0],
      ['winpty', '', 0],
      ['corepack', '', 0],
      ['retry', '', 0],
    ] as const
  ).map(([name, options, skip]) => [name, { options: set(options), skip }]),
);

/** `uv run X`, `bundle exec X`: the second word makes it a wrapper. */
export const wrappingCommands: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['uv', set('run')],
  ['uvx', set('')],
  ['poetry', set('run')],
  ['pipenv', set('run')],
  ['pdm', set('run')],
  ['rye', set('run')],
  ['hatch', set('run')],
  ['pipx', set('run')],
  ['conda', set('run')],
  ['bundle', set('exec')],
  ['npm', set('exec x')],
  ['pnpm', set('exec dlx')],
  ['yarn', set('exec dlx node')],
  ['bun', set('x')],
  ['coverage', set('run')],
  ['rbenv', set('exec')],
  ['pyenv', set('exec')],
  ['mise', set('exec x')],
  ['asdf', set('exec')],
  ['composer', set('exec')],
  ['xcrun', set('')],
]);

export const shells = set('sh bash zsh dash ksh ash mksh');

/** Programs that run a source file named after them. */
export const interpreters = set(`
  node nodejs python python2 python3 pypy pypy3 ruby jruby perl php deno bun tsx ts-node ts-node-esm ts-node-dev babel-node swc-node esno jiti
  vite-node lua luajit Rscript julia elixir escript java groovy awk gawk pwsh powershell swift kotlin scala scala-cli dart osascript tclsh wish raku
  guile racket node20 node22 node24 zx fish nu crystal nim
`);

/** Options of interpreters and runners whose value is loaded before the tests. */
export const loadOptions = set(`
  -r --require --import --loader --experimental-loader --preload --setup --setup-file --setup-files --setupFiles --global-setup --globalSetup
  --test-global-setup --test-reporter --reporter --reporters --file --env-file --bootstrap --prepend -p --plugin --plugins --confcutdir
  --setupFilesAfterEnv --testRunner --runner --environment --transform --resolver --node-arg --node-args --nodeArgs --loader-file
`);

/** Options whose value configures. */
export const configOptions = set(`
  -c --config --config-file --configFile --rcfile --rc --rcdir --project -p --opts --ini --configuration --settings --conf -f --file --schema
  --rules --baseline --import-map --tsconfig --suppressions --ignore-file --ignore-path --spec --init-file --rcpath --test-list -P --compose-file
  --default-config-file --experimental-config-file --config-path --cargo-config --manifest-path --runsettings
`);

/** Runners: what they are given names tests. */
export const runners = set(`
  pytest py.test pytest3 unittest nose2 nosetests trial mocha _mocha jest vitest ava tap tape uvu jasmine qunit playwright cypress bats prove rspec
  minitest phpunit pest codecept behat cucumber cucumber-js busted shellspec karma shunit2 ctest cypress-run testcafe web-test-runner wtr tsd
  bun-test deno-test node-test kahlan phpspec cutest roundup urchin robot behave ward stestr poku
`);

/** Programs whose arguments are what they look at, never a judge: linters, compilers, tools of the shell. */
export const lookers = set(`
  eslint tsc oxlint oxfmt biome prettier stylelint markdownlint markdownlint-cli2 standard xo tslint jshint ruff black flake8 pylint mypy pyright isort
  bandit pycodestyle pydocstyle vulture rubocop standardrb php-cs-fixer phpcs phpstan psalm gofmt goimports golint golangci-lint staticcheck go cargo
  rustc rustfmt gcc g++ cc c++ clang clang++ clang-format clang-tidy cppcheck javac kotlinc dotnet csc mcs ghc shellcheck shfmt hadolint yamllint
  cat ls rm cp mv mkdir touch chmod wc head tail sort uniq tee echo printf find stat du file git tar zip unzip curl wget sleep kill true false
  which type rmdir ln basename dirname realpath readlink date uname id pip pip3 apt apt-get brew npm-check esbuild rollup webpack vite tsup swc babel
  cspell codespell typos htmlhint html-validate ajv xmllint sqlfluff terraform dprint test [ [[ set unset export trap return exit read shift
  wait umask ulimit alias eval-none pylint3 pyflakes knip publint attw depcheck madge
`);

/** Tools that leave out what `.gitignore` names. */
export const ignoreReaders = set(
  'prettier ruff biome black oxlint oxfmt rg codespell typos dprint fd golangci-lint mypy isort standard xo markdownlint-cli2 cspell',
);
