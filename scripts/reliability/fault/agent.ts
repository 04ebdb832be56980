import { at, type Fault } from './fault.ts';

const supervisor = 'adapters/process/supervisor.test.ts';
const liveness = 'adapters/process/liveness.test.ts';
const streams = 'adapters/process/streams.test.ts';
const flow = 'engine/git-flow.test.ts';
const outcome = 'engine/agent-outcome.test.ts';
const runLoop = 'engine/run-loop.test.ts';
const ladder = 'core/strategy/ladder.test.ts';
const scenarios = 'adapters/agents/native/scenarios.test.ts';
const openai = 'adapters/model/openai-client.test.ts';
const anthropic = 'adapters/model/anthropic-client.test.ts';

/** What agents say and do, and the models behind them. */
export const agentFaults: readonly Fault[] = [
  {
    id: 'A1',
    fault: 'A flood of output',
    follows: 'To disk as it comes, bounded in memory',
    tests: [
      ...at(supervisor, 'a flood of output passes through without being held'),
      ...at(streams, 'in lines, to a file', 'when the disk is slow: the program waits'),
    ],
  },
  {
    id: 'A2',
    fault: 'A line without end',
    follows: 'Cut, with how much is missing',
    tests: [
      ...at(
        'adapters/process/line-splitter.test.ts',
        'an over-long line is cut, says how much is missing, and does not disturb its neighbours',
      ),
      ...at(streams, 'in a single line'),
    ],
  },
  {
    id: 'A3',
    fault: 'Bytes that are no text, split anywhere',
    follows: 'The same lines at every split',
    tests: [
      ...at(
        'adapters/process/line-splitter.test.ts',
        'any chunking of any bytes gives the same lines',
      ),
      ...at(
        streams,
        'any bytes, cut anywhere, reach the file as they are and the reader as the same lines',
      ),
    ],
  },
  {
    id: 'A4',
    fault: 'Output made to break its parser',
    follows: 'Never an exception, never a claim out of a code fence, in linear time',
    tests: at(
      'core/transcript/sigils.test.ts',
      'never throws and is never fooled by code fences',
      'reads a megabyte of <learning in milliseconds',
    ),
  },
  {
    id: 'A5',
    fault: 'The agent ends well and has done nothing',
    follows: 'Never complete; it counts towards the ladder',
    tests: at(runLoop, 'never completes for an agent that prints the done tag and changes nothing'),
  },
  {
    id: 'A6',
    fault: 'The agent fails after good work',
    follows: 'The checks decide',
    tests: at(outcome, 'judges the files of an agent that crashed after good work'),
  },
  {
    id: 'A7',
    fault: 'The done tag in a code block, in a mention, in what the agent read',
    follows: 'No claim',
    tests: at(
      'core/transcript/sigils.test.ts',
      'finds nothing in ordinary text',
      'never throws and is never fooled by code fences',
    ),
  },
  {
    id: 'A9',
    fault: 'The agent claims to be done and is not',
    follows: 'Never complete without an executed pass',
    tests: [
      ...at(runLoop, 'never completes for an agent that prints the done tag and changes nothing'),
      ...at(flow, 'puts protected paths back before anything is judged (I7)'),
    ],
  },
  {
    id: 'A10',
    fault: 'Words about limits and errors in ordinary text',
    follows: 'No wait and no retry',
    tests: at(
      outcome,
      'makes nothing of words about limits and errors in files and in what the agent says',
    ),
  },
  {
    id: 'A11',
    fault: 'Terminal escapes in the output',
    follows: 'Nothing of them reaches a person',
    tests: at(
      'core/text/terminal.test.ts',
      'leaves nothing unsafe in any text, and changes nothing on a second pass',
    ),
  },
  {
    id: 'A12',
    fault: 'The agent prints a secret',
    follows: 'A mark is kept and shown instead of its value, whole, in parts or encoded',
    tests: [
      ...at('cli/signals.test.ts', 'never prints the value of a key'),
      ...at(streams, 'printed %s reach neither file nor reader nor tail'),
      ...at(
        'engine/redaction.test.ts',
        'is in no file of the state folder, whoever wrote it where',
      ),
      ...at(
        'core/redact/redactor.test.ts',
        'the result is the same',
        'no secret is in the result, and what is no secret is',
      ),
    ],
  },
  {
    id: 'A13',
    fault: 'Absurd or unknown usage and cost',
    follows: 'Not believed; an unknown cost is told, never zero',
    tests: [
      ...at(openai, 'with absurd usage is not believed'),
      ...at('engine/money.test.ts', 'says that a cost is unknown, and that a budget cannot hold'),
    ],
  },
  {
    id: 'A14',
    fault: 'The agent asks a question and waits',
    follows: 'There is no terminal to answer on: it ends, or hangs and is ended',
    tests: at(liveness, 'hangs when it sleeps'),
  },
  {
    id: 'A15',
    fault: 'The same failing edit again and again',
    follows: 'A notice, then the end',
    tests: at(
      'core/strategy/ladder.test.ts',
      'notices the same failure on the same tree and ends when three more iterations repeat it',
    ),
  },
  {
    id: 'A16',
    fault: 'A slow loop that makes progress',
    follows: 'Not stopped',
    tests: at(ladder, 'says nothing while every iteration makes progress'),
  },
  {
    id: 'A18',
    fault: 'The agent is missing or not signed in',
    follows: 'Told at once; blocked, not retried',
    tests: [
      ...at('adapters/agents/command-agent.test.ts', 'a missing command is told as such'),
      ...at(outcome, 'blocks at once when the agent cannot sign in'),
    ],
  },
  {
    id: 'N1',
    fault: 'The model limits the rate, is overloaded, or fails',
    follows: 'Waited for as told, in the same iteration; paused after max-outage',
    tests: [
      ...at(
        outcome,
        'waits out a rate limit in the same iteration, which then counts once',
        'spends no iteration on an API that is down, and pauses when that lasts too long',
      ),
      ...at(
        scenarios,
        'ends %s as it should',
        'says what it waits for, and for how long the provider wants',
      ),
    ],
  },
  {
    id: 'N5',
    fault: 'The model never answers, never ends, or nobody listens',
    follows: 'Given up and asked again, or an error with its reason',
    tests: [
      ...at(
        scenarios,
        'a server that never answers is given up and asked again',
        'nobody listening is an API error that names the reason',
      ),
      ...at(openai, 'a reply without end is given up'),
    ],
  },
  {
    id: 'N8',
    fault: 'The model refuses',
    follows: 'A failed attempt, not asked again unchanged',
    tests: at(outcome, 'takes a refusal for a failed attempt'),
  },
  {
    id: 'N10',
    fault: 'The key is refused or missing',
    follows: 'Blocked at once, with what to do',
    tests: at(
      'engine/native-loop.test.ts',
      'is blocked by a key that is refused, and says so',
      'is blocked without a key, with the variable to set',
    ),
  },
  {
    id: 'N11',
    fault: 'The model sends its caller elsewhere',
    follows: 'A key never follows',
    tests: [
      ...at(openai, 'a key never follows a redirect'),
      ...at(anthropic, 'a key never follows a redirect'),
    ],
  },
];
