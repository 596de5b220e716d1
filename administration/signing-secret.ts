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
  /** Shown only once. */
  readonly secret: string;
  /** Until then, events are also signed with the old secret; null without an overlap. */
  readonly previousUntil: string | null;
}

/** Standard Webhooks format. */
const newSecret = (): string => `whsec_${randomBytes(KEY_BYTES).toString('base64')}`;

const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** Creates the secret that signs the events of a project. Returns undefined if one exists, without reading or changing it. */
const createSigningSecret = async (
  secrets: Pick<SecretsOfWebhook, 'create'>,
  { metadata }: ZipProject,
  url: string | undefined,
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
    data: { current: encoded(secret), ...(url !== undefined && { url: encoded(url) }) },
  });
  return created ? secret : undefined;
};

/**
 * Writes the URL into the Secret of the webhook, or keeps the current one. Returns the signing secret if it had to be created.
 */
export const saveWebhookSecret = async (
  secrets: Pick<SecretsOfWebhook, 'create' | 'mergePatch'>,
  project: ZipProject,
  url: string | undefined,
): Promise<string | undefined> => {
  const created = await createSigningSecret(secrets, project, url);
  const { namespace } = project.metadata;
  if (created === undefined && url !== undefined)
    await secrets.mergePatch({ namespace, name: WEBHOOK_SECRET_NAME }, { data: { url: encoded(url) } });
  return created;
};

/** Of the Secret: the form that rotated it last. */
const ROTATED_BY = 'zipjobs.dev/rotated-by-form';

interface Rotation {
  readonly overlapSeconds: number;
  /** UUID of a form, which a browser may send twice. */
  readonly form: string | undefined;
}

interface Overlap {
  readonly previousUntil: string | null;
  /** Of the Secret; without a change, the secret before the form stays valid. */
  readonly data: Readonly<Record<string, string | null>>;
}

const keptOverlap = ({ data = {} }: Secret): Overlap => {
  const { previousUntil } = data;
  return { data: {}, previousUntil: previousUntil ? Buffer.from(previousUntil, 'base64').toString() : null };
};

const newOverlap = (current: string, seconds: number, clock: Clock): Overlap => {
  if (seconds === 0) return { data: { previous: null, previousUntil: null }, previousUntil: null };
  const previousUntil = rfc3339(new Date(clock.date().getTime() + seconds * 1000));
  return { data: { previous: current, previousUntil: encoded(previousUntil) }, previousUntil };
};

const isRotatedBy = (secret: Secret | undefined, form: string | undefined): boolean =>
  form !== undefined && secret?.metadata.annotations?.[ROTATED_BY] === form;

const rotateOnce = async (
  { secrets, clock }: { readonly secrets: SecretsOfWebhook; readonly clock: Clock },
  namespace: string,
  { overlapSeconds, form }: Rotation,
): Promise<RotatedSecret> => {
  const before = await secrets.get(namespace, WEBHOOK_SECRET_NAME);
  const current = before?.data?.['current'];
  if (!before || current === undefined)
    throw new AdministrationError(`No signing secret found in project "${namespace}"`, {
      code: 'NotFound',
      commandHint: `Create one by setting the webhook: zipjobs webhook set URL -n ${namespace}`,
    });
  const { resourceVersion } = before.metadata;
  const overlap = isRotatedBy(before, form)
    ? keptOverlap(before)
    : newOverlap(current, overlapSeconds, clock);
  const secret = newSecret();
  await secrets.mergePatch(
    { namespace, name: WEBHOOK_SECRET_NAME },
    {
      metadata: { resourceVersion, annotations: { [ROTATED_BY]: form ?? null } },
      data: { ...overlap.data, current: encoded(secret) },
    },
  );
  return { secret, previousUntil: overlap.previousUntil };
};

/**
 * Replaces the current secret. During the overlap both secrets sign, so that receivers can be updated without failures.
 * @throws AdministrationError NotFound if there is none, Conflict after a concurrent rotation.
 */
export const rotateSigningSecret = async (
  options: { readonly secrets: SecretsOfWebhook; readonly clock: Clock },
  namespace: string,
  rotation: Rotation,
): Promise<RotatedSecret> => {
  try {
    return await rotateOnce(options, namespace, rotation);
  } catch (error) {
    if (!hasCode(error, 'Conflict')) throw error;
    const now = await options.secrets.get(namespace, WEBHOOK_SECRET_NAME);
    if (!isRotatedBy(now, rotation.form)) throw error;
    return rotateOnce(options, namespace, rotation);
  }
};

/** Whether a signing secret exists; undefined if the user lacks permission. */
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
