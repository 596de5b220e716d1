import type { JsonContent, Operation, Parameter, Schema } from '../document-types.ts';
import { type Html, html, json, type Part, prose, table } from './html.ts';
import { schemaRows } from './schema-rows.ts';

export interface OperationSection {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly schemas: Readonly<Record<string, Schema>>;
}

const resolve = (schema: Schema, schemas: OperationSection['schemas']): Schema => {
  const { $ref } = schema;
  return (typeof $ref === 'string' ? schemas[$ref.split('/').at(-1) ?? ''] : undefined) ?? schema;
};

const parameterRow = ({ name, in: place, required, description, schema }: Parameter): readonly Part[] => [
  html`<code>${name}</code>`,
  required ? `${place}, required` : place,
  [prose(description), JSON.stringify(schema).includes('"enum"') ? html` ${prose(valuesOf(schema))}` : ''],
];

const valuesOf = (schema: Schema): string => {
  const { items = schema } = schema;
  const values = typeof items === 'object' && items !== null && 'enum' in items ? items.enum : undefined;
  return Array.isArray(values) ? values.map((value) => `\`${String(value)}\``).join(', ') : '';
};

const examplesOf = (content: JsonContent | undefined): Part =>
  Object.values(content?.['application/json'].examples ?? {}).map(
    ({ summary, value }) => html`<details><summary>${summary}</summary>${json(value)}</details>`,
  );

/** Renders the fields of a schema as a table; one table per `oneOf` alternative. */
const fieldsTable = (schema: Schema): Html => {
  const { oneOf } = schema;
  if (Array.isArray(oneOf))
    return html`${oneOf.map((one: Schema) => html`<h4>${String(one['title'])}</h4>${fieldsTable(one)}`)}`;
  return table(
    ['Field', 'Type', 'Description'],
    schemaRows(schema).map(({ path, type, isRequired, description, rules }) => [
      html`<code>${path}</code>`,
      isRequired ? `${type}, required` : type,
      html`${prose(description)}${rules === '' ? '' : html` <span class="soft">(${rules})</span>`}`,
    ]),
  );
};

const bodySection = ({ operation, schemas }: OperationSection): Part => {
  const { requestBody } = operation;
  if (requestBody === undefined) return '';
  const { schema } = requestBody.content['application/json'];
  return html`<h3>Body</h3>${fieldsTable(resolve(schema, schemas))}${examplesOf(requestBody.content)}`;
};

const responseRows = ({ operation }: OperationSection): readonly (readonly Part[])[] =>
  Object.entries(operation.responses).map(([status, { description, headers = {} }]) => [
    html`<code>${status}</code>`,
    prose(description),
    Object.keys(headers).map((name, index) => [index === 0 ? '' : ', ', html`<code>${name}</code>`]),
  ]);

/** One operation: parameters, body and responses. */
export const operationSection = (section: OperationSection): Html => {
  const { method, path, operation } = section;
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'));
  return html`
<section aria-labelledby="${operation.operationId}">
<h2 id="${operation.operationId}">${operation.summary}</h2>
<p><code>${method} ${path}</code></p>
<p>${prose(operation.description)}</p>
<h3>Parameters</h3>
${table(['Name', 'In', 'Description'], operation.parameters.map(parameterRow))}
${bodySection(section)}
<h3>Responses</h3>
${table(['Status', 'Description', 'Headers'], responseRows(section))}
${examplesOf(success?.[1].content)}
</section>`;
};
