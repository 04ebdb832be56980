import { writeFile, chmod } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';

/**
 * An agent with a fresh context: it knows five approaches and takes the first that the notes in its prompt do not call
 * a failure, or the one a learning recommends. Only the prompt tells it anything; its files say nothing.
 */
const script = `#!/bin/sh
prompt=$(cat)
for each in bubble insertion quick heap radix; do
  case "$prompt" in *"**Approach:** sort with $each sort"*) continue ;; esac
  choice=$each
  break
done
case "$prompt" in *"Large inputs need radix sort."*) choice=radix ;; esac
echo "$choice $LOOPWRIGHT_ITERATION" > choice.txt
echo "<failure-report>"
echo "what_tried: sort with $choice sort"
echo "why_failed: too slow for the large input"
echo "error_category: timeout"
echo "</failure-report>"
if [ "$choice" = radix ]; then
  echo '<learning category="success_pattern" tags="sorting, large input, src/sort.ts">Large inputs need radix sort.</learning>'
  echo "<task-done>$LOOPWRIGHT_TASK</task-done>"
fi
`;

async function sorter(repo: GitRepo): Promise<string> {
  const file = path.join(repo.env['HOME'] ?? '', 'sorter.sh');
  await writeFile(file, script);
  await chmod(file, 0o755);
  return `command:${file}`;
}

const validate =
  'grep -qs "^radix" choice.txt || { echo "sorting the large input took too long"; exit 1; }';
const cap = 10;

describe('the same agent on the same task', () => {
  it('gets there in five iterations with memory and never without it; the next task needs one', async () => {
    shows('001.learnings-injected', '001.persists-across-runs');
    await using repo = await gitRepo();
    const flags = { agent: await sorter(repo), validate, 'max-iterations': cap, holdout: 0 };

    await using without = await openedProject(repo, { ...flags, memory: false });
    const lost = await without.runText('sort the large input in src/sort.ts', { keepGoing: true });
    expect(lost).toMatchObject({ status: 'failed', reason: 'max_iterations' });
    expect(lost.iterations).toHaveLength(cap);

    await using remembering = await openedProject(repo, flags);
    const found = await remembering.runText('sort the large input in src/sort.ts');
    expect(found.status).toBe('complete');
    expect(found.iterations).toHaveLength(5);

    const again = await remembering.runText('sorting a large input in src/sort.ts is too slow');
    expect(again.status).toBe('complete');
    expect(again.iterations).toHaveLength(1);
    const [learning] = await remembering.engine.store.read((tx) => tx.learnings.list({}));
    expect(again.iterations[0]?.injected).toEqual([learning?.id]);
    // The failing check turned green with it: that is the vote that confirms a candidate.
    expect(learning).toMatchObject({ status: 'active', helpful: 1, harmful: 0 });
    const uses = await remembering.engine.store.read((tx) =>
      tx.learnings.injected({ loopId: again.id }),
    );
    expect(uses).toMatchObject([{ iteration: 1, withheld: false, vote: 'helpful', passed: true }]);
  });
});
