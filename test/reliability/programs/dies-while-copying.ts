import { watch } from 'node:fs';
import { openProject } from '../../../src/adapters/git/open-project.ts';
import { loopSpecAt } from '../../support/loop-spec.ts';

/** Makes a worktree with the user's `node_modules`, and kills itself as soon as there is something of that. */
const [, , folder = '', base = ''] = process.argv;
const { signal } = new AbortController();
const spec = { ...loopSpecAt(folder, base, 'loop-1'), link: ['node_modules'] };
const project = await openProject(folder, signal, process.env, async (point) => {
  if (point === 'before:bring-files') watch(spec.path, () => process.kill(process.pid, 'SIGKILL'));
});
await project.openWorkspace(spec, signal);
process.exit(0);
