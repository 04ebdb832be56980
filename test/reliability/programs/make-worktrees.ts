import { createFailpoints } from '../../../src/adapters/failpoint/failpoint.ts';
import { openProject } from '../../../src/adapters/git/open-project.ts';
import { loopSpecAt } from '../../support/loop-spec.ts';

/** Makes and removes worktrees of one loop after the other, until it is killed or has made so many. */
const [, , folder = '', base = '', count = '1', failAt] = process.argv;
const { signal } = new AbortController();
const project = await openProject(folder, signal, process.env, createFailpoints(failAt));
process.stdout.write('ready\n');
for (let number = 1; number <= Number(count); number++) {
  const spec = { ...loopSpecAt(folder, base, 'loop-0000000a'), pool: number % 2 };
  await project.openWorkspace(spec, signal);
  await project.removeWorkspace(spec, signal);
  await project.deleteBranch(spec.branch, signal);
}
process.exit(0);
