import { WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { timeOf } from '../cluster/times.ts';
import { parseSigningSecret } from './signature.ts';

function textOf(secret: Secret | undefined, key: string): string | undefined {
  const encoded = secret?.data?.[key];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8').trim();
}

/** What the Secret of a project's webhook contains. */
export interface WebhookSecret {
  /** The active signing keys: the current one and, until it expires, the previous one. */
  readonly keys: readonly Buffer[];
  /** URL of a webhook whose ZipProject contains none. */
  readonly url: string | undefined;
}

function signingKeysOf(secret: Secret | undefined, now: Date): readonly Buffer[] {
  const until = timeOf(textOf(secret, 'previousUntil'));
  const texts = [
    textOf(secret, 'current'),
    until !== undefined && now.getTime() < until ? textOf(secret, 'previous') : undefined,
  ];
  return texts.flatMap((text) => (text === undefined ? [] : (parseSigningSecret(text) ?? [])));
}

export function webhookSecretOf(secret: Secret | undefined, now: Date): WebhookSecret {
  return {
    keys: signingKeysOf(secret, now),
    url: textOf(secret, 'url'),
  };
}

export type ReadWebhookSecret = (namespace: string, now: Date) => Promise<WebhookSecret>;

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
  return async (namespace, now) => webhookSecretOf(await read(namespace), now);
}
