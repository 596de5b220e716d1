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
    return html`${subheading(name, `${type} event`)}
<p>${prose(text)}${more}</p>
${foldedRows(
  rows.filter((row) => !same.includes(row)),
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
