import type { JsonContent, Operation, Parameter, Response, Schema } from '../document-types.ts';
import { nameOfRef } from '../schemas/schema-ref.ts';
import { type Html, html, json, type Part, prose, table } from './html.ts';
import { resolve, type Schemas, schemaRows } from './schema-rows.ts';

export interface OperationSection {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly schemas: Schemas;
}

function parameterRow({ name, in: place, required, description, schema }: Parameter): readonly Part[] {
  return [
    html`<code>${name}</code>`,
    required ? `${place}, required` : place,
    [prose(description), JSON.stringify(schema).includes('"enum"') ? html` ${prose(valuesOf(schema))}` : ''],
  ];
}

/** OpenAPI describes this header as a security scheme, not as a parameter. */
function authorizationRow({ security }: Operation): readonly (readonly Part[])[] {
  return security?.length === 0
    ? []
    : [
        [
          html`<code>Authorization</code>`,
          'header, required',
          prose('`Bearer` and an access token of the project.'),
        ],
      ];
}

function valuesOf(schema: Schema): string {
  const { items = schema } = schema;
  const values = typeof items === 'object' && items !== null && 'enum' in items ? items.enum : undefined;
  return Array.isArray(values) ? values.map((value) => `\`${String(value)}\``).join(', ') : '';
}

function examplesOf(content: JsonContent | undefined): Part {
  return Object.values(content?.['application/json'].examples ?? {}).map(
    ({ summary, value }) => html`<details><summary>${summary}</summary>${json(value)}</details>`,
  );
}

/** Renders the fields of a schema as a table; one table per `oneOf` alternative. */
function fieldsTable(schema: Schema, schemas: Schemas): Html {
  const { oneOf, properties } = schema;
  if (Array.isArray(oneOf)) return html`${oneOf.map((one: Schema) => namedTable(one, schemas))}`;
  if (properties === undefined) return html``;
  return table(
    ['Field', 'Type', 'Description'],
    schemaRows(schema, schemas).map(({ path, type, isRequired, description, rules }) => [
      html`<code>${path}</code>`,
      isRequired ? `${type}, required` : type,
      html`${prose(description)}${rules === '' ? '' : html` <span class="soft">(${rules})</span>`}`,
    ]),
  );
}

function namedTable(schema: Schema, schemas: Schemas): Html {
  const named = resolve(schema, schemas);
  return html`<h4>${nameOfRef(String(schema['$ref']))}</h4><p>${prose(String(named['description']))}</p>${fieldsTable(named, schemas)}`;
}

function bodySection({ operation, schemas }: OperationSection): Part {
  const { requestBody } = operation;
  if (requestBody === undefined) return '';
  const { schema } = requestBody.content['application/json'];
  return html`<h3>Body</h3>${fieldsTable(resolve(schema, schemas), schemas)}${examplesOf(requestBody.content)}`;
}

/** The fields and examples of the response to a successful request. */
function successSection({ operation, schemas }: OperationSection): Part {
  const content = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1].content;
  if (content === undefined) return '';
  const { schema } = content['application/json'];
  return html`<h3>Response fields</h3>${fieldsTable(resolve(schema, schemas), schemas)}${examplesOf(content)}`;
}

/** The codes of an error response, with links to their meaning; the description of any other response. */
function meaningOf(status: string, { description, content }: Response): Part {
  const codes = Object.keys(content?.['application/json'].examples ?? {});
  if (status.startsWith('2') || codes.length === 0) return prose(description);
  return codes.map((code, index) => [
    index === 0 ? '' : ', ',
    html`<a href="#${code}"><code>${code}</code></a>`,
  ]);
}

function responseRows({ operation }: OperationSection): readonly (readonly Part[])[] {
  return Object.entries(operation.responses).map(([status, response]) => [
    html`<code>${status}</code>`,
    meaningOf(status, response),
    Object.keys(response.headers ?? {}).map((name, index) => [
      index === 0 ? '' : ', ',
      html`<code>${name}</code>`,
    ]),
  ]);
}

/** One operation: parameters, body and responses. */
export function operationSection(section: OperationSection): Html {
  const { method, path, operation } = section;
  return html`
<section aria-labelledby="${operation.operationId}">
<h2 id="${operation.operationId}">${operation.summary}</h2>
<p><code>${method} ${path}</code></p>
<p>${prose(operation.description)}</p>
<h3>Parameters</h3>
${table(['Name', 'In', 'Description'], [...authorizationRow(operation), ...operation.parameters.map(parameterRow)])}
${bodySection(section)}
<h3>Responses</h3>
${table(['Status', 'Meaning', 'Headers'], responseRows(section))}
${successSection(section)}
</section>`;
}
