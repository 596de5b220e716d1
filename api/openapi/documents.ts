import { createDocument, type DocumentOptions } from './document.ts';
import { PAGE_HEADERS, renderPage } from './page/page.ts';
import { readSamples } from './read-samples.ts';
import type { PublishedDocument } from './route.ts';

/** The public API documentation, rendered once at startup. */
export function createDocuments(options: DocumentOptions): readonly PublishedDocument[] {
  const document = createDocument(options);
  const page = renderPage({ document, settings: options.settings, samples: readSamples() });
  return [
    { path: '/openapi.json', type: 'application/json', body: JSON.stringify(document) },
    { path: '/docs', type: 'text/html', body: page, headers: PAGE_HEADERS },
  ];
}
