import type { Generated } from 'kysely';

/** The tables of the learning index. */
export interface LearningTermsTable {
  id: Generated<number>;
  term: string;
  documents: number;
  path_documents: number;
}

export interface LearningDocumentsTable {
  id: Generated<number>;
  learning_id: string;
  length: number;
}

export interface LearningPostingsTable {
  term_id: number;
  document_id: number;
  text_count: number;
  path_count: number;
  length: number;
}

export interface LearningTotalsTable {
  id: number;
  documents: number;
  length: number;
}
