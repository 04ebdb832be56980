import { configJsonSchema } from '../../core/config/json-schema.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';

export const configSchema: Command = {
  path: ['config', 'schema'],
  summary: 'Print the JSON Schema of loopwright.yml, for editors.',
  details:
    'Save it and point your editor at it, for example with a first line `# yaml-language-server: $schema=./loopwright.schema.json` in loopwright.yml.',
  examples: [
    { line: 'loopwright config schema > loopwright.schema.json', does: 'Saves the schema.' },
  ],
  run(_input, { out }) {
    out.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
    return Promise.resolve(exitCodes.ok);
  },
};
