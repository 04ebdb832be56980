/** One line of the scoreboard. */
export type Line = {
  readonly id: string;
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** What the value is divided by; null: the value itself counts. */
  readonly against: { readonly value: number; readonly name: string } | null;
  readonly wanted: number;
};

/** The ratio, or the value where there is nothing to compare it with. */
export function scoreOf({ value, against }: Line): number {
  return against === null ? value : value / against.value;
}
