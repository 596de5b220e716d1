import type { OpenApiDocument, Schema } from '../document-types.ts';
import type { Samples } from '../read-samples.ts';
import { nameOfRef } from '../schemas/schema-ref.ts';
import { foldedRows } from './fields.ts';
import { code, commaSeparated, type Html, html, prose } from './html.ts';
import { examplesOf, exampleTabs, parameterList, responseTable } from './operation-sections.ts';
import { sampleTabs } from './sample-tabs.ts';
import { resolve, type SchemaRow, type Schemas, schemaRows } from './schema-rows.ts';
import { type Section, subheading } from './section.ts';

function sameFields(rows: readonly SchemaRow[], first: readonly SchemaRow[]): readonly SchemaRow[] {
  const known = new Set(first.map((row) => JSON.stringify(row)));
  return rows.filter((row) => known.has(JSON.stringify(row)));
}

function innerOf(rows: readonly SchemaRow[], field: string): readonly SchemaRow[] {
  return rows.filter(({ path }) => path.startsWith(`${field}.`));
}

/** The fields whose inner fields are exactly those of the zip object. */
function zipFields(rows: readonly SchemaRow[], schemas: Schemas): readonly string[] {
  const ofZip = schemaRows(schemas['Zip'] ?? {}, schemas);
  const fields = rows.map(({ path }) => path).filter((path) => innerOf(rows, path).length > 0);
  return fields.filter(
    (field) => JSON.stringify(innerOf(rows, field)) === JSON.stringify(innerOf(ofZip, field)),
  );
}

/** The events, of which the discriminator has the types. Each lists the fields that the first one does not have. */
function eventsOf({ discriminator }: Schema, schemas: Schemas): Html {
  const { mapping } = discriminator as { readonly mapping: Readonly<Record<string, string>> };
  const events = Object.entries(mapping).map(([type, $ref]) => {
    const event = resolve({ $ref }, schemas);
    return {
      type,
      name: nameOfRef($ref),
      text: String(event['description']),
      rows: schemaRows(event, schemas),
    };
  });
  const [first] = events;
  return html`${events.map(({ type, name, text, rows }) => {
    const same = name === first?.name ? [] : sameFields(rows, first?.rows ?? []);
    const more =
      same.length === 0
        ? ''
        : html` It also has ${commaSeparated(same.filter(({ path }) => !path.includes('.')).map(({ path }) => code(path)))} of the ${first?.type} event.`;
    const ofZip = zipFields(rows, schemas);
    const elsewhere = ofZip.map(
      (field) => html` The fields of ${code(field)} are those of <a href="#zip.${field}">the zip object</a>.`,
    );
    return html`${subheading(name, `${type} event`)}
<p>${prose(text)}${more}${elsewhere}</p>
${foldedRows(
  rows.filter((row) => !same.includes(row) && !ofZip.some((field) => row.path.startsWith(`${field}.`))),
  `${name}.`,
)}`;
  })}`;
}

export function webhookSections(
  { webhooks, components: { schemas } }: OpenApiDocument,
  { receiveWebhook, verifyWebhook }: Samples,
): readonly Section[] {
  const operation = Object.values(webhooks)[0]?.post;
  if (operation === undefined) return [];
  return [
    {
      id: operation.operationId,
      title: 'Webhooks',
      text: html`<p>${code('POST')} to the webhook URL of the project</p>
<p>${prose(operation.description)}</p>
${parameterList(operation)}
${eventsOf(schemas['WebhookEvent'] ?? {}, schemas)}
${responseTable(operation)}`,
      example: exampleTabs('events', 'Body', examplesOf(operation.requestBody?.content)),
    },
    {
      id: 'receive',
      title: 'Receive webhooks',
      text: html`<p>Start one of these servers behind a proxy with HTTPS, and set the webhook URL of the project to its public address, such as
<code>https://app.example.com/webhook</code>:</p>
${sampleTabs('receivers', 'Servers that receive webhooks', receiveWebhook)}`,
    },
    {
      id: 'verify',
      title: 'Verify webhooks',
      text: html`<p>Use any <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a> library, or verify the signature yourself:</p>
${sampleTabs('verifiers', 'Programs that verify a webhook', verifyWebhook)}`,
    },
  ];
}
