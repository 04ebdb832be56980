import { describe, expect, it } from 'vitest';
import { renderCommandHelp } from '../../src/cli/help.ts';
import { allOptions } from '../../src/cli/parse.ts';
import { registry } from '../../src/cli/registry.ts';
import { renderReference } from '../../scripts/reference.ts';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const commands = await Promise.all(
  registry.map(async (entry) => ({ entry, command: await entry.load() })),
);

describe('every command', () => {
  it.each(commands)('$entry.path is listed as it defines itself', ({ entry, command }) => {
    expect({ path: command.path, summary: command.summary }).toEqual({
      path: entry.path,
      summary: entry.summary,
    });
  });

  it.each(commands)('$entry.path has help with an example within 80 columns', ({ command }) => {
    const help = renderCommandHelp(command, allOptions(command), 80);
    const wide = help.split('\n').filter((line) => line.length > 80);
    expect(wide).toEqual([]);
    expect(command.examples.length).toBeGreaterThan(0);
    const joined = help.replaceAll(/ \\\n +/g, ' ');
    for (const { line } of command.examples) expect(joined).toContain(`  ${line}\n`);
  });

  it.each(commands)('$entry.path takes --json and --help and no option twice', ({ command }) => {
    const names = allOptions(command).map(({ name }) => name);
    expect(names).toContain('json');
    expect(names).toContain('help');
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('docs/reference', () => {
  it('is what the definitions say now (npm run docs)', async () => {
    const root = path.join(import.meta.dirname, '../..');
    for (const [file, text] of Object.entries(await renderReference())) {
      expect(await readFile(path.join(root, file), 'utf8')).toBe(text);
    }
  });
});
