import { MOST_ARCHIVE_BYTES } from '#runtime/zip-request/job-limits.ts';
import { OBJECT_SCHEMA } from '../create/schemas/object-options.ts';
import { zipJobRequestSchema } from '../create/schemas/zip-job-request.ts';
import { publicBasePaths } from '../http/base-paths.ts';
import type { OpenApiDocument } from './document-types.ts';
import { FAILURE_CODE_SCHEMA } from './job-failures.ts';
import { createZip, readZip } from './operations.ts';
import type { PublishedSettings } from './published-settings.ts';
import { ERROR_SCHEMAS } from './responses.ts';
import { schemaRef } from './schemas/schema-ref.ts';
import { WEBHOOK_SCHEMAS } from './schemas/webhook.ts';
import { ZIP_SCHEMAS } from './schemas/zip.ts';
import { WEBHOOK_ID, webhook } from './webhook.ts';

const DESCRIPTION = `Builds zip archives from remote files and stores them in your own bucket. A request lists the files, the bucket and the key of the archive. The API immediately returns the id of a job, and the service sends a webhook when the job finishes.

Send an access token with each request. Every error response has the same envelope, including those for an unsupported method (405) or an unknown path (404). Always use HTTPS.`;

export interface DocumentOptions {
  readonly settings: PublishedSettings;
  /** Version of this release. */
  readonly version: string;
}

/** The schema that validates requests. Generators name the types of fields only if these are named schemas. */
function requestSchemas(settings: PublishedSettings) {
  const schema = zipJobRequestSchema(settings);
  const { items, ...urls } = schema.properties.urls;
  return {
    ZipRequest: {
      ...schema,
      properties: {
        ...schema.properties,
        urls: { ...urls, items: schemaRef('FileEntry') },
        object: schemaRef('ObjectOptions'),
      },
    },
    FileEntry: {
      ...items,
      properties: {
        ...items.properties,
        size: { ...items.properties.size, maximum: MOST_ARCHIVE_BYTES },
      },
    },
    ObjectOptions: OBJECT_SCHEMA,
  };
}

/** The OpenAPI document, with the configured limits. */
export function createDocument({ settings, version }: DocumentOptions): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'zipjobs',
      version,
      summary: 'Zips remote files into your own S3 or R2 bucket',
      description: DESCRIPTION,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: {
      description: 'API reference with code samples',
      url: `${settings.publicUrl}${settings.basePath}/docs`,
    },
    servers: publicBasePaths(settings.basePath)
      .map((base) => `${settings.publicUrl}${base}`)
      .map((url) => ({ url: url === '' ? '/' : url, description: `Create zips at ${url}/v1/zips` })),
    tags: [
      { name: 'Zips', description: 'The two operations of the API.' },
      { name: 'Webhooks', description: 'The requests that the service sends to the webhook of a project.' },
    ],
    security: [{ token: [] }],
    paths: {
      '/v1/zips': { post: createZip(settings) },
      '/v1/zips/{id}': { get: readZip(settings) },
    },
    webhooks: { [WEBHOOK_ID]: { post: webhook(settings) } },
    components: {
      schemas: {
        ...requestSchemas(settings),
        ...ZIP_SCHEMAS,
        ...ERROR_SCHEMAS,
        ...WEBHOOK_SCHEMAS,
        FailureCode: FAILURE_CODE_SCHEMA,
      },
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'Send an access token of your project in this header. Create one in the dashboard or with the command line; it is shown only once. Creating zips needs the permission `create`, reading them `read`.',
        },
      },
    },
  };
}
