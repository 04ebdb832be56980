import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import type { Loop } from '../../core/loop/loop.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Command } from '../command.ts';
import type { Output } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { argument } from '../input.ts';
import { optionalLoopArgument, resolveLoop } from '../resolve-loop.ts';

const longestMs = 600_000;

export const loopDiff: Command = {
  path: ['loop', 'diff'],
  summary: 'Print what a loop has changed, as a patch.',
  details:
    'Unlike `git diff`, it runs no program that the repository’s configuration names: an agent may have written that too.',
  args: [optionalLoopArgument],
  examples: [
    { line: 'loopwright loop diff last', does: 'Prints the changes of the newest loop.' },
    { line: 'loopwright loop diff loop-1a2b > work.patch', does: 'Keeps them for `git apply`.' },
  ],

  async run(input, context) {
    await using opened = await context.open({ onlyReads: true });
    const loop = await resolveLoop(opened.engine, argument(input, 'LOOP'));
    const { base, head } = rangeOf(loop);
    const folder = await mkdtemp(path.join(tmpdir(), 'loopwright-diff-'));
    try {
      const file = path.join(folder, 'patch');
      await opened.project.writePatch(base, head, file, AbortSignal.timeout(longestMs));
      await print(file, context.out, opened.engine.clean);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return exitCodes.ok;
  },
};

function rangeOf({ id, workspace, head }: Loop): { readonly base: string; readonly head: string } {
  if (workspace.base !== null && head !== null) return { base: workspace.base, head };
  throw new LoopwrightError('loop.no_commits', `${id} works without git: there is no base`, {
    hint: `see \`loopwright loop show ${id}\``,
  });
}

/** A person gets neither control characters nor secrets; a program gets every byte that is text. */
async function print(file: string, out: Output, clean: (text: string) => string): Promise<void> {
  const shown = (text: string) => (out.isTerminal ? plainText(clean(text)) : text);
  let line = '';
  for await (const chunk of createReadStream(file, { encoding: 'utf8' })) {
    const text = line + String(chunk);
    const end = text.lastIndexOf('\n') + 1;
    line = text.slice(end);
    out.write(shown(text.slice(0, end)));
  }
  out.write(shown(line));
}
