import type { ProjectFolder } from './project-folder.ts';
import type { TestCommand } from './test-command.ts';

type Rule = {
  /** A name at the top of the project, a folder with its slash. */
  readonly marker: string;
  readonly command: string;
  /** Must be there too. */
  readonly beside?: string;
};

/** Ecosystems whose tests are started the same way everywhere, the more specific rule first. */
const rules: readonly Rule[] = [
  { marker: 'Cargo.toml', command: 'cargo test' },
  { marker: 'go.mod', command: 'go test ./...' },
  { marker: 'Gemfile', beside: '.rspec', command: 'bundle exec rspec' },
  { marker: 'Gemfile', beside: 'spec/', command: 'bundle exec rspec' },
  { marker: 'Gemfile', beside: 'config.ru', command: 'bin/rails test' },
  { marker: 'Gemfile', beside: 'Rakefile', command: 'bundle exec rake test' },
  { marker: 'composer.json', beside: 'phpunit.xml', command: 'vendor/bin/phpunit' },
  { marker: 'composer.json', beside: 'phpunit.xml.dist', command: 'vendor/bin/phpunit' },
  { marker: 'mix.exs', command: 'mix test' },
  { marker: 'pom.xml', beside: 'mvnw', command: './mvnw --batch-mode test' },
  { marker: 'pom.xml', command: 'mvn --batch-mode test' },
  { marker: 'build.gradle', beside: 'gradlew', command: './gradlew test' },
  { marker: 'build.gradle.kts', beside: 'gradlew', command: './gradlew test' },
  { marker: 'build.gradle', command: 'gradle test' },
  { marker: 'build.gradle.kts', command: 'gradle test' },
  { marker: 'build.sbt', command: 'sbt test' },
  { marker: 'Package.swift', command: 'swift test' },
  { marker: 'pubspec.yaml', command: 'dart test' },
  { marker: 'gleam.toml', command: 'gleam test' },
  { marker: 'build.zig', command: 'zig build test' },
  { marker: 'dune-project', command: 'dune test' },
  { marker: 'stack.yaml', command: 'stack test' },
  { marker: 'rebar.config', command: 'rebar3 eunit' },
];

/** Tests known by a file at the top of the project, and `test` targets of task runners behind them. */
export async function findMarkedTests(folder: ProjectFolder): Promise<readonly TestCommand[]> {
  const { names } = folder;
  const marked = rules.find(
    ({ marker, beside }) => names.has(marker) && (beside === undefined || names.has(beside)),
  );
  const composer = await findComposerScript(folder);
  return [
    ...composer,
    ...(marked === undefined ? [] : [{ command: marked.command, because: reason(marked) }]),
    ...dotnetTests(names),
    ...(await targetTests(folder)),
  ];
}

function reason({ marker, beside }: Rule): string {
  return beside === undefined ? marker : `${marker} and ${beside}`;
}

async function findComposerScript(folder: ProjectFolder): Promise<readonly TestCommand[]> {
  const text = await folder.read('composer.json');
  const scripts = /"scripts"\s{0,20}:\s{0,20}\{([^}]{0,20000})/.exec(text ?? '')?.[1] ?? '';
  if (!/"test"\s{0,20}:/.test(scripts)) return [];
  return [{ command: 'composer test', because: 'scripts.test in composer.json' }];
}

function dotnetTests(names: ReadonlySet<string>): readonly TestCommand[] {
  const solution = [...names].find((name) => /\.(?:slnx?|csproj|fsproj)$/.test(name));
  return solution === undefined ? [] : [{ command: 'dotnet test', because: solution }];
}

const targetFiles: readonly (readonly [file: string, command: string])[] = [
  ['Makefile', 'make test'],
  ['makefile', 'make test'],
  ['GNUmakefile', 'make test'],
  ['justfile', 'just test'],
  ['Justfile', 'just test'],
];

async function targetTests(folder: ProjectFolder): Promise<readonly TestCommand[]> {
  for (const [file, command] of targetFiles) {
    const text = folder.names.has(file) ? await folder.read(file) : null;
    if (text !== null && /^test[ \t]*:(?!=)/m.test(text)) {
      return [{ command, because: `the target test in ${file}` }];
    }
  }
  return [];
}
