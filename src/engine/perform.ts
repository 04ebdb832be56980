import type { Action } from '../core/loop/decide.ts';
import { ask, assumeYes } from './action/ask.ts';
import { buildPrompt } from './action/build-prompt.ts';
import { chooseModel } from './action/choose-model.ts';
import { conclude } from './action/conclude.ts';
import { judgeIteration } from './action/judge-iteration.ts';
import { openWorkspace } from './action/open-workspace.ts';
import { readMessages } from './action/read-messages.ts';
import { rebase } from './action/rebase.ts';
import { rest } from './action/rest.ts';
import { restoreProtected } from './action/restore-protected.ts';
import { runAgent } from './action/run-agent.ts';
import { runHooks } from './action/run-hooks.ts';
import { startIteration } from './action/start-iteration.ts';
import { takeSnapshot } from './action/take-snapshot.ts';
import { verifyBaseline } from './action/verify-baseline.ts';
import { verifyIteration } from './action/verify-iteration.ts';
import { waitOn } from './action/wait-on.ts';
import { wake } from './action/wake.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';

/** Does what was decided and records what happened. Each action lives in its own file. */
export async function perform(
  engine: Engine,
  owner: LoopOwner,
  action: Exclude<Action, { type: 'done' }>,
): Promise<void> {
  switch (action.type) {
    case 'open-workspace':
      return openWorkspace(engine, owner);
    case 'wait':
      return waitOn(engine, owner, action.leftMs);
    case 'wake':
      return wake(engine, owner);
    case 'verify-baseline':
      return verifyBaseline(engine, owner);
    case 'read-messages':
      return readMessages(engine, owner);
    case 'rebase':
      return rebase(engine, owner, action.onto);
    case 'ask':
      return ask(engine, owner, action.question);
    case 'assume-yes':
      return assumeYes(owner);
    case 'start-iteration':
      return startIteration(engine, owner, action);
    case 'choose-model':
      return chooseModel(engine, owner);
    case 'build-prompt':
      return buildPrompt(engine, owner);
    case 'run-hooks':
      return runHooks(engine, owner, action.when);
    case 'run-agent':
      return runAgent(engine, owner, action.try);
    case 'restore-protected':
      return restoreProtected(owner);
    case 'take-snapshot':
      return takeSnapshot(engine, owner);
    case 'verify':
      return verifyIteration(engine, owner);
    case 'conclude':
      return conclude(engine, owner, action);
    case 'judge':
      return judgeIteration(engine, owner);
    case 'rest':
      return rest(engine, owner, action);
  }
}
