import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { until } from '../until.ts';

export interface Delivery {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact bytes as text. */
  readonly body: string;
  readonly at: number;
}

export interface ReceiverOptions {
  /** Response to this delivery; undefined for the next of `answers`, or 204. */
  readonly respond?: (delivery: Delivery) => number | 'never' | undefined;
  readonly port?: number;
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  readonly deliveries: readonly Delivery[];
  /** Status codes of the next responses; 204 when the list is empty. */
  readonly responses: number[];
  /** Why the published verifiers refused deliveries. */
  readonly refused: readonly string[];
  /** Waits for a delivery that the predicate accepts. */
  next(predicate: (delivery: Delivery) => boolean, limitMs?: number): Promise<Delivery>;
  /**
   * From now on a delivery is accepted only when each of these secrets alone verifies it; otherwise the
   * response is 401.
   */
  trust(...secrets: readonly string[]): void;
}

const SKEW_SECONDS = 300;

function header(delivery: Delivery, name: string): string {
  return String(delivery.headers[name] ?? '');
}

export function deliveryId(delivery: Delivery): string {
  return header(delivery, 'webhook-id');
}

/**
 * Verifies a delivery with the published libraries of Standard Webhooks and of Svix.
 * @throws WebhookVerificationError when the signature or the time is invalid.
 */
export function verifyDelivery(delivery: Delivery, secret: string): void {
  for (const library of [new Webhook(secret), new SvixWebhook(secret)])
    library.verify(delivery.body, {
      'webhook-id': deliveryId(delivery),
      'webhook-timestamp': header(delivery, 'webhook-timestamp'),
      'webhook-signature': header(delivery, 'webhook-signature'),
    });
}

/**
 * Like `verifyDelivery`, for a sender whose clock a test has moved: the signature has to be valid at the time
 * in its header.
 */
function verifyAtItsTime(delivery: Delivery, secret: string): void {
  const signed = new Date(Number(header(delivery, 'webhook-timestamp')) * 1000);
  const signatures = header(delivery, 'webhook-signature').split(' ');
  for (const library of [new Webhook(secret), new SvixWebhook(secret)])
    if (!signatures.includes(library.sign(deliveryId(delivery), signed, delivery.body)))
      throw new Error(`no signature of ${deliveryId(delivery)} is valid`);
}

function isOffTime(delivery: Delivery): boolean {
  return Math.abs(Number(header(delivery, 'webhook-timestamp')) - delivery.at / 1000) > SKEW_SECONDS;
}

function refusalOf(delivery: Delivery, secrets: readonly string[]): string | undefined {
  try {
    for (const secret of secrets) {
      if (isOffTime(delivery)) verifyAtItsTime(delivery, secret);
      else verifyDelivery(delivery, secret);
    }
    return undefined;
  } catch (error) {
    return `${deliveryId(delivery)}: ${String(error)}`;
  }
}

/** A receiver on loopback that records its deliveries. */
export async function startWebhookReceiver(options: ReceiverOptions = {}): Promise<WebhookReceiver> {
  const deliveries: Delivery[] = [];
  const responses: number[] = [];
  const refused: string[] = [];
  let trusted: readonly string[] = [];
  function responseTo(delivery: Delivery): number | 'never' {
    const refusal = refusalOf(delivery, trusted);
    if (refusal === undefined) return options.respond?.(delivery) ?? responses.shift() ?? 204;
    refused.push(refusal);
    return 401;
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const delivery = { path: request.url ?? '', headers: request.headers, body, at: Date.now() };
      deliveries.push(delivery);
      const reply = responseTo(delivery);
      if (reply !== 'never') response.writeHead(reply).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    deliveries,
    responses,
    refused,
    next: (predicate, limitMs) =>
      until('a webhook delivery', () => deliveries.find(predicate), limitMs === undefined ? {} : { limitMs }),
    trust: (...secrets) => {
      trusted = secrets;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
