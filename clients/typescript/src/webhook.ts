import { Webhook } from 'standardwebhooks';
import type { components } from './schema.ts';

/** Later releases may add events: ignore a `type` that you do not know. */
export type WebhookEvent = components['schemas']['WebhookEvent'];

export interface ReceivedRequest {
  /** The received bytes or text, before any parsing. */
  readonly body: string | Uint8Array;
  /** `Headers` of any implementation, or an object as in Node. */
  readonly headers: // Without the library `dom.iterable`, the type is not iterable.
    | Headers
    | Iterable<readonly [string, string]>
    | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The signing secret of the project: `whsec_...`. */
  readonly secret: string;
}

export interface VerifiedWebhook {
  /** The same for every delivery of the event. Store it, and skip the ids that you know. */
  readonly id: string;
  readonly event: WebhookEvent;
}

/** The request must not be trusted: respond with 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

function isIterable(headers: ReceivedRequest['headers']): headers is Iterable<readonly [string, string]> {
  return Symbol.iterator in headers;
}

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws WebhookVerificationError if the signature is invalid or older than five minutes */
export function verifyWebhook({ body, headers, secret }: ReceivedRequest): VerifiedWebhook {
  const webhook = new Webhook(secret);
  try {
    // Not instanceof: the headers of a polyfill, a package or another realm have another class.
    const entries = isIterable(headers) ? [...headers] : Object.entries(headers);
    const received = Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
    const text = typeof body === 'string' ? body : DECODER.decode(body);
    const event = webhook.verify(text, received) as WebhookEvent;
    return { id: received['webhook-id'] ?? '', event };
  } catch (cause) {
    throw new WebhookVerificationError('The webhook has no valid signature.', { cause });
  }
}
