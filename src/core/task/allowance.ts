import { nextFence } from './checkbox.ts';

const allowLine = /^[ \t]{0,3}(?:[-*][ \t]{1,3})?Allow:[ \t]{1,8}(\S.{0,400})$/i;

/**
 * What a task says may be removed or changed although it judges the work: lines such as `Allow: test/legacy/**`,
 * several separated by commas. Lines inside fences are quotations.
 */
export function allowances(description: string): readonly string[] {
  const globs: string[] = [];
  let fence: string | null = null;
  for (const line of description.split(/\r?\n/)) {
    fence = nextFence(fence, line);
    const match = fence === null ? allowLine.exec(line) : null;
    if (match === null) continue;
    const parts = (match[1] ?? '').split(',').map((part) => part.replaceAll('`', '').trim());
    globs.push(...parts.filter((part) => part !== ''));
  }
  return globs;
}
