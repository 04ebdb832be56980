/** `move-branch.ts <branch> <from> <to> [failpoints]`: fast-forwards a branch of the repository it is started in. */
import { createFailpoints } from '../../../src/adapters/failpoint/failpoint.ts';
import { openProject } from '../../../src/adapters/git/open-project.ts';

const [branch = '', from = '', to = '', failAt] = process.argv.slice(2);
const { signal } = new AbortController();
const project = await openProject(process.cwd(), signal, process.env, createFailpoints(failAt));
const moved = await project.fastForward(branch, from, to, signal, ['loop-1']);
process.stdout.write(`${moved.kind}\n`);
