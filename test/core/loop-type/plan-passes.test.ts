import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { planPasses } from '../../../src/core/loop-type/plan-passes.ts';
import { tempDir } from '../../support/temp-dir.ts';

const check = planPasses.find(({ name }) => name === 'correctness')?.check ?? '';

/** What the check prints about a plan; empty: it passes. */
async function faults(plan: string): Promise<string> {
  await using dir = await tempDir();
  mkdirSync(path.join(dir.path, 'src'));
  for (const file of ['README.md', 'src/app.js', 'odd.xyz'])
    writeFileSync(path.join(dir.path, file), 'x\n');
  writeFileSync(path.join(dir.path, 'plan.md'), plan);
  const command = check.replaceAll('{{plan-file}}', "'plan.md'");
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: dir.path,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status === 0).toBe(stdout === '');
  return stdout;
}

describe('the check of the pass "correctness"', () => {
  it.each([
    '1.2.0',
    'v2.0',
    'req.body',
    'process.env',
    'Node.js',
    'console.log',
    'res.json',
    'mutex.lock',
    'origin/release-1.2',
  ])('takes %s for no file', async (word) => {
    expect(await faults(`It changes \`src/app.js\` by \`${word}\`.\n`)).toBe('');
    expect(await faults(`It changes \`${word}\`.\n`)).toContain('names no file');
  });

  it.each(['src/none.js', 'none.md', 'config/none.custom', '.github/none.yml', 'package.json'])(
    'refuses %s, which does not exist',
    async (file) => {
      expect(await faults(`It changes \`src/app.js\` and \`${file}\`.\n`)).toContain(
        `${file} does not exist`,
      );
    },
  );

  it('takes files that exist, whatever their ending, and new ones that are marked once', async () => {
    expect(await faults('It changes `odd.xyz`.\n')).toBe('');
    expect(await faults('It adds `src/new.js` (new). Later `src/new.js` grows.\n')).toBe('');
  });
});
