import { API_STATUSES } from '#crds/zip-job.ts';
import type { OpenApiDocument } from '../document-types.ts';
import { STATUS_MEANINGS } from '../schemas/zip.ts';
import { foldedRows, rowList } from './fields.ts';
import { code, html, prose, table } from './html.ts';
import { examplesOf, exampleTabs } from './operation-sections.ts';
import { schemaRows } from './schema-rows.ts';
import { type Section, subheading } from './section.ts';

/** The object that both operations return. */
export function zipSection({ paths, components: { schemas } }: OpenApiDocument): Section {
  const { Zip = {} } = schemas;
  const rows = schemaRows(Zip, schemas);
  const required = rows.filter(({ path, isRequired }) => isRequired && !path.includes('.'));
  const expanded = rows.filter(({ path }) => !required.some((row) => row.path === path));
  const read = Object.values(paths).find(({ get }) => get !== undefined)?.get;
  const { succeeded: _succeeded, ...examples } = examplesOf(read?.responses['200']?.content);
  return {
    id: 'zip',
    title: 'The zip object',
    text: html`<p>Both operations return it as <code>data</code>. ${prose(String(Zip['description']))}</p>
${rowList(required, 'zip.')}
${subheading('zip.expansions', 'Expanded fields')}
${foldedRows(expanded, 'zip.')}
${subheading('statuses', 'Statuses')}
${table(
  ['Status', 'Meaning'],
  API_STATUSES.map((status) => ({ cells: [code(status), prose(STATUS_MEANINGS[status])] })),
)}
<p>A zip never leaves <code>succeeded</code> or <code>failed</code>.</p>`,
    example: exampleTabs('zip-examples', 'Response 200', examples),
  };
}
