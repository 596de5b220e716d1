import { WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { timeOf } from '../kube-state/times.ts';
import { parseSigningSecret } from './signature.ts';

const textOf = (secret: Secret | undefined, key: string): string | undefined => {
  const encoded = secret?.data?.[key];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8').trim();
};

/** The active signing keys: the current one and, until it expires, the previous one. */
export const signingKeysOf = (secret: Secret | undefined, now: Date): readonly Buffer[] => {
  const until = timeOf(textOf(secret, 'previousUntil'));
  const texts = [
    textOf(secret, 'current'),
    until !== undefined && now.getTime() < until ? textOf(secret, 'previous') : undefined,
  ];
  return texts.flatMap((text) => (text === undefined ? [] : (parseSigningSecret(text) ?? [])));
};

export type ReadSigningKeys = (namespace: string, now: Date) => Promise<readonly Buffer[]>;

/** Reads the keys for every delivery, so that this process does not cache them. */
export const createSigningKeys =
  (secrets: Pick<ObjectClient<Secret>, 'get'>): ReadSigningKeys =>
  async (namespace, now) =>
    signingKeysOf(await secrets.get(namespace, WEBHOOK_SECRET_NAME), now);
