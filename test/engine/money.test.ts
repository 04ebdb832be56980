import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isPartlyUnpriced, knownCost, loopCost, loopUsage } from '../../src/core/loop/loop.ts';
import { loopResult } from '../../src/protocol/loop-result.ts';
import { memoryCli } from '../cli/memory-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

const never = 'test -f never.txt';

/** A repository whose configuration names a scripted agent and a model. */
async function repository(script: string, config = ''): Promise<GitRepo> {
  const repo = await gitRepo();
  const file = path.join(repo.outside, 'agent.yml');
  await writeFile(file, script);
  await repo.write(
    'loopwright.yml',
    `agent: paid\nagents:\n  paid: { kind: scripted, script: '${file}', model: house-model }\n${config}`,
  );
  await repo.commitAll('configuration');
  return repo;
}

const spends = (steps: string) => `iterations:\n  - steps:\n${steps}\n    final: more\n`;
const prices = 'prices:\n  house-model: { input: 1, output: 10 }\n';

describe('money', () => {
  it('ends an agent in the middle of an iteration when the priced tokens reach the budget', async () => {
    await using repo = await repository(
      spends(`      - write: { path: half.txt, content: kept }
      - usage: { input: 500000, output: 10000 }
      - usage: { input: 500000, output: 10000 }
      - hang: true`),
      prices,
    );
    await using project = await openedProject(repo, { validate: never, 'max-cost-usd': 1 });
    const loop = await project.runText('spend');
    expect(loop).toMatchObject({ status: 'stopped', reason: 'budget' });
    expect(loop.text).toBe('cost budget: $1.20 of $1.00');
    expect(loop.iterations).toHaveLength(1);
    expect(loop.iterations[0]).toMatchObject({ costUsd: 1.2, counted: true });
    expect(loop.iterations[0]?.agent).toMatchObject({
      kind: 'budget',
      costSource: 'configured',
      evidence: 'cost budget: $1.20 of $1.00 is used up',
    });
    expect(await repo.git('show', `${loop.workspace.branch}:half.txt`)).toBe('kept');
    const live = project.live.flatMap((event) => (event.kind === 'usage' ? [event.costUsd] : []));
    expect(live).toEqual([0.6, 1.2]);
  });

  it('ends it at the token budget too, warning before that', async () => {
    await using repo = await repository(
      spends(`      - usage: { input: 850, output: 0 }
      - write: { path: half.txt, content: kept }
      - usage: { input: 200, output: 0 }
      - hang: true`),
    );
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const argv = ['run', 'spend', '--validate', never, '--max-tokens', '1000', '--json'];
    const { exitCode, out } = await cli.run(...argv);
    expect(exitCode).toBe(5);
    expect(JSON.parse(out)).toMatchObject({
      status: 'stopped',
      reason: 'budget',
      costUsd: null,
      tokens: { input: 1050 },
      filesChanged: ['half.txt'],
      exitCode: 5,
    });
    await using project = await openedProject(repo, {});
    const [row] = await project.engine.store.read((tx) => tx.loops.list({}));
    const loop = await project.engine.store.read((tx) => tx.loops.get(row!.id));
    expect(loop?.warnings).toEqual(['token budget: 850 of 1000']);
  });

  it('takes the price list of the program for a model that is not configured', async () => {
    await using repo = await repository(
      spends('      - usage: { input: 1000000, output: 0 }').replace('final: more', 'final: x'),
    );
    await repo.write(
      'loopwright.yml',
      `agent: paid\nagents:\n  paid: { kind: scripted, script: '${path.join(repo.outside, 'agent.yml')}', model: claude-sonnet-5 }\n`,
    );
    await using project = await openedProject(repo, { validate: never, 'max-iterations': 1 });
    const loop = await project.runText('spend');
    expect(loop.iterations[0]?.agent).toMatchObject({ costUsd: 2, costSource: 'shipped' });
    expect(loopUsage(loop)).toMatchObject([
      { purpose: 'work', model: 'claude-sonnet-5', costUsd: 2 },
    ]);
  });

  it('says that a cost is unknown, and that a budget cannot hold', async () => {
    await using repo = await repository(
      `iterations:
  - steps:
      - append: { path: n.txt, content: x }
      - usage: { input: 10, output: 1, cost-usd: 0.25 }
  - steps:
      - append: { path: n.txt, content: x }
      - usage: { input: 10, output: 1 }`,
    );
    await using project = await openedProject(repo, {
      validate: never,
      'max-iterations': 2,
      'max-cost-usd': 9,
    });
    const loop = await project.runText('spend');
    expect(knownCost(loop)).toBe(0.25);
    expect(isPartlyUnpriced(loop)).toBe(true);
    expect(loopCost(loop)).toBeNull();
    expect(loopResult(loop, [])).toMatchObject({ costUsd: null, tokens: { input: 20 } });
    expect(loop.warnings).toEqual([
      'max-cost-usd cannot stop this loop: the price of house-model is not known; set `prices."house-model"`',
    ]);
  });

  it('counts what a summary costs, and asks for none once the budget is used up', async () => {
    await using repo = await repository(
      `iterations:
  - steps:
      - append: { path: n.txt, content: x }
      - usage: { input: 1000, output: 100, cost-usd: 0.4 }
    final: words`,
      'progress: { strategy: llm-summary }\n',
    );
    await using project = await openedProject(repo, { validate: never, 'max-cost-usd': 1 });
    const loop = await project.runText('spend');
    // Iteration and summary play the same script: 0.4 each, so a second iteration cannot be afforded.
    expect(loop).toMatchObject({ status: 'stopped', reason: 'budget' });
    expect(loop.iterations).toHaveLength(1);
    expect(loop.iterations[0]?.costUsd).toBe(0.8);
    expect(loop.iterations[0]?.tokens).toMatchObject({ input: 2000, output: 200 });
    expect(loopUsage(loop).map(({ purpose, costUsd }) => [purpose, costUsd])).toEqual([
      ['work', 0.4],
      ['summary', 0.4],
    ]);
    await using tight = await openedProject(repo, { validate: never, 'max-cost-usd': 0.4 });
    const other = await tight.runText('spend less');
    expect(other).toMatchObject({ status: 'stopped', reason: 'budget' });
    expect(other.progress[0]?.summaryError).toContain('not asked for: cost budget');
    expect(other.iterations[0]?.costUsd).toBe(0.4);
  });

  it('adds up the tries of an iteration once each', async () => {
    await using repo = await repository(
      `iterations:
  - steps:
      - usage: { input: 10, output: 1, cost-usd: 0.1 }
      - outcome: { kind: rate_limited, retry-after: 10ms, times: 1 }
      - usage: { input: 10, output: 1, cost-usd: 0.1 }
    final: more`,
    );
    await using project = await openedProject(repo, { validate: never, 'max-iterations': 1 });
    const loop = await project.runText('try');
    expect(loop.iterations[0]).toMatchObject({ tries: 2, tokens: { input: 30, output: 3 } });
    expect(loop.iterations[0]?.costUsd).toBeCloseTo(0.3);
  });
});
