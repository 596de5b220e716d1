import { randomBytes } from 'node:crypto';
import { GROUP_VERSION, WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import { rfc3339 } from '#crds/conditions.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { AdministrationError, hasCode } from './administration-error.ts';

const KEY_BYTES = 32;

export type SecretsOfWebhook = Pick<ObjectClient<Secret>, 'get' | 'create' | 'mergePatch' | 'delete'>;

export interface RotatedSecret {
  /** Shown once. */
  readonly secret: string;
  /** Until then events are signed with the old one, too; null when they are not. */
  readonly previousUntil: string | null;
}

/** In the form of Standard Webhooks. */
const newSecret = (): string => `whsec_${randomBytes(KEY_BYTES).toString('base64')}`;

const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** Makes the secret that signs the events of a project; undefined when there is one, which stays and is not read. */
export const createSigningSecret = async (
  secrets: Pick<SecretsOfWebhook, 'create'>,
  { metadata }: ZipProject,
): Promise<string | undefined> => {
  const secret = newSecret();
  const owner = {
    apiVersion: GROUP_VERSION,
    kind: 'ZipProject',
    name: metadata.name,
    uid: metadata.uid ?? '',
  };
  const created = await secrets.create({
    metadata: { namespace: metadata.namespace, name: WEBHOOK_SECRET_NAME, ownerReferences: [owner] },
    type: 'Opaque',
    data: { current: encoded(secret) },
  });
  return created ? secret : undefined;
};

/**
 * Makes a new secret the current one. Until the overlap is over both sign, so that receivers can be changed in between.
 * @throws AdministrationError NotFound when there is none, Conflict when somebody else rotates it at the same time.
 */
export const rotateSigningSecret = async (
  { secrets, clock }: { readonly secrets: SecretsOfWebhook; readonly clock: Clock },
  namespace: string,
  overlapSeconds: number,
): Promise<RotatedSecret> => {
  const before = await secrets.get(namespace, WEBHOOK_SECRET_NAME);
  const current = before?.data?.['current'];
  if (!before || current === undefined)
    throw new AdministrationError(
      `Project ${namespace} has no signing secret yet. Set the webhook: that makes one`,
      { code: 'NotFound' },
    );
  const secret = newSecret();
  const previousUntil =
    overlapSeconds > 0 ? rfc3339(new Date(clock.date().getTime() + overlapSeconds * 1000)) : null;
  const { resourceVersion } = before.metadata;
  await secrets.mergePatch(
    { namespace, name: WEBHOOK_SECRET_NAME },
    {
      metadata: { resourceVersion },
      data: {
        current: encoded(secret),
        previous: previousUntil === null ? null : current,
        previousUntil: previousUntil === null ? null : encoded(previousUntil),
      },
    },
  );
  return { secret, previousUntil };
};

/** Whether there is a signing secret; undefined when the person may not look. */
export const hasSigningSecret = async (
  secrets: Pick<SecretsOfWebhook, 'get'>,
  namespace: string,
): Promise<boolean | undefined> => {
  try {
    const secret = await secrets.get(namespace, WEBHOOK_SECRET_NAME);
    return secret?.data?.['current'] !== undefined;
  } catch (error) {
    if (hasCode(error, 'Forbidden')) return undefined;
    throw error;
  }
};
