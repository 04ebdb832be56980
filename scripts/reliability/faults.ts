import { agentFaults } from './fault/agent.ts';
import { diskFaults } from './fault/disk.ts';
import type { Fault } from './fault/fault.ts';
import { gitFaults } from './fault/git.ts';
import { moveFaults } from './fault/moves.ts';
import { olderStoreFaults } from './fault/older-store.ts';
import { placeFaults } from './fault/places.ts';
import { powerFaults } from './fault/power.ts';
import { processFaults } from './fault/process.ts';
import { rebaseFaults } from './fault/rebase.ts';
import { storeFaults } from './fault/store.ts';
import { timeFaults } from './fault/time.ts';
import { worktreeFaults } from './fault/worktrees.ts';

/** The rows that concern one loop. Letters: process, disk, clock, git, agent, model, store. */
export const faults: readonly Fault[] = [
  ...processFaults,
  ...diskFaults,
  ...gitFaults,
  ...agentFaults,
  ...storeFaults,
  ...olderStoreFaults,
  ...powerFaults,
  ...rebaseFaults,
  ...moveFaults,
  ...worktreeFaults,
  ...placeFaults,
  ...timeFaults,
];
