import { WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import { endpointSecretKey } from '#crds/webhook-endpoints.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { timeOf } from '../cluster/times.ts';
import { parseSigningSecret } from './signature.ts';

function textOf(secret: Secret | undefined, key: string): string | undefined {
  const encoded = secret?.data?.[key];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8').trim();
}

/** What the Secret of a project's webhook contains for one endpoint. */
export interface WebhookSecret {
  /** The active signing keys: the current one and, until it expires, the previous one. */
  readonly keys: readonly Buffer[];
  /** URL of an endpoint whose ZipProject contains none. */
  readonly url: string | undefined;
}

/** What the Secret contains for the endpoint with this name. */
export function webhookSecretOf(secret: Secret | undefined, name: string, now: Date): WebhookSecret {
  function text(key: string): string | undefined {
    return textOf(secret, endpointSecretKey(key, name));
  }
  const until = timeOf(text('previousUntil'));
  const texts = [
    text('current'),
    until !== undefined && now.getTime() < until ? text('previous') : undefined,
  ];
  return {
    keys: texts.flatMap((one) => (one === undefined ? [] : (parseSigningSecret(one) ?? []))),
    url: text('url'),
  };
}

export type ReadWebhookSecret = (
  endpoint: { readonly namespace: string; readonly name: string },
  now: Date,
) => Promise<WebhookSecret>;

/** Reads the Secret for every delivery, so that this process does not cache it. Deliveries that start together share a read. */
export function createWebhookSecrets(secrets: Pick<ObjectClient<Secret>, 'get'>): ReadWebhookSecret {
  const reading = new Map<string, Promise<Secret | undefined>>();
  function read(namespace: string): Promise<Secret | undefined> {
    const shared = reading.get(namespace);
    if (shared) return shared;
    const started = secrets.get(namespace, WEBHOOK_SECRET_NAME).finally(() => reading.delete(namespace));
    reading.set(namespace, started);
    return started;
  }
  return async ({ namespace, name }, now) => webhookSecretOf(await read(namespace), name, now);
}
