import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir, type TempDir } from '../support/temp-dir.ts';
import { memoryCli } from './memory-cli.ts';

/** A plain program that does what it is asked: writes the wanted line, or runs the command. */
const obedient = `prompt=$(cat)
wanted=$(printf '%s\\n' "$prompt" | grep '^loopwright ')
echo 'looking at the task'
if [ -n "$wanted" ]; then printf '%s\\n' "$wanted" > probe.txt; echo 'done'; exit 0; fi
`;

const programs: Readonly<Record<string, string>> = {
  obedient: `${obedient}exec tail -f /dev/null`,
  deaf: `${obedient}trap '' TERM\nwhile :; do sleep 1; done`,
  lazy: 'cat > /dev/null\necho done',
  broken: 'cat > /dev/null\necho out of order >&2\nexit 3',
};

async function cliWith(dir: TempDir) {
  const bin = path.join(dir.path, 'bin');
  await mkdir(bin);
  await mkdir(path.join(dir.path, 'temp'));
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(path.join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(bin, name), 0o755);
  }
  const env = { HOME: dir.path, PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` };
  return memoryCli({ cwd: dir.path, env });
}

async function statuses(name: string): Promise<{ exitCode: number; off: readonly string[] }> {
  await using dir = await tempDir();
  const cli = await cliWith(dir);
  const { exitCode, out } = await cli.run('agents', 'check', `command:${name}`, '--json');
  const checks: { name: string; status: string }[] = JSON.parse(out).checks;
  const off = checks.filter(({ status }) => status !== 'ok');
  return { exitCode, off: off.map(({ name: check, status }) => `${status} ${check}`) };
}

describe('agents check', () => {
  it('says in plain words what works and what is missing, after it said what it costs', async () => {
    await using dir = await tempDir();
    const cli = await cliWith(dir);
    const before = await checkFolders();
    const { exitCode, out, err } = await cli.run('agents', 'check', 'command:obedient');
    expect(err).toBe(
      'checking command:obedient: it is run twice with a short prompt, which costs what two short answers of its model cost (usually a few cents)\n',
    );
    expect(out.replace(/\d+\.\d s/, 'TIME')).toMatchInlineSnapshot(`
      "  ✓ starts   it starts
        ✓ streams  2 actions shown as they happened
        ✓ edits    it wrote the file it was asked for
        ! usage    it does not report what it uses: max-tokens and max-cost-usd cannot stop it
        ✓ ends     it says when it is done
        ✓ stops    it ends when it is told to, after TIME
        ✓ leaves   no process is left

      command:obedient can be used, with the limits marked by !.
      "
    `);
    expect(exitCode).toBe(0);
    expect(await checkFolders()).toEqual(before);
  });

  it('finds an agent that does not end when it is told to', async () => {
    expect(await statuses('deaf')).toEqual({ exitCode: 1, off: ['warn usage', 'fail stops'] });
  });

  it('finds an agent that only says that it did the work', async () => {
    expect(await statuses('lazy')).toEqual({
      exitCode: 1,
      off: ['fail edits', 'warn usage', 'warn stops'],
    });
  });

  it('finds an agent that breaks', async () => {
    expect(await statuses('broken')).toEqual({
      exitCode: 1,
      off: ['fail streams', 'fail edits', 'warn usage', 'fail ends', 'warn stops'],
    });
  });

  it('tells what it knows of a scripted agent, which costs nothing', async () => {
    await using dir = await tempDir();
    const cli = await cliWith(dir);
    await writeFile(
      path.join(dir.path, 'agent.yml'),
      'iterations:\n  - steps:\n      - outcome: { kind: auth, evidence: no key }\n',
    );
    const { exitCode, out, err } = await cli.run('agents', 'check', 'scripted:agent.yml');
    expect(err).toContain('it is a script and costs nothing');
    expect(out).toContain('it cannot sign in (no key)');
    expect(exitCode).toBe(2);
  });

  it('refuses what is no agent', async () => {
    await using dir = await tempDir();
    const cli = await cliWith(dir);
    const { exitCode, out } = await cli.run('agents', 'check', 'nobody', '--json');
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'agent.unknown' }, exitCode: 3 });
    expect(exitCode).toBe(3);
  });
});

async function checkFolders(): Promise<readonly string[]> {
  return (await readdir(tmpdir())).filter((name) =>
    name.startsWith(`loopwright-check-${process.pid}-`),
  );
}
