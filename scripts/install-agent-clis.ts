/**
 * Installs the agent CLIs that tests drive, in exact versions, below `.cache/agent-clis`: `node scripts/install-agent-clis.ts`
 * for the usual ones, with `all` or names for others. What cannot be installed is said, and its tests are skipped.
 */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cliAgents, isCliAgent, type CliAgent } from '../src/adapters/agents/cli-registry.ts';
import { cliFolder, findCli, pinnedClis, usualClis } from '../test/support/agent-cli/pinned.ts';

const run = promisify(execFile);
const timeoutMs = 240_000;

const wanted = process.argv.slice(2);
const names = wanted.includes('all') ? cliAgents : wanted.filter(isCliAgent);
const missing = (names.length === 0 ? usualClis : names).filter((name) => findCli(name) === null);
// Two at a time: they wait for the network more than they work.
const [first, second] = [missing.filter((_, i) => i % 2 === 0), missing.filter((_, i) => i % 2)];
await Promise.all([installAll(first), installAll(second)]);

async function installAll(agents: readonly CliAgent[]): Promise<void> {
  for (const agent of agents) await install(agent);
}

async function install(agent: CliAgent): Promise<void> {
  const { package: name, version } = pinnedClis[agent];
  const folder = cliFolder(agent);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{"private":true}\n');
  const options = ['--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'];
  try {
    await run('npm', ['install', ...options, `${name}@${version}`], {
      cwd: folder,
      timeout: timeoutMs,
      env: installEnvironment(),
    });
    // Written last: half an installation is none.
    await writeFile(path.join(folder, 'installed'), `${version}\n`);
    console.log(`installed ${name}@${version}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n').slice(0, 3).join(' ') : '';
    console.log(`${name}@${version} could not be installed, its tests are skipped: ${reason}`);
  }
}

/** npm tells the scripts it runs about the project around them, which is not the one to install into. */
function installEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOfProject(name)));
}

function isOfProject(name: string): boolean {
  return (
    name.startsWith('npm_package_') || name === 'npm_config_local_prefix' || name === 'INIT_CWD'
  );
}
