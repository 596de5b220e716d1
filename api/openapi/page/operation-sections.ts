import { CALLER_OPTIONS } from '#crds/caller-options.ts';
import type {
  Examples,
  JsonContent,
  OpenApiDocument,
  Operation,
  Parameter,
  Response,
  Schema,
} from '../document-types.ts';
import { fieldList, foldedRows, rowList } from './fields.ts';
import {
  block,
  code,
  commaSeparated,
  example,
  type Html,
  html,
  json,
  type Part,
  prose,
  table,
  tabs,
} from './html.ts';
import { resolve, type SchemaRow, type Schemas, schemaRows } from './schema-rows.ts';
import { type Section, subheading } from './section.ts';
import { zipsUrl } from './start-section.ts';

function valuesOf(schema: Schema): Part {
  const { items = schema } = schema;
  const values = typeof items === 'object' && items !== null && 'enum' in items ? items.enum : undefined;
  return Array.isArray(values)
    ? [' Values: ', commaSeparated(values.map((value) => code(String(value)))), '.']
    : '';
}

/** OpenAPI describes this header as a security scheme, not as a parameter. */
const AUTHORIZATION = {
  name: 'Authorization',
  more: 'header, required',
  text: html`<code>Bearer</code> and an <a href="#authentication">access token</a>.`,
};

function parameterOf({ name, in: place, required, description, schema }: Parameter) {
  return {
    name,
    more: required ? `${place}, required` : place,
    text: [prose(description), valuesOf(schema)],
  };
}

export function parameterList({ operationId, security, parameters }: Operation): Html {
  const first = security?.length === 0 ? [] : [AUTHORIZATION];
  return html`${subheading(`${operationId}.parameters`, 'Parameters')}
${fieldList([...first, ...parameters.map(parameterOf)], `${operationId}.`)}`;
}

/** The codes of an error response, with links to their meaning; the description of any other response. */
function meaningOf(status: string, { description, content }: Response): Part {
  const codes = Object.keys(content?.['application/json'].examples ?? {});
  if (status.startsWith('2') || codes.length === 0) return prose(description);
  return commaSeparated(codes.map((one) => html`<a href="#${one}">${code(one)}</a>`));
}

export function responseTable({ operationId, responses }: Operation): Html {
  return html`${subheading(`${operationId}.responses`, 'Responses')}
${table(
  ['Status', 'Meaning'],
  Object.entries(responses).map(([status, response]) => ({
    cells: [code(status), meaningOf(status, response)],
  })),
)}`;
}

export function exampleTabs(id: string, legend: string, examples: Examples): Html {
  return tabs(
    id,
    html`<legend>${legend}</legend>`,
    Object.values(examples).map(({ summary, value }) => ({ label: summary, panel: json(value) })),
  );
}

export function examplesOf(content: JsonContent | undefined): Examples {
  return content?.['application/json'].examples ?? {};
}

const OPTION_NAMES: ReadonlySet<string> = new Set(CALLER_OPTIONS.map((name) => name.replace(/\..*/, '')));

function isOption({ path }: SchemaRow): boolean {
  return OPTION_NAMES.has(path.replace(/[.[].*/, ''));
}

/** What the description of the request says about all of its fields, and about the options among them. */
function requestOf({ requestBody }: Operation, schemas: Schemas) {
  const schema = resolve(requestBody?.content['application/json'].schema ?? {}, schemas);
  const [text = '', options = ''] = String(schema['description']).split('\n\n');
  return { rows: schemaRows(schema, schemas), text, options };
}

function intro(method: string, path: string, { description }: Operation): Html {
  return html`<p>${code(`${method} ${path}`)} returns <a href="#zip">the zip object</a>.</p>
<p>${prose(description)}</p>`;
}

function createSection(path: string, operation: Operation, schemas: Schemas): Section {
  const { rows, text } = requestOf(operation, schemas);
  const { options: _options, ...examples } = examplesOf(operation.requestBody?.content);
  const [created] = Object.values(examplesOf(operation.responses['201']?.content));
  return {
    id: operation.operationId,
    title: operation.summary,
    text: html`${intro('POST', path, operation)}
${subheading('createZip.body', 'Body')}
<p>${prose(text)} For all other fields, see <a href="#options">Options</a>.</p>
${rowList(
  rows.filter((row) => !isOption(row)),
  '',
)}
${parameterList(operation)}
${responseTable(operation)}`,
    example: [
      exampleTabs('request', 'Body', examples),
      created ? example('Response 201', json(created.value)) : '',
    ],
  };
}

function optionsSection(operation: Operation, schemas: Schemas): Section {
  const { rows, options } = requestOf(operation, schemas);
  const { options: chosen } = examplesOf(operation.requestBody?.content);
  return {
    id: 'options',
    title: 'Options',
    text: html`<p>${prose(options)}</p>
${foldedRows(rows.filter(isOption), '')}`,
    example: chosen ? example('Body with options', json(chosen.value)) : '',
  };
}

function readSection(path: string, operation: Operation, document: OpenApiDocument): Section {
  const { id } = Object.fromEntries(operation.parameters.map(({ name, example: value }) => [name, value]));
  const [succeeded] = Object.values(examplesOf(operation.responses['200']?.content));
  const url = zipsUrl(document).replace('/v1/zips', `/v1/zips/${String(id)}`);
  return {
    id: operation.operationId,
    title: operation.summary,
    text: html`${intro('GET', path, operation)}
${parameterList(operation)}
${responseTable(operation)}`,
    example: [
      example('Read a zip', block(`curl ${url} \\\n  -H "Authorization: Bearer $ZIPJOBS_TOKEN"`)),
      succeeded ? example('Response 200', json(succeeded.value)) : '',
    ],
  };
}

/** The two operations of the API, and the options of the first. */
export function operationSections(document: OpenApiDocument): readonly Section[] {
  const { schemas } = document.components;
  return Object.entries(document.paths).flatMap(([path, { post, get }]) => [
    ...(post ? [createSection(path, post, schemas), optionsSection(post, schemas)] : []),
    ...(get ? [readSection(path, get, document)] : []),
  ]);
}
