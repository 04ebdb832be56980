import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

it('a loopwright.yml that disappears is said once; what was read stays, until it is back', async () => {
  await using repo = await gitRepo();
  const file = path.join(repo.path, 'loopwright.yml');
  const away = path.join(repo.outside, 'away.yml');
  const log = path.join(repo.outside, 'limits.log');
  const settings = (cap: number) =>
    `agent: "command:sh '${repo.outside}/agent.sh'"\nvalidation: { command: 'test -f done.txt' }\nlimits: { max-iterations: ${cap}, iteration-delay: 0 }\n`;
  await writeFile(
    path.join(repo.outside, 'agent.sh'),
    `n=$LOOPWRIGHT_ITERATION; echo $n >> work.txt; echo $n >> '${log}'
case $n in
  1) mv '${file}' '${away}' ;;
  4) mv '${away}' '${file}'; sed -i 's/max-iterations: 7/max-iterations: 6/' '${file}' ;;
  5) mv '${file}' '${away}' ;;
esac
`,
  );
  await writeFile(file, settings(7));
  await repo.commitAll('configuration');
  await using project = await openedProject(repo, {});
  const loop = await project.runText('work');
  const said = loop.warnings.filter((text) => text.includes('loopwright.yml is gone'));
  expect(said).toHaveLength(2);
  expect(said[0]).toContain('going on as before');
  const notices = project.live.flatMap((event) => (event.kind === 'notice' ? [event.text] : []));
  expect(notices.filter((text) => text.includes('the configuration is read again'))).toHaveLength(
    1,
  );
  // Neither the default of 100 nor the 7 it began with: the 6 that were read last.
  expect(loop.reason).toBe('max_iterations');
  expect(loop.iterations).toHaveLength(6);
  expect(loop.settings.validation.command).toBe('test -f done.txt');
  await expect(project.reread()).rejects.toMatchObject({ code: 'config.gone' });
  await rename(away, file);
  expect((await project.reread()).config.settings.limits['max-iterations']).toBe(6);
});
