/** Iterations that go on with the agent's own session, with the agent CLIs themselves and the scripted model. */
import { describe, expect, test } from 'vitest';
import { findCli } from '../../support/agent-cli/pinned.ts';
import { handoffText, runSessionTrial } from '../../support/agent-cli/session-trial.ts';

const minutes = 60_000;
const said = 'I have said this before.';
/** Where each agent keeps its sessions, and tokens that fill its context to about 90 %. */
const agents = [
  { agent: 'claude', store: '.claude/projects', full: 900_000 },
  { agent: 'codex', store: '.codex/sessions', full: 240_000 },
] as const;

describe.each(agents)('$agent', ({ agent, store, full }) => {
  const missing = findCli(agent) === null;

  describe.skipIf(missing)('for real', () => {
    test(
      'starts from nothing in each iteration unless asked otherwise',
      async () => {
        const { loop, prompts, firstAsks } = await runSessionTrial({ agent });
        expect(loop.status).toBe('complete');
        expect(loop.iterations.map(({ resumes }) => resumes)).toEqual([
          undefined,
          undefined,
          undefined,
        ]);
        expect(loop.agentSession).toBeUndefined();
        for (const ask of firstAsks) expect(ask).not.toContain(said);
        for (const [index, ask] of firstAsks.entries()) {
          const others = prompts.filter((_, other) => other < index);
          for (const other of others) expect(ask).not.toContain(JSON.stringify(other).slice(1, -1));
        }
      },
      5 * minutes,
    );

    test(
      'goes on with its session, and tells what each run used',
      async () => {
        const { loop, prompts, firstAsks } = await runSessionTrial({ agent, session: 'reuse' });
        expect(loop.status).toBe('complete');
        expect(loop.warnings).toEqual([]);
        const id = loop.iterations[0]?.agent?.sessionId;
        expect(loop.iterations.map(({ resumes }) => resumes)).toEqual([undefined, id, id]);
        expect(firstAsks.map((ask) => ask.split(said).length - 1)).toEqual([0, 1, 2]);
        expect(prompts[1]).toMatch(/^This continues your session on the same task\./);
        const [first, ...later] = loop.iterations.map(({ tokens }) => tokens);
        expect(later).toEqual([first, first]);
      },
      5 * minutes,
    );

    test(
      'starts anew from a handoff document when its context is full',
      async () => {
        const usage = { input: full, cacheRead: 0 };
        const { loop, prompts, firstAsks, events } = await runSessionTrial({
          agent,
          session: 'reuse',
          usage,
        });
        expect(loop.status).toBe('complete');
        const reboots = events.filter(({ type }) => type === 'session.rebooted');
        expect(reboots).toMatchObject([
          { text: handoffText, source: 'agent' },
          { text: handoffText, source: 'agent' },
        ]);
        expect(prompts[1]).toContain('## Handoff\n\n_What the session before left');
        expect(prompts[1]).toContain(handoffText);
        const work = firstAsks.filter((ask) => !ask.includes('Write a handoff document'));
        for (const ask of work) expect(ask).not.toContain(said);
        const used = loop.iterations[1]?.usage?.map(({ purpose }) => purpose) ?? [];
        expect(used).toContain('summary');
      },
      5 * minutes,
    );

    test(
      'makes the handoff document from facts when the agent writes none',
      async () => {
        const { loop, prompts, events } = await runSessionTrial({
          agent,
          session: {
            name: 'reuse',
            'reboot-percent': 1,
            'warn-percent': 1,
            'max-reboots-per-hour': 1,
          },
          usage: { input: 30_000 },
          isMute: true,
        });
        expect(loop.status).toBe('complete');
        const reboots = events.filter(({ type }) => type === 'session.rebooted');
        expect(reboots).toMatchObject([{ source: 'facts' }]);
        expect(prompts[1]).toContain('Objective: Count to three');
        expect(prompts[2]).not.toContain('## Handoff');
        expect(loop.warnings).toEqual([
          expect.stringContaining('the handoff document was made from what is recorded: '),
          'a fresh session was started: 1 reboot within an hour (session.max-reboots-per-hour)',
        ]);
      },
      5 * minutes,
    );

    test(
      'starts a fresh session when the old one is gone, in the same iteration, and says so once',
      async () => {
        const { loop, firstAsks } = await runSessionTrial({
          agent,
          session: 'reuse',
          meddle: `rm -rf "$1/${store}"`,
        });
        expect(loop.status).toBe('complete');
        expect(loop.iterations.map(({ counted }) => counted)).toEqual([true, true, true]);
        expect(loop.iterations.map(({ tries }) => tries)).toEqual([1, 2, 2]);
        expect(loop.warnings).toEqual([
          'a fresh session was started: the agent could not resume it',
        ]);
        for (const ask of firstAsks) expect(ask).not.toContain(said);
      },
      5 * minutes,
    );
  });
});
