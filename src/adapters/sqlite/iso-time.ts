/** The tables of memory keep their times as text. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

export function toIsoOrNull(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : toIso(ms);
}

/** Unreadable times count as long ago. */
export function fromIso(text: string): number {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? 0 : ms;
}

export function fromIsoOrNull(text: string | null): number | null {
  return text === null ? null : fromIso(text);
}
