import type { Operation, Parameter } from './document-types.ts';
import { WEBHOOK_EXAMPLES } from './zip-examples.ts';

const header = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** What the service sends to the webhook of a project. */
export const WEBHOOK: Operation = {
  operationId: 'zipEnded',
  summary: 'A job has ended',
  description:
    'Sent to the URL in the settings of the project, signed as Standard Webhooks says. Check the signature over the exact bytes of the body, refuse timestamps that are more than five minutes off, and keep `webhook-id`: the same event may come more than once, always under the same id.',
  security: [],
  parameters: [
    header('webhook-id', 'Id of the event, the same for every attempt.', 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'),
    header('webhook-timestamp', 'Unix seconds of this attempt.', '1777896009'),
    header(
      'webhook-signature',
      'One or more of `v1,` and the base64 of HMAC-SHA-256 over `id.timestamp.body`, with a space between them; one that fits is enough. The key is what follows `whsec_` in the secret of the project, decoded from base64.',
      'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    ),
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Webhook' }, examples: WEBHOOK_EXAMPLES },
    },
  },
  responses: {
    '2XX': { description: 'Taken. Anything else is tried again, ten times in 75 hours.' },
    '410': { description: 'Nothing more is sent to this URL until a person enables it again.' },
  },
};
