import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { until } from './until.ts';

export interface Delivery {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact bytes as text. */
  readonly body: string;
  readonly at: number;
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  readonly deliveries: readonly Delivery[];
  /** Status codes of the next answers; 204 when the list is empty. */
  readonly answers: number[];
  /** Waits for a delivery that the predicate accepts. */
  next(predicate: (delivery: Delivery) => boolean, limitMs?: number): Promise<Delivery>;
}

/** A receiver on loopback that keeps what it was sent. */
export const startWebhookReceiver = async (): Promise<WebhookReceiver> => {
  const deliveries: Delivery[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      deliveries.push({ path: request.url ?? '', headers: request.headers, body, at: Date.now() });
      response.writeHead(answers.shift() ?? 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    deliveries,
    answers,
    next: (predicate, limitMs) =>
      until('a webhook delivery', () => deliveries.find(predicate), limitMs === undefined ? {} : { limitMs }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const header = (delivery: Delivery, name: string): string => String(delivery.headers[name] ?? '');

/**
 * Verifies a delivery with the published Standard Webhooks library.
 * @throws WebhookVerificationError when signature or time do not hold.
 */
export const verifyDelivery = (delivery: Delivery, secret: string): void => {
  new Webhook(secret).verify(delivery.body, {
    'webhook-id': header(delivery, 'webhook-id'),
    'webhook-timestamp': header(delivery, 'webhook-timestamp'),
    'webhook-signature': header(delivery, 'webhook-signature'),
  });
};
