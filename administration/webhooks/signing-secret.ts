import { randomBytes, randomUUID } from 'node:crypto';
import { WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import { rfc3339 } from '#crds/conditions.ts';
import { ownerReferenceOf } from '#crds/object-meta.ts';
import { webhookHost, type ZipProject } from '#crds/zip-project.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { versionOf } from '../changes/change-spec.ts';
import { AdministrationError, hasCode } from '../errors/administration-error.ts';

const KEY_BYTES = 32;

export type SecretsOfWebhook = Pick<ObjectClient<Secret>, 'get' | 'create' | 'mergePatch' | 'delete'>;

export interface RotatedSecret {
  /** Shown only once. */
  readonly secret: string;
  /** Until then, events are also signed with the old secret; null without an overlap. */
  readonly previousUntil: string | null;
}

/** Standard Webhooks format. */
function newSecret(): string {
  return `whsec_${randomBytes(KEY_BYTES).toString('base64')}`;
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString();
}

/** Of the Secret: the form or command that made its current signing secret. */
const ROTATED_BY = 'zipjobs.dev/rotated-by-form';

function isRotatedBy(secret: Secret | undefined, form: string | undefined): boolean {
  return form !== undefined && secret?.metadata.annotations?.[ROTATED_BY] === form;
}

const KIND = 'ZipProject';

/** The garbage collector is about to delete it. */
function isOfDeletedProject(
  { metadata: { ownerReferences = [] } }: Secret,
  { metadata: { uid } }: ZipProject,
): boolean {
  return (
    ownerReferences.some(({ kind }) => kind === KIND) && ownerReferences.every((owner) => owner.uid !== uid)
  );
}

/** What one save writes into the Secret of the webhook. */
interface SavedInSecret {
  /** Undefined: keeps the current one. */
  readonly url: string | undefined;
  /** UUID of a form, which a browser may send twice. */
  readonly form: string | undefined;
}

type Writer = Pick<SecretsOfWebhook, 'create' | 'mergePatch'>;

/** Returns undefined if a Secret exists, without reading or changing it. */
async function createSecret(
  secrets: Pick<Writer, 'create'>,
  project: ZipProject,
  { url, form }: SavedInSecret,
): Promise<string | undefined> {
  const secret = newSecret();
  const created = await secrets.create({
    metadata: {
      namespace: project.metadata.namespace,
      name: WEBHOOK_SECRET_NAME,
      ownerReferences: [ownerReferenceOf(project, KIND)],
      ...(form !== undefined && { annotations: { [ROTATED_BY]: form } }),
    },
    type: 'Opaque',
    data: { current: encoded(secret), ...(url !== undefined && { url: encoded(url) }) },
  });
  return created ? secret : undefined;
}

/** Gives the Secret of a deleted project to the one that has its namespace now, with nothing of the deleted one. */
async function takeOver(
  secrets: Pick<Writer, 'mergePatch'>,
  { project, existing }: { readonly project: ZipProject; readonly existing: Secret },
  { url, form }: SavedInSecret,
): Promise<string> {
  const { namespace, name, resourceVersion } = existing.metadata;
  const secret = newSecret();
  await secrets.mergePatch(
    { namespace, name },
    {
      metadata: {
        resourceVersion,
        ownerReferences: [ownerReferenceOf(project, KIND)],
        annotations: { [ROTATED_BY]: form ?? null },
      },
      data: {
        current: encoded(secret),
        previous: null,
        previousUntil: null,
        url: url === undefined ? null : encoded(url),
      },
    },
  );
  return secret;
}

/** The signing secret, if this form made it. */
function madeBy(secret: Secret, form: string | undefined): string | undefined {
  const current = secret.data?.['current'];
  return isRotatedBy(secret, form) && current !== undefined ? decoded(current) : undefined;
}

/** Writes into a Secret that exists. The response to a patch has its owners: not every user with this right may read Secrets. */
async function saveInExisting(
  secrets: Pick<Writer, 'mergePatch'>,
  project: ZipProject,
  saved: SavedInSecret,
): Promise<string | undefined> {
  const { url, form } = saved;
  const existing = await secrets.mergePatch(
    { namespace: project.metadata.namespace, name: WEBHOOK_SECRET_NAME },
    url === undefined ? {} : { data: { url: encoded(url) } },
  );
  return isOfDeletedProject(existing, project)
    ? takeOver(secrets, { project, existing }, saved)
    : madeBy(existing, form);
}

/**
 * Writes the URL into the Secret of the webhook, or keeps the current one. Returns the signing secret if it had to be created, or
 * if the same form has created it.
 */
export async function saveWebhookSecret(
  secrets: Writer,
  project: ZipProject,
  saved: SavedInSecret,
): Promise<string | undefined> {
  const created = await createSecret(secrets, project, saved);
  if (created !== undefined) return created;
  try {
    return await saveInExisting(secrets, project, saved);
  } catch (error) {
    // The garbage collector was faster.
    if (!hasCode(error, 'NotFound')) throw error;
    return createSecret(secrets, project, saved);
  }
}

/** What an earlier request with the same form has saved. Undefined if the Secret has another URL, or there is none. */
export async function findSavedByForm(
  secrets: Pick<Writer, 'mergePatch'>,
  namespace: string,
  { url, form }: SavedInSecret,
): Promise<{ readonly secret: string | undefined } | undefined> {
  try {
    const existing = await secrets.mergePatch({ namespace, name: WEBHOOK_SECRET_NAME }, {});
    const isSaved = url === undefined || existing.data?.['url'] === encoded(url);
    return isSaved ? { secret: madeBy(existing, form) } : undefined;
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
    return undefined;
  }
}

export interface Rotation {
  readonly overlapSeconds: number;
  /** UUID of a form. Sent twice, it replaces the secret again, and the one before the form stays valid. */
  readonly form?: string;
  /** Of `rotationVersion`, as the user has seen it. Default: what someone else rotated meanwhile may be replaced. */
  readonly version?: string;
}

/** Identifies the last rotation. */
export function rotationVersion(secret: Secret | undefined): string {
  return versionOf(secret?.metadata.annotations?.[ROTATED_BY]);
}

function checkRotation(current: Secret, { form, version }: Rotation): void {
  if (version === undefined || version === rotationVersion(current) || isRotatedBy(current, form)) return;
  throw new AdministrationError(
    'Someone else rotated the signing secret after you opened this page. Rotate it again to replace theirs too: events are then no longer signed with the secret before it',
    { code: 'Conflict' },
  );
}

interface Overlap {
  readonly previousUntil: string | null;
  /** Of the Secret; without a change, the secret before the form stays valid. */
  readonly data: Readonly<Record<string, string | null>>;
}

function keptOverlap({ data = {} }: Secret): Overlap {
  const { previousUntil } = data;
  return { data: {}, previousUntil: previousUntil ? decoded(previousUntil) : null };
}

function newOverlap(current: string, seconds: number, clock: Clock): Overlap {
  if (seconds === 0) return { data: { previous: null, previousUntil: null }, previousUntil: null };
  const previousUntil = rfc3339(new Date(clock.date().getTime() + seconds * 1000));
  return { data: { previous: current, previousUntil: encoded(previousUntil) }, previousUntil };
}

async function rotateOnce(
  { secrets, clock }: { readonly secrets: SecretsOfWebhook; readonly clock: Clock },
  namespace: string,
  rotation: Rotation,
): Promise<RotatedSecret> {
  const { overlapSeconds, form = randomUUID() } = rotation;
  const before = await secrets.get(namespace, WEBHOOK_SECRET_NAME);
  const current = before?.data?.['current'];
  if (!before || current === undefined)
    throw new AdministrationError(`No signing secret found in project "${namespace}"`, {
      code: 'NotFound',
      commandHint: `Create one by setting the webhook: zipjobs webhook update URL -n ${namespace}`,
    });
  checkRotation(before, rotation);
  const { resourceVersion } = before.metadata;
  const overlap = isRotatedBy(before, form)
    ? keptOverlap(before)
    : newOverlap(current, overlapSeconds, clock);
  const secret = newSecret();
  await secrets.mergePatch(
    { namespace, name: WEBHOOK_SECRET_NAME },
    {
      metadata: { resourceVersion, annotations: { [ROTATED_BY]: form } },
      data: { ...overlap.data, current: encoded(secret) },
    },
  );
  return { secret, previousUntil: overlap.previousUntil };
}

/**
 * Replaces the current secret. During the overlap both secrets sign, so that receivers can be updated without failures.
 * @throws AdministrationError NotFound if there is none, Conflict after a concurrent rotation.
 */
export async function rotateSigningSecret(
  options: { readonly secrets: SecretsOfWebhook; readonly clock: Clock },
  namespace: string,
  rotation: Rotation,
): Promise<RotatedSecret> {
  try {
    return await rotateOnce(options, namespace, rotation);
  } catch (error) {
    if (!hasCode(error, 'Conflict')) throw error;
    const now = await options.secrets.get(namespace, WEBHOOK_SECRET_NAME);
    if (!isRotatedBy(now, rotation.form)) throw error;
    return rotateOnce(options, namespace, rotation);
  }
}

export interface KnownSecret {
  /** Whether a signing secret exists; undefined if the user lacks permission. */
  readonly hasSecret: boolean | undefined;
  /** Host of the URL in the Secret. */
  readonly host: string | undefined;
}

/** What may be shown of the Secret, as far as the user may read it. */
export async function readWebhookSecret(
  secrets: Pick<SecretsOfWebhook, 'get'>,
  namespace: string,
): Promise<KnownSecret> {
  try {
    const data = (await secrets.get(namespace, WEBHOOK_SECRET_NAME))?.data;
    const host = data?.['url'] === undefined ? undefined : webhookHost(decoded(data['url']));
    return { hasSecret: data?.['current'] !== undefined, host };
  } catch (error) {
    if (hasCode(error, 'Forbidden')) return { hasSecret: undefined, host: undefined };
    throw error;
  }
}
