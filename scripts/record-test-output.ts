/**
 * Records what real test runners print, for the parsers of `src/core/verdict/test-output`:
 * `node scripts/record-test-output.ts CACHE [FOLDER | FOLDER/NAME...]`. Runners of npm are installed below CACHE; those of Debian
 * (ruby-rspec ruby-minitest ruby-test-unit phpunit elixir bats libgtest-dev catch2 python3-nose2 libsurefire-java
 * maven-debian-helper) are used as they are found, and left out with a note where they are missing.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { recordings, type Recording } from './record-test-output/recordings.ts';

const root = path.resolve(import.meta.dirname, '..');
const suites = path.join(import.meta.dirname, 'record-test-output/suites');
const fixtures = path.join(root, 'test/fixtures/test-output');

function main(cache: string, folders: readonly string[]): void {
  const wanted = recordings.filter(
    ({ folder, name }) =>
      folders.length === 0 ||
      folders.includes(folder) ||
      folders.some((part) => part.includes('/') && `${folder}/${name}`.startsWith(part)),
  );
  for (const recording of wanted) {
    const text = record(cache, recording);
    const name = `${recording.folder}/${recording.name}`;
    if (text === null) {
      process.stdout.write(`${name}: left out, ${recording.needs} is missing\n`);
      continue;
    }
    const file = path.join(fixtures, `${name}.txt`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    process.stdout.write(`${name}: ${text.length} characters\n`);
  }
}

let previous = '';

function record(cache: string, recording: Recording): string | null {
  const modules = recording.npm === undefined ? null : install(cache, recording.npm);
  if (recording.needs !== undefined && !isThere(recording.needs)) return null;
  const dir = path.join(cache, 'run', recording.suite);
  const prepared = [recording.suite, recording.before, recording.npm].join('\n');
  if (prepared !== previous) {
    rmSync(dir, { recursive: true, force: true });
    cpSync(path.join(suites, recording.suite), dir, { recursive: true });
    if (modules !== null) symlinkSync(modules, path.join(dir, 'node_modules'));
    if (recording.before !== undefined) run(dir, recording.before, {});
  }
  // What is expensive to build is built once for all recordings of a suite in a row.
  previous = recording.before?.includes('cmake') === true ? prepared : '';
  const output = run(dir, recording.command, recording);
  return output
    .replaceAll(dir, '/repo')
    .replaceAll(cache, '/cache')
    .replaceAll(process.env['HOME'] ?? '/nonexistent', '/home')
    .replaceAll(/\/[\w./-]*\/node_modules\//g, '/repo/node_modules/')
    .replaceAll(process.execPath, 'node');
}

/** Installs a runner once, and returns its folder of modules. */
function install(cache: string, packages: string): string {
  const dir = path.join(cache, 'npm', packages.replaceAll(/[^\w.-]+/g, '_'));
  const modules = path.join(dir, 'node_modules');
  if (existsSync(modules)) return modules;
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, 'package.json'), '{"private":true}');
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...quiet, ...packages.split(' ')], { cwd: dir });
  return modules;
}

function isThere(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

/** Both streams in the order of their writing, as a terminal or a log of CI has them. */
function run(
  cwd: string,
  command: string,
  { killAfterMs, env }: Pick<Recording, 'killAfterMs' | 'env'>,
): string {
  const result = spawnSync('sh', ['-c', `exec 2>&1\n${command}`], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...plainEnvironment(cwd), ...env },
    ...(killAfterMs === undefined ? {} : { timeout: killAfterMs, killSignal: 'SIGKILL' }),
  });
  return result.stdout;
}

function plainEnvironment(cwd: string): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return {
    PATH: `${path.join(cwd, 'node_modules/.bin')}:${path.dirname(process.execPath)}:${PATH}`,
    HOME,
    CI: 'true',
    NO_COLOR: '1',
    TERM: 'dumb',
    LANG: 'C.UTF-8',
  };
}

const [cache, ...folders] = process.argv.slice(2);
if (cache === undefined)
  process.stderr.write('usage: record-test-output.ts CACHE [FOLDER | FOLDER/NAME...]\n');
else main(path.resolve(cache), folders);
