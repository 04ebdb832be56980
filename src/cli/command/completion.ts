import { shellScripts, shells } from '../completion-scripts.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { requiredArgument, usageError, wantsJson } from '../input.ts';

export const completion: Command = {
  path: ['completion'],
  summary: 'Print the completion script of a shell.',
  details: 'The script asks loopwright itself, so it also offers the ids of your loops and tasks.',
  args: [{ name: 'SHELL', summary: 'bash, zsh or fish.', required: true, completes: shells }],
  examples: [
    { line: 'source <(loopwright completion bash)', does: 'Completes in this bash.' },
    {
      line: 'loopwright completion zsh > "${fpath[1]}/_loopwright"',
      does: 'Completes in every new zsh.',
    },
    {
      line: 'loopwright completion fish > ~/.config/fish/completions/loopwright.fish',
      does: 'Completes in every new fish.',
    },
  ],

  async run(input, context) {
    const wanted = requiredArgument(input, 'SHELL');
    const shell = shells.find((each) => each === wanted);
    if (shell === undefined)
      throw usageError(
        `there is no completion for “${wanted}”`,
        `give one of ${shells.join(', ')}`,
      );
    const script = shellScripts[shell];
    context.out.write(wantsJson(input) ? `${JSON.stringify({ shell, script })}\n` : script);
    return exitCodes.ok;
  },
};
