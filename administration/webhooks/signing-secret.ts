import { randomBytes, randomUUID } from 'node:crypto';
import { WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import { rfc3339 } from '#crds/conditions.ts';
import { ownerReferenceOf } from '#crds/object-meta.ts';
import { endpointAnnotation, endpointSecretKey } from '#crds/webhook-endpoints.ts';
import { webhookHost, type ZipProject } from '#crds/zip-project.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { versionOf } from '../changes/change-spec.ts';
import { AdministrationError, hasCode } from '../errors/administration-error.ts';
import { type EndpointPlace, endpointOption, placeText } from './endpoint-place.ts';

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

/** Of the Secret: the form or command that made the current signing secret of an endpoint. */
const ROTATED_BY = 'zipjobs.dev/rotated-by-form';

function rotatedBy(secret: Secret | undefined, endpoint: string): string | undefined {
  return secret?.metadata.annotations?.[endpointAnnotation(ROTATED_BY, endpoint)];
}

function isRotatedBy(secret: Secret | undefined, endpoint: string, form: string | undefined): boolean {
  return form !== undefined && rotatedBy(secret, endpoint) === form;
}

const FIELDS = ['current', 'previous', 'previousUntil', 'url'] as const;
type Data = Readonly<Partial<Record<(typeof FIELDS)[number], string | null>>>;

/** The fields of one endpoint as they are in the Secret. */
function dataOf(endpoint: string, fields: Data): Readonly<Record<string, string | null>> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [endpointSecretKey(key, endpoint), value]),
  );
}

function fieldOf(
  secret: Pick<Secret, 'data'> | undefined,
  key: (typeof FIELDS)[number],
  endpoint: string,
): string | undefined {
  return secret?.data?.[endpointSecretKey(key, endpoint)];
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
  readonly endpoint: string;
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
  { endpoint, url, form }: SavedInSecret,
): Promise<string | undefined> {
  const secret = newSecret();
  const created = await secrets.create({
    metadata: {
      namespace: project.metadata.namespace,
      name: WEBHOOK_SECRET_NAME,
      ownerReferences: [ownerReferenceOf(project, KIND)],
      ...(form !== undefined && { annotations: { [endpointAnnotation(ROTATED_BY, endpoint)]: form } }),
    },
    type: 'Opaque',
    data: {
      [endpointSecretKey('current', endpoint)]: encoded(secret),
      ...(url !== undefined && { [endpointSecretKey('url', endpoint)]: encoded(url) }),
    },
  });
  return created ? secret : undefined;
}

/** Gives the Secret of a deleted project to the one that has its namespace now, with nothing of the deleted one. */
async function takeOver(
  secrets: Pick<Writer, 'mergePatch'>,
  { project, existing }: { readonly project: ZipProject; readonly existing: Secret },
  { endpoint, url, form }: SavedInSecret,
): Promise<string> {
  const { namespace, name, resourceVersion } = existing.metadata;
  const secret = newSecret();
  const nothing = Object.fromEntries(Object.keys(existing.data ?? {}).map((key) => [key, null]));
  await secrets.mergePatch(
    { namespace, name },
    {
      metadata: {
        resourceVersion,
        ownerReferences: [ownerReferenceOf(project, KIND)],
        annotations: { [endpointAnnotation(ROTATED_BY, endpoint)]: form ?? null },
      },
      data: {
        ...nothing,
        ...dataOf(endpoint, { current: encoded(secret), ...(url !== undefined && { url: encoded(url) }) }),
      },
    },
  );
  return secret;
}

/** The signing secret, if this form made it. */
function madeBy(secret: Secret, { endpoint, form }: SavedInSecret): string | undefined {
  const current = fieldOf(secret, 'current', endpoint);
  return isRotatedBy(secret, endpoint, form) && current !== undefined ? decoded(current) : undefined;
}

/** Creates the signing secret of an endpoint in an existing Secret. */
async function addSigningSecret(
  secrets: Pick<Writer, 'mergePatch'>,
  { metadata: { namespace, name, resourceVersion } }: Secret,
  { endpoint, form }: SavedInSecret,
): Promise<string> {
  const secret = newSecret();
  await secrets.mergePatch(
    { namespace, name },
    {
      metadata: {
        resourceVersion,
        annotations: { [endpointAnnotation(ROTATED_BY, endpoint)]: form ?? null },
      },
      data: dataOf(endpoint, { current: encoded(secret), previous: null, previousUntil: null }),
    },
  );
  return secret;
}

