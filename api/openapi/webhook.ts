import type { Operation, Parameter } from './document-types.ts';
import { durationText } from './duration-text.ts';
import type { PublishedSettings } from './published-settings.ts';
import { schemaRef } from './schemas/schema-ref.ts';
import { TRACEPARENT_EXAMPLE, webhookExamples } from './zip-examples.ts';

function header(name: string, description: string, example: string): Parameter {
  return {
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
    example,
  };
}

export const WEBHOOK_ID = 'zipEnded';

/** After how many attempts, and how long after the first one, a delivery ends. */
function attemptsText(schedule: readonly number[]): string {
  const seconds = schedule.slice(1).reduce((sum, wait) => sum + wait, 0);
  return schedule.length === 1
    ? 'is not retried'
    : `is retried, up to ${schedule.length} attempts in about ${durationText(seconds)}`;
}

/** The request that the service sends to the webhook of a project. */
export function webhook({ jobWebhookSchedule, helpUrl }: PublishedSettings): Operation {
  return {
    operationId: WEBHOOK_ID,
    summary: 'Job finished',
    description:
      'Sent to the webhook URL of the project, signed according to Standard Webhooks. Verify the signature over the exact bytes of the body, reject timestamps that differ by more than five minutes, and store `webhook-id`: the same event may be delivered more than once, always with the same id.',
    tags: ['Webhooks'],
    security: [],
    parameters: [
      header('webhook-id', 'Id of the event; the same for every attempt.', 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'),
      header('webhook-timestamp', 'Time of this attempt, in Unix seconds.', '1777896009'),
      header(
        'webhook-signature',
        'One or more signatures, separated by spaces: `v1,` followed by the base64-encoded HMAC-SHA-256 of `id.timestamp.body`. One matching signature is sufficient. The key is the base64-decoded part of the signing secret after `whsec_`.',
        'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
      ),
      {
        ...header(
          'traceparent',
          'W3C trace context of the request that created the job; absent if it had none.',
          TRACEPARENT_EXAMPLE,
        ),
        required: false,
      },
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemaRef('WebhookEvent'),
          examples: webhookExamples(helpUrl),
        },
      },
    },
    responses: {
      '2XX': { description: `Delivered. Any other response ${attemptsText(jobWebhookSchedule)}.` },
      '410': {
        description:
          'Disables the endpoint: no more events are sent to this URL until a user enables it again.',
      },
    },
  };
}
