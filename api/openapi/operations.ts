import { IDEMPOTENCY_KEY_PATTERN } from '../create/idempotency-key.ts';
import { MAX_LISTED_ENTRIES } from '../create/list-entry-faults.ts';
import { EXPANSIONS } from '../read/read-expand.ts';
import type { Operation, Parameter, Response } from './document-types.ts';
import { durationText, exactDurationText } from './duration-text.ts';
import { headersOf } from './headers.ts';
import type { PublishedSettings } from './published-settings.ts';
import { errorResponses } from './responses.ts';
import { schemaRef } from './schemas/schema-ref.ts';
import { sizeText } from './size-text.ts';
import { CREATED_EXAMPLES, REQUEST_EXAMPLES, readExamples, TRACEPARENT_EXAMPLE } from './zip-examples.ts';

function expand(more = ''): Parameter {
  return {
    name: 'expand',
    in: 'query',
    required: false,
    description: `Additional fields of the response, beyond \`uuid\`, \`status\` and \`metadata\`: a comma-separated list.${more}`,
    style: 'form',
    explode: false,
    schema: { type: 'array', minItems: 1, items: { type: 'string', enum: EXPANSIONS } },
  };
}

const REQUEST_ID: Parameter = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description:
    'Id of the request in the logs of the service: 1 to 64 letters, digits, dots, underscores and hyphens. An invalid id is replaced.',
  schema: { type: 'string' },
  example: 'order-4711',
};

/** Why a job that could be read before may not be readable now. */
function whileAway({ historyHost }: PublishedSettings): string {
  return historyHost === ''
    ? ''
    : ' While the history does not respond, an id that only the history may know gets 503, never 404.';
}

/** How long a finished job can be read. */
function readableFor(settings: PublishedSettings): string {
  if (settings.historyHost !== '') return 'for as long as the history of the service keeps it';
  const succeeded = durationText(settings.jobSucceededTtlSeconds);
  const failed = durationText(settings.jobFailedTtlSeconds);
  const time =
    succeeded === failed
      ? `for ${succeeded} after it finished`
      : `for ${succeeded} after it succeeded or ${failed} after it failed`;
  return `${time}, unless your project sets another time`;
}

function traceparent(description: string): Parameter {
  return {
    name: 'traceparent',
    in: 'header',
    required: false,
    description: `W3C trace context. ${description} A malformed value is ignored.`,
    schema: { type: 'string' },
    example: TRACEPARENT_EXAMPLE,
  };
}

function idempotencyKey(settings: PublishedSettings): Parameter {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: `Makes the request safe to retry: the same key and body return the same job as long as it can be read, ${readableFor(settings)}. 1 to 255 printable ASCII characters, quoted or unquoted, such as a UUID.`,
    schema: { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN },
  };
}

const ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The `uuid` from the create response, or the `zip_id` of a webhook.',
  schema: { type: 'string', format: 'uuid' },
  example: '3f0c7a52-6f0e-4f1c-9a55-0d7d1c1f0a11',
};

function created(): Response {
  return {
    description: 'The job was accepted and runs in the background.',
    headers: headersOf(201),
    content: { 'application/json': { schema: schemaRef('ZipResponse'), examples: CREATED_EXAMPLES } },
    links: {
      read: {
        operationId: 'readZip',
        parameters: { id: '$response.body#/data/uuid' },
        description: 'The `uuid` is the `id` of the job.',
      },
    },
  };
}

export function createZip(settings: PublishedSettings): Operation {
  return {
    operationId: 'createZip',
    tags: ['Zips'],
    summary: 'Create a zip',
    description: `Accepts a list of files, returns immediately and builds the archive in the background. An archive may have up to ${sizeText(settings.projectLimits.archiveBytes)}, and a job may run for up to ${exactDurationText(settings.jobMaxSeconds)}, unless your project has other limits. A job that exceeds a limit fails.`,
    parameters: [
      expand(` With \`error\`, an error lists the first ${MAX_LISTED_ENTRIES} invalid entries of \`urls\`.`),
      idempotencyKey(settings),
      REQUEST_ID,
      traceparent('The logs of the job contain its trace id, and the webhook sends it as a header.'),
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemaRef('ZipRequest'), examples: REQUEST_EXAMPLES } },
    },
    responses: { 201: created(), ...errorResponses('create', settings) },
  };
}

export function readZip(settings: PublishedSettings): Operation {
  return {
    operationId: 'readZip',
    tags: ['Zips'],
    summary: 'Read a zip',
    description: `Returns the status of a zip. Prefer a webhook to polling. A finished zip can be read ${readableFor(settings)}. After that, the response is 404.${whileAway(settings)}`,
    parameters: [ID, expand(), REQUEST_ID, traceparent('The log of this request contains its trace id.')],
    responses: {
      200: {
        description: 'The current state of the job.',
        headers: headersOf(200),
        content: {
          'application/json': { schema: schemaRef('ZipResponse'), examples: readExamples(settings.helpUrl) },
        },
      },
      ...errorResponses('read', settings),
    },
  };
}