/** Writes into a Secret that exists. The response to a patch has its owners: not every user with this right may read Secrets. */
async function saveInExisting(
  secrets: Pick<Writer, 'mergePatch'>,
  project: ZipProject,
  saved: SavedInSecret,
): Promise<string | undefined> {
  const { endpoint, url } = saved;
  const existing = await secrets.mergePatch(
    { namespace: project.metadata.namespace, name: WEBHOOK_SECRET_NAME },
    url === undefined ? {} : { data: dataOf(endpoint, { url: encoded(url) }) },
  );
  if (isOfDeletedProject(existing, project)) return takeOver(secrets, { project, existing }, saved);
  return fieldOf(existing, 'current', endpoint) === undefined
    ? addSigningSecret(secrets, existing, saved)
    : madeBy(existing, saved);
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
    if (hasCode(error, 'NotFound')) return createSecret(secrets, project, saved);
    if (!hasCode(error, 'Conflict')) throw error;
    // The same form was sent twice at once.
    const same = await findSavedByForm(secrets, project.metadata.namespace, saved);
    if (same?.secret === undefined) throw error;
    return same.secret;
  }
}

/** The response to a patch: not every user with this right may read Secrets. Undefined if there is none. */
async function readByPatch(
  secrets: Pick<SecretsOfWebhook, 'mergePatch'>,
  namespace: string,
): Promise<Secret | undefined> {
  try {
    return await secrets.mergePatch({ namespace, name: WEBHOOK_SECRET_NAME }, {});
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
    return undefined;
  }
}

/** What an earlier request with the same form has saved. Undefined if the Secret has another URL, or there is none. */
export async function findSavedByForm(
  secrets: Pick<Writer, 'mergePatch'>,
  namespace: string,
  saved: SavedInSecret,
): Promise<{ readonly secret: string | undefined } | undefined> {
  const { endpoint, url } = saved;
  const existing = await readByPatch(secrets, namespace);
  const isSaved = url === undefined || fieldOf(existing, 'url', endpoint) === encoded(url);
  return existing && isSaved ? { secret: madeBy(existing, saved) } : undefined;
}

export interface Rotation {
  readonly overlapSeconds: number;
  /** UUID of a form. Sent twice, it replaces the secret again, and the one before the form stays valid. */
  readonly form?: string;
  /** Of `rotationVersion`, as the user has seen it. Default: what someone else rotated meanwhile may be replaced. */
  readonly version?: string;
}

/** Identifies the last rotation of the signing secret of an endpoint. */
export function rotationVersion(secret: Secret | undefined, endpoint: string): string {
  return versionOf(rotatedBy(secret, endpoint));
}

function checkRotation(current: Secret, endpoint: string, { form, version }: Rotation): void {
  if (version === undefined || version === rotationVersion(current, endpoint)) return;
  if (isRotatedBy(current, endpoint, form)) return;
  throw new AdministrationError(
    'Someone else rotated the signing secret after you opened this page. Rotate it again to replace theirs too: events are then no longer signed with the secret before it',
    { code: 'Conflict' },
  );
}

interface Overlap {
  readonly previousUntil: string | null;
  /** Of the Secret; without a change, the secret before the form stays valid. */
  readonly data: Data;
}

function keptOverlap(secret: Secret, endpoint: string): Overlap {
  const previousUntil = fieldOf(secret, 'previousUntil', endpoint);
  return { data: {}, previousUntil: previousUntil ? decoded(previousUntil) : null };
}

function newOverlap(current: string, seconds: number, clock: Clock): Overlap {
  if (seconds === 0) return { data: { previous: null, previousUntil: null }, previousUntil: null };
  const previousUntil = rfc3339(new Date(clock.date().getTime() + seconds * 1000));
  return { data: { previous: current, previousUntil: encoded(previousUntil) }, previousUntil };
}

