/** The tables of the learning index. */
export interface LearningTermsTable {
  id: number;
  term: string;
  documents: number;
  path_documents: number;
}

export interface LearningDocumentsTable {
  id: number;
  learning_id: string;
  length: number;
}
