/** How requests for permission are answered when nobody is there to be asked. Pure. */
import path from 'node:path';

export type PermissionOption = { readonly optionId: string; readonly kind: string };

export type PermissionAnswer =
  | { readonly outcome: 'selected'; readonly optionId: string; readonly granted: boolean }
  | { readonly outcome: 'cancelled'; readonly granted: false };

/** Granted unless it names a place outside `folder`. Once rather than for ever, so that every request is seen. */
export function answerPermission(
  options: readonly PermissionOption[],
  places: readonly string[],
  folder: string,
): PermissionAnswer {
  const granted = places.every((place) => isInside(folder, place));
  const kinds = granted ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  for (const wanted of kinds) {
    const option = options.find(({ kind }) => kind === wanted);
    if (option !== undefined) return { outcome: 'selected', optionId: option.optionId, granted };
  }
  return { outcome: 'cancelled', granted: false };
}

function isInside(folder: string, place: string): boolean {
  const target = path.resolve(folder, place);
  return target === folder || target.startsWith(`${folder}/`);
}
