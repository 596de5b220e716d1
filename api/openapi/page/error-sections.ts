import { MAX_LISTED_ENTRIES } from '../../create/list-entry-faults.ts';
import { errorBody, parameterMissing } from '../../errors/api-error.ts';
import { ERROR_CODES } from '../../errors/error-codes.ts';
import type { Header, OpenApiDocument } from '../document-types.ts';
import { JOB_FAILURES } from '../job-failures.ts';
import { fieldList, rowList } from './fields.ts';
import { code, example, html, json, type Part, permalink, prose, table } from './html.ts';
import { schemaRows } from './schema-rows.ts';
import { type Section, subheading } from './section.ts';

function rowOf(id: string, between: string, text: string) {
  return { id, cells: [permalink(id, code(id)), between, prose(text)] };
}

interface SentHeader extends Header {
  readonly statuses: Set<string>;
}

/** The headers of all responses. */
function headersOf({ paths }: OpenApiDocument): ReadonlyMap<string, SentHeader> {
  const all = new Map<string, SentHeader>();
  for (const { responses } of Object.values(paths).flatMap((item) => Object.values(item)))
    for (const [status, { headers = {} }] of Object.entries(responses))
      for (const [name, header] of Object.entries(headers)) {
        const { statuses } = all.get(name) ?? { statuses: new Set<string>() };
        all.set(name, { ...header, statuses: statuses.add(status) });
      }
  return all;
}

/** Headers of most responses are not listed by status. */
const MOST_LISTED_STATUSES = 2;

function statusesText(statuses: ReadonlySet<string>): Part {
  return statuses.size > MOST_LISTED_STATUSES ? '' : `with ${[...statuses].join(' and ')}`;
}

function headersSection(document: OpenApiDocument): Section {
  const headers = [...headersOf(document)].map(([name, { statuses, description }]) => ({
    name,
    more: statusesText(statuses),
    text: prose(description),
  }));
  return { id: 'headers', title: 'Response headers', text: fieldList(headers, 'headers.') };
}

/** Every error code of responses and of failed jobs, each with an anchor. */
export function errorSections(document: OpenApiDocument): readonly Section[] {
  const { schemas } = document.components;
  const { ErrorResponse = {} } = schemas;
  return [
    headersSection(document),
    {
      id: 'errors',
      title: 'Error codes',
      text: html`<p>${prose(String(ErrorResponse['description']))} Rely on <code>code</code> and <code>param</code>. The message is meant for humans
and may change.</p>
<p>The check of a request ends at its first error. With <code>?expand=error</code>, <code>error.files</code> lists the first ${MAX_LISTED_ENTRIES} invalid
entries of <code>urls</code>.</p>
${rowList(schemaRows(ErrorResponse, schemas), '')}`,
      example: example('Response 422', json(JSON.parse(errorBody(parameterMissing('bucket_name'))))),
      below: html`${subheading('codes', 'Codes')}
${table(
  ['Code', 'Status', 'Meaning'],
  Object.entries(ERROR_CODES).map(([id, { status, text }]) => rowOf(id, String(status), text)),
)}`,
    },
    {
      id: 'failures',
      title: 'Failure codes',
      text: html`<p>A failed job has the status <code>failed</code>; it is not an HTTP error. No archive exists, unless the table says otherwise. The code is in
<code>error.code</code> of the webhook and of the response to <code>?expand=error</code>. If a file is the cause, <code>error.file_index</code> is
the position of the file in <code>urls</code>, counted from 0.</p>
<p>With <em>yes</em>, <code>error.retriable</code> is <code>true</code>: sending the same request again may help.</p>
${table(
  ['Code', 'Retry helps', 'Meaning'],
  JOB_FAILURES.map(({ code: id, retryHelps, text }) => rowOf(id, retryHelps, text)),
)}`,
    },
  ];
}
