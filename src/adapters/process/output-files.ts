import { open, type FileHandle } from 'node:fs/promises';
import { LoopwrightError } from '../../core/error.ts';
import type { ProcessSpec } from '../../ports/process.ts';

/** Where the streams of a run are written; null: nowhere. */
export type StreamFiles = {
  readonly stdout: FileHandle | null;
  readonly stderr: FileHandle | null;
};

export async function openFiles(spec: ProcessSpec): Promise<StreamFiles> {
  const stdout = await openFile(spec.stdoutFile);
  try {
    return { stdout, stderr: await openFile(spec.stderrFile) };
  } catch (error) {
    await stdout?.close();
    throw error;
  }
}

async function openFile(file: string | null): Promise<FileHandle | null> {
  if (file === null) return null;
  try {
    return await open(file, 'w');
  } catch (cause) {
    throw new LoopwrightError('process.output_file', `Cannot write the output file ${file}.`, {
      cause,
      hint: 'Check that its folder exists, is writable and has space left.',
    });
  }
}

export async function closeFiles(files: StreamFiles): Promise<void> {
  await Promise.all([files.stdout?.close(), files.stderr?.close()]);
}
