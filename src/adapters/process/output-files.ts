import { closeSync } from 'node:fs';
import { LoopwrightError } from '../../core/error.ts';
import type { ProcessSpec } from '../../ports/process.ts';
import { openOwnOutput } from '../files/own-file.ts';

/** Open files for the streams of a run; null: nowhere. */
export type StreamFiles = {
  readonly stdout: number | null;
  readonly stderr: number | null;
};

export function openFiles(spec: ProcessSpec): StreamFiles {
  const stdout = openFile(spec.stdoutFile);
  try {
    return { stdout, stderr: openFile(spec.stderrFile) };
  } catch (error) {
    if (stdout !== null) closeSync(stdout);
    throw error;
  }
}

function openFile(file: string | null): number | null {
  if (file === null) return null;
  try {
    return openOwnOutput(file);
  } catch (cause) {
    throw new LoopwrightError('process.output_file', `Cannot write the output file ${file}.`, {
      cause,
      hint: 'Check that its folder exists, is writable and has space left.',
    });
  }
}

export function closeFiles({ stdout, stderr }: StreamFiles): void {
  for (const file of [stdout, stderr]) if (file !== null) closeSync(file);
}
