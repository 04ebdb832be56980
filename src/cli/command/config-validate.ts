import path from 'node:path';
import { loadConfig } from '../../adapters/files/config-files.ts';
import { readYamlFile } from '../../adapters/files/config-yaml.ts';
import { loadLoopTypes } from '../../adapters/files/loop-type-files.ts';
import { openProject } from '../../adapters/git/open-project.ts';
import { resolveSettings } from '../../core/config/layers.ts';
import type { Warning } from '../../core/config/place.ts';
import { LoopwrightError } from '../../core/error.ts';
import { loopTypeNames, resolveLoopType } from '../../core/loop-type/resolve.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, wantsJson } from '../input.ts';
import { createPaint } from '../render/paint.ts';

export const configValidate: Command = {
  path: ['config', 'validate'],
  summary: 'Check the configuration and name every mistake with its place.',
  details:
    'Without FILE every layer is read together with the loop types. Exit code 3 when something is wrong.',
  args: [{ name: 'FILE', summary: 'Check this file alone.', required: false, completes: 'files' }],
  examples: [
    { line: 'loopwright config validate', does: 'Checks what counts in this folder.' },
    {
      line: 'loopwright config validate loopwright.yml',
      does: 'Checks one file, whatever the other layers say.',
    },
  ],
  run: runConfigValidate,
};

async function runConfigValidate(input: CommandInput, context: CliContext): Promise<number> {
  const file = argument(input, 'FILE');
  const checked =
    file === null
      ? await checkAll(context)
      : await checkFile(path.resolve(context.cwd, file), file);
  if (wantsJson(input)) {
    context.out.write(`${JSON.stringify({ valid: true, ...checked })}\n`);
    return exitCodes.ok;
  }
  for (const { message } of checked.warnings) context.err.write(`warning: ${plainText(message)}\n`);
  const paint = createPaint(context.out.hasColour);
  const named =
    checked.files.length === 0 ? 'There is no file; the defaults' : checked.files.join(', ');
  const verb = checked.files.length === 1 ? 'is' : 'are';
  context.out.write(`${paint('green', '✓')} ${plainText(named)} ${verb} valid\n`);
  return exitCodes.ok;
}

type Checked = { readonly files: readonly string[]; readonly warnings: readonly Warning[] };

async function checkAll({ cwd, env, home }: CliContext): Promise<Checked> {
  const { root: projectRoot } = await openProject(cwd, AbortSignal.timeout(30_000), env);
  const { settings, files, warnings } = await loadConfig({ projectRoot, env, home, flags: {} });
  const types = await loadLoopTypes({ projectRoot, env, home, settings });
  const names = loopTypeNames(types);
  for (const name of names) resolveLoopType(name, types);
  return { files: files.map((file) => file.path), warnings };
}

async function checkFile(file: string, shown: string): Promise<Checked> {
  const read = await readYamlFile(file, shown);
  if (read === null) {
    throw new LoopwrightError('config.missing', `there is no file ${shown}`, {
      hint: '`loopwright init` writes a loopwright.yml for this repository',
    });
  }
  const { tree, places } = read;
  const { warnings } = resolveSettings([
    { name: 'project', tree, places, source: { file: shown } },
  ]);
  return { files: [shown], warnings: [...read.warnings, ...warnings] };
}
