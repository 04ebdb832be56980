import { readingTools, type ToolName } from '../../../../core/agent/native/tool.ts';
import { createSeenFiles } from '../seen-files.ts';
import type { WorktreeFiles } from '../worktree-files.ts';
import { createBashTool, type BashSurroundings } from './bash.ts';
import { createCompleteTaskTool } from './complete-task.ts';
import { createEditTool } from './edit.ts';
import { createExploreTool, type Explorer } from './explore.ts';
import { createGlobTool } from './glob.ts';
import { createGrepTool } from './grep.ts';
import { createListTool } from './list.ts';
import { createReadTool } from './read.ts';
import type { DoorClient } from '../door-client.ts';
import { createQueryTool, createShareTool } from './talk.ts';
import { createTodoTool } from './todo.ts';
import type { Tool } from './tool.ts';
import { createTreeTool } from './tree.ts';
import { createWriteTool } from './write.ts';

export type ToolSurroundings = BashSurroundings & {
  readonly files: WorktreeFiles;
  readonly taskId: string;
  readonly explorer: Explorer;
  readonly door: DoorClient;
};

/** The tools of these names, in this order. They share what the model has seen. */
export function createTools(
  names: readonly ToolName[],
  surroundings: ToolSurroundings,
): readonly Tool[] {
  const { files, taskId, explorer, door } = surroundings;
  const seen = createSeenFiles();
  const all = [
    createReadTool(files, seen),
    createWriteTool(files, seen),
    createEditTool(files, seen),
    createListTool(files),
    createGlobTool(files),
    createGrepTool(files),
    createTreeTool(files),
    createBashTool(surroundings),
    createTodoTool(),
    createExploreTool(explorer),
    createQueryTool(door),
    createShareTool(door),
    createCompleteTaskTool(taskId),
  ];
  return all.filter(({ name }) => names.includes(name));
}

/** What the explorer has. */
export function createReadingTools(files: WorktreeFiles): readonly Tool[] {
  const all = [
    createReadTool(files, createSeenFiles()),
    createListTool(files),
    createGlobTool(files),
    createGrepTool(files),
    createTreeTool(files),
  ];
  return all.filter(({ name }) => readingTools.some((reading) => reading === name));
}
