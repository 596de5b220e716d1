import type { PublishedDocument } from '../routes/documents.ts';
import { createDocument, type DocumentOptions } from './document.ts';

/** What anybody may read about the API, made once from the settings in force. */
export const createDocuments = (options: DocumentOptions): readonly PublishedDocument[] => [
  { path: '/openapi.json', type: 'application/json', body: JSON.stringify(createDocument(options)) },
];
