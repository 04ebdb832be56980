import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import {
  startModelServer,
  type ModelServer,
} from '../../../src/adapters/model-server/model-server.ts';
import { realCliThrough, type RealRun } from '../../cli/real-cli.ts';
import { gitRepo, type GitRepo } from '../../support/git-repo.ts';
import { privateDisk, whyNoPrivateDisk, type PrivateDisk } from '../../support/private-disk.ts';
import { NightModels } from './models.ts';
import { checkScript, configuration, planFile } from './plan.ts';

type Ended = Awaited<RealRun['ended']>;

/** A repository with twelve tasks, its own small disk, two scripted models, and the real program. */
export class Night implements AsyncDisposable {
  readonly token = `night-${randomUUID()}`;
  readonly repo: GitRepo;
  /** The commit on which everything starts. */
  readonly plannedAt: string;
  readonly models: NightModels;
  readonly #server: ModelServer;
  /** Null: none can be made here. */
  readonly disk: PrivateDisk | null;
  /** Everything the runs have printed, for whoever must find out why one went wrong. */
  story = '';

  private constructor(made: {
    readonly repo: GitRepo;
    readonly plannedAt: string;
    readonly models: NightModels;
    readonly server: ModelServer;
    readonly disk: PrivateDisk | null;
  }) {
    this.repo = made.repo;
    this.plannedAt = made.plannedAt;
    this.models = made.models;
    this.#server = made.server;
    this.disk = made.disk;
  }

  static async begin(limits: string): Promise<Night> {
    const repo = await gitRepo();
    await repo.write('loopwright.yml', configuration({ limits }));
    await repo.write('check.sh', checkScript);
    const plannedAt = await repo.commitAll('the plan of the night');
    await writeFile(path.join(repo.outside, 'plan.json'), planFile());
    const models = new NightModels();
    const server = await startModelServer({
      scenarios: {
        anthropic: models.scenarioOf('anthropic'),
        openai: models.scenarioOf('openai'),
      },
    });
    const state = path.join(repo.path, '.loopwright');
    await mkdir(state);
    const disk = whyNoPrivateDisk() === null ? await privateDisk(state, 'size=96m') : null;
    const night = new Night({ repo, plannedAt, models, server, disk });
    const imported = await night.run('task', 'import', path.join(repo.outside, 'plan.json'));
    if (imported.exitCode !== 0) throw new Error(imported.out + imported.err);
    return night;
  }

  /** How this process reaches the repository with its state. */
  get view(): { readonly path: string } {
    return { path: this.disk?.view(this.repo.path) ?? this.repo.path };
  }

  start(...argv: readonly string[]): RealRun {
    const { path: cwd, env } = this.repo;
    const run = realCliThrough(
      (line) => this.#within(line),
      cwd,
      {
        ...env,
        NIGHT_TOKEN: this.token,
        ANTHROPIC_API_KEY: 'key',
        OPENAI_API_KEY: 'key',
        ANTHROPIC_BASE_URL: this.#server.base('anthropic', 'night'),
        OPENAI_BASE_URL: `${this.#server.base('openai', 'night')}/v1`,
      },
      argv,
    );
    // A test that fails leaves no engine behind.
    onTestFinished(() => void run.child.kill('SIGKILL'));
    void run.ended.then(({ exitCode, out, err }) => {
      this.story += `$ loopwright ${argv.join(' ')}\n${out}${err}[exit ${exitCode}]\n\n`;
    });
    return run;
  }

  /** A person does something in a shell, where the disk of the state folder is. */
  async shell(script: string): Promise<void> {
    const [program, ...args] = this.#within(['sh', '-ec', script]);
    await promisify(execFile)(program, args, { cwd: this.repo.path, env: this.repo.env });
  }

  #within(line: readonly string[]): readonly [string, ...string[]] {
    if (this.disk !== null) return this.disk.within(this.repo.path, line);
    const [program = '', ...args] = line;
    return [program, ...args];
  }

  run(...argv: readonly string[]): Promise<Ended> {
    return this.start(...argv).ended;
  }

  /** A command that waits until the test has opened the gate. */
  gate(name: string): string {
    const file = this.#gateFile(name);
    return `until [ -e '${file}' ]; do sleep 0.1; done`;
  }

  async open(name: string): Promise<void> {
    await appendFile(this.#gateFile(name), '');
  }

  #gateFile(name: string): string {
    return path.join(this.repo.outside, `gate-${name}`);
  }

  /** A command that leaves no space on the disk of the state folder; never on a real one. */
  fill(): string {
    const state = path.join(this.repo.path, '.loopwright');
    return `[ "$(stat -f -c %T '${state}')" = tmpfs ] && cat /dev/zero > '${state}/filler'`;
  }

  async makeRoom(): Promise<void> {
    await rm(path.join(this.view.path, '.loopwright/filler'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disk?.[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
    await this.repo[Symbol.asyncDispose]();
  }
}
