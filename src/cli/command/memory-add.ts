import { namedPaths } from '../../core/memory/learning.ts';
import { freeId } from '../../engine/free-id.ts';
import { redactText } from '../../engine/redact-text.ts';
import { learningLine } from '../../protocol/learning.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { option, requiredArgument, usageError, wantsJson } from '../input.ts';
import { checkedContent, readCategory, readTags } from './memory-view.ts';

export const memoryAdd: Command = {
  path: ['memory', 'add'],
  summary: 'Teach something yourself; it is active at once.',
  details: 'Secrets are taken out of the text before it is stored.',
  args: [
    { name: 'TEXT', summary: 'One to three sentences; `-` reads standard input.', required: true },
  ],
  options: [
    { name: 'category', value: 'NAME', summary: 'What kind it is; `other` when left out.' },
    { name: 'tags', value: 'A,B', summary: 'Files, tools and topics it is about.' },
  ],
  examples: [
    {
      line: 'loopwright memory add "Run npm run gen before the tests." --tags "npm, codegen"',
      does: 'Tells every later task that it fits.',
    },
  ],

  async run(input, context) {
    const given = requiredArgument(input, 'TEXT');
    const text = given === '-' ? await context.readStdin() : given;
    const clean = redactText(context.env);
    const content = checkedContent(text, clean);
    const tags = readTags(option(input, 'tags'), clean) ?? [];
    const category = readCategory(option(input, 'category'), clean) ?? 'other';
    await using opened = await context.open();
    const { engine } = opened;
    const learning = await engine.store.write(async (tx) => {
      const same = await tx.learnings.findSame(category, content);
      if (same !== null) throw usageError(`${same} says exactly this`);
      const id = await freeId(engine, tx);
      await tx.learnings.add({
        id,
        category,
        content,
        tags,
        paths: namedPaths(content, ...tags),
        origin: 'person',
        status: 'active',
        byHand: true,
        createdAt: engine.clock.now(),
      });
      return tx.learnings.resolve(id);
    });
    if (engine.project.kind === 'folder') {
      context.err.write(`no git repository here: it is kept in ${opened.engine.stateDir}\n`);
    }
    if (wantsJson(input)) context.out.write(`${JSON.stringify(learningLine(learning))}\n`);
    else context.out.write(`${learning.id} is active\n`);
    return exitCodes.ok;
  },
};
