import { describe, expect, it } from 'vitest';
import { emptyRepo, gitRepo, type GitRepo } from '../support/git-repo.ts';
import { greeter } from './agents.ts';
import { memoryCli } from './memory-cli.ts';

async function shop(config: string): Promise<GitRepo> {
  const repo = await gitRepo();
  await repo.write('package.json', '{"scripts":{"test":"sh ci/run.sh && node --test"}}');
  await repo.write('ci/run.sh', '. ./ci/env.sh\nnode quality/gate.mjs\n');
  await repo.write('ci/env.sh', 'A=1\n');
  await repo.write('quality/gate.mjs', "import './shared.mjs';\nprocess.exit(0);\n");
  await repo.write('quality/shared.mjs', '');
  await repo.write('test/a.test.mjs', '');
  await repo.write('test/fixtures/a.json', '');
  await repo.write('package-lock.json', '{}');
  await repo.write('.npmrc', '');
  await repo.write('loopwright.yml', config);
  await repo.commitAll('shop');
  return repo;
}

const config = 'validation: { command: npm test }\n';

function cliIn(repo: GitRepo) {
  return memoryCli({ cwd: repo.path, env: repo.env });
}

describe('judge', () => {
  it('lists what judges at the commit of the checkout, by kind, with the reason', async () => {
    await using repo = await shop(config);
    await repo.write('test/uncommitted.test.mjs', '');
    const { exitCode, out, err } = await cliIn(repo).run('judge');
    expect(exitCode).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "1 test
        test/a.test.mjs       in a folder of tests

      1 data file
        test/fixtures/a.json  data of tests

      2 configuration files
        .npmrc                configuration of a package manager or runtime
        loopwright.yml        configuration of Loopwright

      4 scripts
        ci/env.sh             run by ci/run.sh
        ci/run.sh             run by the script \`test\` of package.json
        quality/gate.mjs      run by ci/run.sh
        quality/shared.mjs    loaded by quality/gate.mjs

      1 manifest
        package.json          scripts and tool sections of a manifest

      1 list of dependencies
        package-lock.json     lock file
      "
    `);
    expect(err).toMatchInlineSnapshot(`
      "
      10 files judge: 1 test, 1 data file, 2 configuration files, 4 scripts, 1 manifest, 1 list of dependencies
      missing one: verify.judge, one too many: verify.product (lists of globs in loopwright.yml)
      "
    `);
  });

  it('gives programs the same, and follows verify.judge and verify.product', async () => {
    await using repo = await shop(
      `${config}verify: { judge: [src/**], product: ['test/fixtures/**', 'quality/**'] }\n`,
    );
    const { exitCode, out } = await cliIn(repo).run('judge', '--json');
    const { files, counts, commands, base, head } = JSON.parse(out);
    expect({ exitCode, commands, head }).toEqual({
      exitCode: 0,
      commands: ['npm test'],
      head: null,
    });
    expect(base).toBe(await repo.git('rev-parse', 'HEAD'));
    expect(counts).toEqual({
      test: 1,
      data: 0,
      config: 2,
      script: 3,
      manifest: 1,
      dependencies: 1,
    });
    expect(files).toContainEqual({
      path: 'src/app.js',
      kind: 'script',
      reason: 'named by verify.judge',
    });
  });

  it('shows the first of each kind, and all of them when asked to', async () => {
    await using repo = await gitRepo();
    for (let index = 10; index < 40; index++) await repo.write(`test/a${index}.test.js`, '');
    await repo.commitAll('tests');
    const short = await cliIn(repo).run('judge');
    expect(short.out).toContain('30 tests\n');
    expect(short.out).toContain('… and 10 more (--all lists them)');
    expect(short.out).not.toContain('test/a39.test.js');
    const whole = await cliIn(repo).run('judge', '--all');
    expect(whole.out).toContain('test/a39.test.js');
    expect(whole.err).toContain('no check is configured');
  });

  it('knows what a loop added, and judges it by the settings of that loop', async () => {
    await using repo = await gitRepo();
    const flags = await greeter(repo);
    await cliIn(repo).run(
      'run',
      'greet',
      ...flags,
      '--validate',
      'sh new.sh || grep -q world greeting.txt',
    );
    await repo.git('checkout', '--quiet', '--detach');
    const { out } = await cliIn(repo).run('judge', 'last', '--json');
    const { head, commands, base, changes } = JSON.parse(out);
    expect(commands).toEqual(['sh new.sh || grep -q world greeting.txt']);
    expect(head).not.toBe(base);
    expect(changes).toEqual([]);
    const shown = await cliIn(repo).run('judge', 'last');
    expect(shown.out).toContain('the loop changed none of them');
  });

  it('names what a loop changed of it', async () => {
    await using repo = await gitRepo();
    await repo.write('test/a.test.js', 'process.exit(1);\n');
    await repo.commitAll('tests');
    const agent = 'command:echo "process.exit(0);" > test/a.test.js';
    const limit = ['--validate', 'node test/a.test.js', '--max-iterations', '1'];
    await cliIn(repo).run('run', 'x', '--agent', agent, ...limit);
    const { out } = await cliIn(repo).run('judge', 'last');
    expect(out).toContain('the loop changed\n  test/a.test.js was changed (test)');
  });

  it('says what to do without a commit', async () => {
    await using repo = await emptyRepo();
    const { exitCode, err } = await cliIn(repo).run('judge');
    expect(exitCode).not.toBe(0);
    expect(err).toContain('commit your files first');
  });
});

describe('how many files judge', () => {
  it('is said by doctor and at the start of a run', async () => {
    await using repo = await shop(config);
    const text =
      '10 files judge: 1 test, 1 data file, 2 configuration files, 4 scripts, 1 manifest, 1 list of dependencies';
    const doctor = await cliIn(repo).run('doctor', '--json');
    const { checks } = JSON.parse(doctor.out);
    expect(checks).toContainEqual({
      name: 'judge',
      status: 'ok',
      text: `${text} (\`loopwright judge\` lists them)`,
      next: null,
    });
    const flags = await greeter(repo);
    await repo.write('loopwright.yml', 'validation: { command: npm test }\n');
    const { err } = await cliIn(repo).run(
      'run',
      'greet',
      ...flags,
      '--validate',
      'npm test; true',
      '--max-iterations',
      '1',
    );
    expect(err).toContain('files judge: ');
    const quiet = await cliIn(repo).run(
      'run',
      'greet again',
      ...flags,
      '--quiet',
      '--max-iterations',
      '1',
    );
    expect(quiet.err).not.toContain('files judge');
  });
});
