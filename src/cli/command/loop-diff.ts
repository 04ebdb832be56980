import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import type { Loop } from '../../core/loop/loop.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Command } from '../command.ts';
import type { Output } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, wantsJson } from '../input.ts';
import { optionalLoopArgument, resolveLoop } from '../resolve-loop.ts';

const longestMs = 600_000;
/** More does not go into one JSON object. */
const maxJsonBytes = 64 * 1024 * 1024;

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
      if (wantsJson(input)) await printJson(file, context.out, { loop: loop.id, base, head });
      else await print(file, context.out, opened.engine.clean);
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

async function printJson(
  file: string,
  out: Output,
  about: { readonly loop: string; readonly base: string; readonly head: string },
): Promise<void> {
  if ((await stat(file)).size > maxJsonBytes) {
    throw new LoopwrightError('loop.large_diff', `the changes of ${about.loop} exceed 64 MB`, {
      hint: `\`loopwright loop diff ${about.loop}\` without --json prints them`,
    });
  }
  const patch = await readFile(file, 'utf8');
  out.write(`${JSON.stringify({ ...about, patch, exitCode: exitCodes.ok })}\n`);
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
