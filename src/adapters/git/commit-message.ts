const maxSubjectLength = 200;

/** Subject, blank line, trailers; each on a line of its own whatever the values hold. */
export function commitMessage(
  subject: string,
  trailers: readonly (readonly [name: string, value: string])[],
): string {
  const title = oneLine(subject).slice(0, maxSubjectLength).trim() || 'Iteration';
  const lines = trailers.map(([name, value]) => `${trailerName(name)}: ${oneLine(value)}`);
  return lines.length === 0 ? `${title}\n` : `${title}\n\n${lines.join('\n')}\n`;
}

function oneLine(text: string): string {
  // Control characters would reach terminals through `git log`.
  // eslint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ').trim();
}

function trailerName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9-]/g, '-');
}
