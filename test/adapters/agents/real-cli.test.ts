/** The agent CLIs themselves, against the scripted model, in a network without a way out. */
import { beforeAll, describe, expect, test } from 'vitest';
import { cliAgents, type CliAgent } from '../../../src/adapters/agents/cli-registry.ts';
import { rightFix } from '../../../src/adapters/model-server/fix-scenario.ts';
import { casesOf, type Case } from '../../support/agent-cli/expectations.ts';
import { findCli, usualClis } from '../../support/agent-cli/pinned.ts';
import { runTrials, type TrialsResult } from '../../support/agent-cli/trial-process.ts';
import type { TrialResult } from '../../support/agent-cli/trial.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';

function whyNot(agent: CliAgent): string | null {
  if (!isFull && !usualClis.includes(agent)) return 'only in `npm run test:full`';
  if (findCli(agent) === null) {
    return `not installed: node scripts/install-agent-clis.ts ${agent}`;
  }
  return null;
}

const minutes = 60_000;

describe.each(cliAgents)('%s', (agent) => {
  const missing = whyNot(agent);
  if (missing !== null) process.stderr.write(`${agent} is not driven for real: ${missing}\n`);
  const cases: readonly Case[] = [
    ...casesOf(agent).filter(({ isSlow }) => isFull || !isSlow),
    {
      trial: { agent, scenario: 'hang', timeoutMs: 6000 },
      expected: { kind: 'timeout' },
      isSlow: false,
    },
    {
      trial: { agent, scenario: 'sleep', cancelAt: 1 },
      expected: { kind: 'interrupted' },
      isSlow: false,
    },
  ];
  let ran: TrialsResult;
  const resultOf = (scenario: string): TrialResult => {
    const result = ran.trials.find(({ trial }) => trial.scenario === scenario);
    if (result === undefined) throw new Error(`${agent} has no result for ${scenario}`);
    return result;
  };

  describe.skipIf(missing !== null)(missing ?? 'for real', () => {
    beforeAll(async () => {
      ran = await runTrials(
        cases.map(({ trial }) => trial),
        [agent],
      );
    }, 20 * minutes);

    test.each(cases.map((each) => [each.trial.scenario, each] as const))('%s', (scenario, each) => {
      const { outcome, changes, requests, isKeySent, left, leaks } = resultOf(scenario);
      expect(outcome).toMatchObject(each.expected);
      // Whose error it is decides between an outage and an attempt.
      expect(outcome.fault).toBe(each.expected.fault);
      if (outcome.kind === 'done' && each.changes !== undefined) {
        expect(changes).toEqual(each.changes);
      }
      if (each.requests !== undefined) expect(requests).toBe(each.requests);
      expect({ isKeySent, left, leaks }).toEqual({ isKeySent: true, left: 0, leaks: [] });
    });

    test('a wrong fix fails, its failure is in the next prompt, and the right fix completes', () => {
      expect(ran.loops).toEqual([
        {
          agent,
          status: 'complete',
          iterations: [
            { kind: 'done', isPassed: false },
            { kind: 'done', isPassed: true },
          ],
          toldOfFailure: [false, true],
          fixed: rightFix.trim(),
          left: 0,
          leaks: [],
        },
      ]);
    });

    test('nobody asks for a name', () => {
      expect(ran.names ?? []).toEqual([]);
    });
  });
});
