import { agentFaults } from './fault/agent.ts';
import { diskFaults } from './fault/disk.ts';
import type { Fault } from './fault/fault.ts';
import { gitFaults } from './fault/git.ts';
import { processFaults } from './fault/process.ts';
import { storeFaults } from './fault/store.ts';

/** The rows that concern one loop. Letters: process, disk, clock, git, agent, model, store. */
export const faults: readonly Fault[] = [
  ...processFaults,
  ...diskFaults,
  ...gitFaults,
  ...agentFaults,
  ...storeFaults,
];
