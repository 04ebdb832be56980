import { z } from 'zod';
import { lazy } from '../lazy.ts';
import { buildPlan, importError } from './import-plan.ts';
import type { FoundTask, ImportPlan } from './import-plan.ts';

const Story = lazy(() =>
  z.looseObject({
    id: z.union([z.string(), z.number()]).optional(),
    title: z.string(),
    description: z.string().nullish(),
    acceptanceCriteria: z.array(z.string()).nullish(),
    priority: z.number().nullish(),
    passes: z.boolean().nullish(),
    notes: z.string().nullish(),
  }),
);
type Story = z.infer<ReturnType<typeof Story>>;

/** The `prd.json` of snarktank/ralph. */
export function isPrd(content: unknown): boolean {
  return typeof content === 'object' && content !== null && 'userStories' in content;
}

/**
 * Stories become tasks in the order of their priority numbers, which is the order they are meant to be done in;
 * `passes` is done, and the acceptance criteria become the boxes of the description.
 */
export function readPrd(content: unknown): ImportPlan {
  const file = z.looseObject({ userStories: z.array(z.unknown()) }).safeParse(content);
  if (!file.success) throw importError('the file', z.prettifyError(file.error));
  const stories = file.data.userStories.map((value, index) => ({
    story: parseStory(value, `userStories[${index}]`),
    place: `userStories[${index}]`,
  }));
  const ordered = stories.toSorted((a, b) => rankOf(a.story) - rankOf(b.story));
  return buildPlan(
    'prd',
    ordered.map(({ story, place }) => toFound(story, place)),
  );
}

function parseStory(value: unknown, place: string): Story {
  const parsed = Story().safeParse(value);
  if (parsed.success) return parsed.data;
  throw importError(place, z.prettifyError(parsed.error));
}

const unranked = 1e9;

function rankOf(story: Story): number {
  return story.priority ?? unranked;
}

function toFound(story: Story, place: string): FoundTask {
  const box = story.passes === true ? '[x]' : '[ ]';
  const boxes = (story.acceptanceCriteria ?? []).map((criterion) => `- ${box} ${criterion}`);
  const parts = [story.description ?? '', boxes.join('\n'), story.notes ?? ''];
  const description = parts.map((part) => part.trim()).filter((part) => part !== '');
  return {
    name: story.id === undefined ? null : String(story.id),
    title: story.title,
    parent: null,
    after: null,
    fields: { description: description.join('\n\n') },
    status: story.passes === true ? 'done' : 'pending',
    place,
  };
}
