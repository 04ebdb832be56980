import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Place, Warning } from '../../core/config/place.ts';
import type { Tree } from '../../core/config/tree.ts';
import { LoopwrightError } from '../../core/error.ts';
import { isThroughLink } from './through-link.ts';

/** A YAML file that holds one map, and where each of its keys is written. */
export type YamlFile = {
  readonly path: string;
  readonly mtimeMs: number;
  readonly size: number;
  readonly tree: Tree;
  /** By `formatPath`; the `+` of append keys is left out. */
  readonly places: ReadonlyMap<string, Place>;
  readonly warnings: readonly Warning[];
};

export const maxConfigBytes = 1024 * 1024;

/**
 * Reads a file of configuration; null when there is none. `shown` names it in messages. Throws
 * `config.unreadable`, `config.too_large`, or `config.invalid` with every place that is not YAML.
 */
export async function readYamlFile(file: string, shown: string): Promise<YamlFile | null> {
  const read = await readBounded(file, shown);
  if (read === null) return null;
  // Most projects have no such file, and need no library to read it.
  const { parseYaml } = await import('./yaml-text.ts');
  return { path: file, mtimeMs: read.mtimeMs, size: read.size, ...parseYaml(read.text, shown) };
}

/**
 * Text of a regular file of at most `maxConfigBytes`; null when there is none. A file of a project, which agents can write to,
 * is not read through a link: its text would be in the next prompt.
 */
export async function readBounded(
  file: string,
  shown: string,
  project: string | null = null,
): Promise<{ readonly text: string; readonly mtimeMs: number; readonly size: number } | null> {
  try {
    if (project !== null && isThroughLink(project, path.relative(project, file)))
      throw unreadable(shown, 'it is a link, or below one');
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    if (!stat.isFile()) throw unreadable(shown, 'it is not a regular file');
    if (stat.size > maxConfigBytes) throw tooLarge(shown);
    const bytes = Buffer.alloc(maxConfigBytes + 1);
    const size = await readInto(handle, bytes);
    if (size > maxConfigBytes) throw tooLarge(shown);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, size));
    return { text, mtimeMs: stat.mtimeMs, size };
  } catch (error) {
    if (error instanceof LoopwrightError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    const reason = error instanceof TypeError ? 'it is not UTF-8 text' : String(code ?? error);
    throw unreadable(shown, reason, error);
  }
}

type Readable = {
  read(buffer: Buffer, offset: number, length: number): Promise<{ bytesRead: number }>;
};

async function readInto(handle: Readable, bytes: Buffer): Promise<number> {
  let size = 0;
  while (size < bytes.length) {
    const { bytesRead } = await handle.read(bytes, size, bytes.length - size);
    if (bytesRead === 0) break;
    size += bytesRead;
  }
  return size;
}

function tooLarge(shown: string): LoopwrightError {
  return new LoopwrightError('config.too_large', `${shown} is larger than 1 MB`, {
    hint: 'Configuration is a few kilobytes; is this the right file?',
  });
}

function unreadable(shown: string, reason: string, cause?: unknown): LoopwrightError {
  return new LoopwrightError('config.unreadable', `cannot read ${shown}: ${reason}`, {
    hint: 'Make it readable for you, or move it away.',
    cause,
  });
}
