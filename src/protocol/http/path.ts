/** The values of the names in braces; null when the path does not fit. A value is one decoded segment. */
export function matchPath(
  pattern: string,
  pathname: string,
): Readonly<Record<string, string>> | null {
  const wanted = pattern.split('/');
  const given = pathname.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = decode(given[index] ?? '');
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (value === null || (name === undefined ? value !== part : value === '')) return null;
    if (name !== undefined) params[name] = value;
  }
  return params;
}

export function fillPath(pattern: string, params: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