async function rotateOnce(
  { secrets, clock }: { readonly secrets: SecretsOfWebhook; readonly clock: Clock },
  { namespace, endpoint }: EndpointPlace,
  rotation: Rotation,
): Promise<RotatedSecret> {
  const { overlapSeconds, form = randomUUID() } = rotation;
  const before = await secrets.get(namespace, WEBHOOK_SECRET_NAME);
  const current = fieldOf(before, 'current', endpoint);
  if (!before || current === undefined)
    throw new AdministrationError(`No signing secret found ${placeText({ namespace, endpoint })}`, {
      code: 'NotFound',
      commandHint: `Create one by setting the webhook: zipjobs webhook update URL${endpointOption(endpoint)} -n ${namespace}`,
    });
  checkRotation(before, endpoint, rotation);
  const { resourceVersion } = before.metadata;
  const overlap = isRotatedBy(before, endpoint, form)
    ? keptOverlap(before, endpoint)
    : newOverlap(current, overlapSeconds, clock);
  const secret = newSecret();
  await secrets.mergePatch(
    { namespace, name: WEBHOOK_SECRET_NAME },
    {
      metadata: { resourceVersion, annotations: { [endpointAnnotation(ROTATED_BY, endpoint)]: form } },
      data: dataOf(endpoint, { ...overlap.data, current: encoded(secret) }),
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
  place: EndpointPlace,
  rotation: Rotation,
): Promise<RotatedSecret> {
  try {
    return await rotateOnce(options, place, rotation);
  } catch (error) {
    if (!hasCode(error, 'Conflict')) throw error;
    const now = await options.secrets.get(place.namespace, WEBHOOK_SECRET_NAME);
    if (!isRotatedBy(now, place.endpoint, rotation.form)) throw error;
    return rotateOnce(options, place, rotation);
  }
}

/** Other users may change the Secret at any time; each attempt reads it again. */
const MOST_ATTEMPTS = 5;

/** A Secret of another tool has its keys on purpose. */
export function isOfProject({ metadata }: Secret, project: ZipProject): boolean {
  const { ownerReferences = [] } = metadata;
  return ownerReferences.some(({ kind, uid }) => kind === KIND && uid === project.metadata.uid);
}

/**
 * Deletes what the Secret contains for an endpoint, so that the receiver that has had its name cannot sign for the next one.
 * `isLeftOver` must read the project: keys are written only for an endpoint that the project has, so that keys of a Secret that was
 * read before the project, and has not changed since, belong to no endpoint that someone else adds now.
 * @returns whether there was anything
 */
export async function deleteEndpointSecret(
  secrets: Pick<SecretsOfWebhook, 'mergePatch'>,
  { namespace, endpoint }: EndpointPlace,
  isLeftOver: (existing: Secret) => Promise<boolean>,
): Promise<boolean> {
  const nothing = Object.fromEntries(FIELDS.map((key) => [key, null]));
  let wasThere = false;
  for (let attempt = 1; ; attempt += 1) {
    const existing = await readByPatch(secrets, namespace);
    const hasKeys = FIELDS.some((key) => fieldOf(existing, key, endpoint) !== undefined);
    if (existing === undefined || !hasKeys || !(await isLeftOver(existing))) return wasThere;
    wasThere = true;
    const { name, resourceVersion } = existing.metadata;
    const annotations = { [endpointAnnotation(ROTATED_BY, endpoint)]: null };
    try {
      await secrets.mergePatch(
        { namespace, name },
        { metadata: { resourceVersion, annotations }, data: dataOf(endpoint, nothing) },
      );
      return wasThere;
    } catch (error) {
      if (!hasCode(error, 'Conflict') || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

export interface KnownSecret {
  /** Whether a signing secret exists; undefined if the user lacks permission. */
  readonly hasSecret: boolean | undefined;
  /** Host of the URL in the Secret. */
  readonly host: string | undefined;
}

/** What may be shown of the Secret for each endpoint, as far as the user may read it. */
export async function readWebhookSecret(
  secrets: Pick<SecretsOfWebhook, 'get'>,
  namespace: string,
): Promise<(endpoint: string) => KnownSecret> {
  try {
    const secret = await secrets.get(namespace, WEBHOOK_SECRET_NAME);
    return (endpoint) => {
      const url = fieldOf(secret, 'url', endpoint);
      return {
        hasSecret: fieldOf(secret, 'current', endpoint) !== undefined,
        host: url === undefined ? undefined : webhookHost(decoded(url)),
      };
    };
  } catch (error) {
    if (hasCode(error, 'Forbidden')) return () => ({ hasSecret: undefined, host: undefined });
    throw error;
  }
}
