/** Fewest arguments of each value helper. Block helpers are Handlebars' own if, unless, each and with. */
export const helperArity: Readonly<Record<string, number>> = {
  eq: 2,
  not: 1,
  default: 2,
  join: 1,
  upper: 1,
  lower: 1,
  trim: 1,
  json: 1,
  lookup: 2,
};

/** Handlebars passes its options as one more argument at the end; no helper here looks at them. */
export const valueHelpers: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
  eq: (a, b) => a === b,
  not: (value) => !isFilled(value),
  default: (value, fallback) => (isFilled(value) ? value : fallback),
  join: (list, separator) =>
    Array.isArray(list)
      ? list.map(text).join(typeof separator === 'string' ? separator : ', ')
      : text(list),
  upper: (value) => text(value).toUpperCase(),
  lower: (value) => text(value).toLowerCase(),
  trim: (value) => text(value).trim(),
  json: (value) => JSON.stringify(value, null, 2),
};

/** The truth of `{{#if}}`: 0, the empty string and the empty list are not filled. */
function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function text(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
