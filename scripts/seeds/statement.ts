/**
 * One behaviour that a design document asks for, in our own words. It is shown by the tests that
 * name it (`shows('000.empty-text')`), or it says what was decided differently and why; a decision
 * may be shown by tests as well.
 */
export type Statement = {
  /** Document and name: `000.empty-text`. */
  readonly id: string;
  readonly says: string;
  readonly decision: Decision | null;
};

/** What we do instead, the reason, and the section of the specification that decides it. */
export type Decision = {
  readonly section: string;
  readonly instead: string;
  readonly because: string;
};

export const documents = [
  { id: '000', title: 'Progress strategy' },
  { id: '001', title: 'Iteration memory' },
  { id: '002', title: 'Loop engine' },
  { id: '003', title: 'Loop strategy' },
  { id: '004', title: 'Loop iteration' },
] as const;
export type DocumentId = (typeof documents)[number]['id'];

/** The text of a statement, or the text with the decision against it. */
type Entry = string | readonly [says: string, decision: Decision];

/** The statements of one part of a document, in its order. */
export type Section<D extends DocumentId = DocumentId, Name extends string = string> = {
  readonly document: D;
  readonly title: string;
  readonly entries: Readonly<Record<Name, Entry>>;
};

/** The names of the statements of a section, with their document. */
export type IdOf<S> = S extends Section<infer D, infer Name> ? `${D}.${Name}` : never;

export function section<const D extends DocumentId, const Name extends string>(
  document: D,
  title: string,
  entries: Readonly<Record<Name, Entry>>,
): Section<D, Name> {
  return { document, title, entries };
}

export function statementsOf({ document, entries }: Section): readonly Statement[] {
  return Object.entries(entries).map(([name, entry]) => {
    const [says, decision] = typeof entry === 'string' ? [entry, null] : entry;
    return { id: `${document}.${name}`, says, decision };
  });
}

/** A decision: the section that decides it, what we do instead, and why. */
export function differs(where: string, instead: string, because: string): Decision {
  return { section: where, instead, because };
}
