import { WEBHOOK_SCHEMA } from '../schemas/webhook.ts';
import { ZIP_SCHEMA } from '../schemas/zip.ts';
import { zipJobRequestSchema } from '../schemas/zip-job-request.ts';
import type { OpenApiDocument } from './document-types.ts';
import { createZip, readZip } from './operations.ts';
import type { PublishedSettings } from './published-settings.ts';
import { ERROR_SCHEMA } from './responses.ts';
import { WEBHOOK } from './webhook.ts';

const DESCRIPTION = `Builds zip archives from remote files and stores them in a bucket of your own. A request names the files, the bucket and the key of the archive; the answer comes at once with the id of a job, and a webhook tells its end.

Every request carries an access token of a project. Every answer that is not a success has the same envelope, also one to a wrong method (405) or path (404). Use HTTPS only.`;

export interface DocumentOptions {
  readonly settings: PublishedSettings;
  /** Of this release. */
  readonly version: string;
}

/** What callers are told about the API, with the limits that are in force. */
export const createDocument = ({ settings, version }: DocumentOptions): OpenApiDocument => ({
  openapi: '3.1.1',
  info: {
    title: 'zipjobs',
    version,
    summary: 'Zip archives of remote files, in your own bucket',
    description: DESCRIPTION,
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
  },
  externalDocs: { description: 'The same to read, with samples', url: '/docs' },
  servers: [
    { url: '/api', description: 'The paths as the reference spells them: /api/v1/zips' },
    { url: '/', description: 'The same routes without the prefix: /v1/zips' },
  ],
  security: [{ token: [] }],
  paths: {
    '/v1/zips': { post: createZip(settings) },
    '/v1/zips/{id}': { get: readZip(settings) },
  },
  webhooks: { zipEnded: { post: WEBHOOK } },
  components: {
    schemas: {
      ZipRequest: zipJobRequestSchema(settings),
      Zip: ZIP_SCHEMA,
      Error: ERROR_SCHEMA,
      Webhook: WEBHOOK_SCHEMA,
    },
    securitySchemes: {
      token: {
        type: 'http',
        scheme: 'bearer',
        description: `An access token of the project, as it was shown once at its creation, with the permission create or read.`,
      },
    },
  },
});
