export const violationKinds = [
  'removed-test',
  'skipped-test',
  'fewer-tests',
  'weakened-config',
  'replaced-program',
] as const;
export type ViolationKind = (typeof violationKinds)[number];

/** One way in which the judge was weakened. */
export type Violation = {
  readonly kind: ViolationKind;
  /** The test or program, else the file; what an allowance names. */
  readonly subject: string;
  /** The file it was found in; null when only the run shows it. */
  readonly file: string | null;
  /** What happened, in one sentence without its end. */
  readonly text: string;
};

/** What makes two findings the same, in whatever iteration they are made. */
export function violationKey({ kind, subject, file }: Violation): string {
  return [kind, file ?? '', subject].join(' ');
}

/** Each finding once. */
export function uniqueViolations(violations: readonly Violation[]): readonly Violation[] {
  const byKey = new Map(violations.map((violation) => [violationKey(violation), violation]));
  return [...byKey.values()];
}
